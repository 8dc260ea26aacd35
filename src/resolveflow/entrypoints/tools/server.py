"""The four tools as an MCP server; the funnel guards every call, over any transport."""

import socket
import sys
from importlib.metadata import version
from typing import Any

import uvicorn
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)

from resolveflow.domain.errors import Unavailable
from resolveflow.entrypoints.tools.stdio import MOST_MESSAGE, serve_stdio
from resolveflow.explore.funnel import Funnel
from resolveflow.explore.tools import tool_specs
from resolveflow.prompts import render

READ_ONLY = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
Context = ServerRequestContext[Any]


def build_server(funnel: Funnel) -> Server[Any]:
    """Offer the tools behind one funnel: a server is one investigation."""

    async def list_tools(
        _context: Context, _page: PaginatedRequestParams | None
    ) -> ListToolsResult:
        return ListToolsResult(
            tools=[
                Tool(
                    name=spec.name,
                    description=spec.description,
                    input_schema=spec.parameters,
                    annotations=READ_ONLY,
                )
                for spec in tool_specs()
            ]
        )

    async def call_tool(_context: Context, call: CallToolRequestParams) -> CallToolResult:
        result = await funnel.call(call.name, call.arguments or {})
        return CallToolResult(
            content=[TextContent(type="text", text=result.text)], is_error=result.is_error
        )

    return Server(
        "resolveflow",
        version=version("resolveflow"),
        instructions=render("tools"),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def serve(funnel: Funnel, http: int | None) -> None:
    """Serve over standard input and output, or over HTTP on this machine alone.

    Raises:
        Unavailable: the port cannot be used.
    """
    server = build_server(funnel)
    if http is None:
        await serve_stdio(server)
        return
    app = server.streamable_http_app(
        json_response=True, stateless_http=True, max_request_body_size=MOST_MESSAGE
    )
    try:
        listening = socket.create_server(("127.0.0.1", http))
    except OSError as error:
        raise Unavailable(f"cannot listen on port {http}: {error.strerror}") from None
    with listening:
        sys.stderr.write(f"http://127.0.0.1:{listening.getsockname()[1]}/mcp\n")
        sys.stderr.flush()
        config = uvicorn.Config(app, log_level="warning", access_log=False)
        await uvicorn.Server(config).serve(sockets=[listening])
