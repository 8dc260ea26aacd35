"""JSON-RPC messages over standard input and output, one a line, none larger than is fair."""

import asyncio
import sys
from typing import BinaryIO

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError, jsonrpc_message_adapter
from pydantic import ValidationError
from pydantic_core import from_json

MOST_MESSAGE = 256 * 1024  # bytes; the largest call that the tools take is far below


async def serve_stdio(server: Server[object]) -> None:
    """Serve one client until it closes our input; nothing else may write to our output."""
    incoming, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_receive, sys.stdin.buffer, incoming, write.clone())
        tasks.start_soon(_send, outgoing, sys.stdout.buffer)
        await server.run(read, write, server.create_initialization_options())


async def _receive(
    source: BinaryIO,
    incoming: MemoryObjectSendStream[SessionMessage | Exception],
    answers: MemoryObjectSendStream[SessionMessage],
) -> None:
    """Hand messages on; what is none is answered here, as it has no id to be answered by."""
    async with incoming, answers:
        while line := await asyncio.to_thread(source.readline, MOST_MESSAGE + 1):
            if len(line) > MOST_MESSAGE:
                await _skip_line(source, line)
                problem = f"a message may have at most {MOST_MESSAGE:,} bytes"
                await answers.send(_error(INVALID_REQUEST, problem))
            elif line.strip():
                message = _message(line)
                await (incoming if _is_request(message) else answers).send(message)


async def _skip_line(source: BinaryIO, line: bytes) -> None:
    while line and not line.endswith(b"\n"):
        line = await asyncio.to_thread(source.readline, MOST_MESSAGE)


def _is_request(message: SessionMessage) -> bool:
    return not isinstance(message.message, JSONRPCError)


def _message(line: bytes) -> SessionMessage:
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValidationError:
        pass
    try:
        from_json(line)
    except ValueError as error:
        return _error(PARSE_ERROR, f"not JSON: {error}")
    return _error(INVALID_REQUEST, "not a JSON-RPC 2.0 message")


def _error(code: int, problem: str) -> SessionMessage:
    error = ErrorData(code=code, message=problem)
    return SessionMessage(JSONRPCError(jsonrpc="2.0", id=None, error=error))


async def _send(outgoing: MemoryObjectReceiveStream[SessionMessage], sink: BinaryIO) -> None:
    async with outgoing:
        async for message in outgoing:
            text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            await asyncio.to_thread(_write, sink, f"{text}\n".encode())


def _write(sink: BinaryIO, data: bytes) -> None:
    sink.write(data)
    sink.flush()
