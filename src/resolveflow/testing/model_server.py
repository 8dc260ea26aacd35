"""A scripted server that speaks OpenAI's Chat Completions on loopback."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Literal

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

Fault = Literal[
    "rate_limited",  # 429 that allows a retry at once
    "server_error",  # 500 that allows a retry at once
    "unauthorized",  # 401 whose message repeats the key
    "truncated",  # the connection ends inside the body
    "invalid_json",  # 200 with a body that is no JSON
    "wrong_shape",  # 200 with JSON that is no completion
    "empty",  # an answer without text
    "refusal",  # the model declines
    "cut_off",  # the answer stops in the middle for length
    "hang",  # no answer until the server stops
]


@dataclass(frozen=True)
class Broken:
    """A reply that goes wrong in a known way."""

    fault: Fault


Reply = str | Mapping[str, object] | Broken


@dataclass(frozen=True)
class Received:
    """One request: its JSON body and its lower-case headers."""

    body: Mapping[str, object]
    headers: Mapping[str, str]

    @property
    def text(self) -> str:
        """Everything that the model was told, as JSON."""
        return json.dumps(self.body.get("messages"), ensure_ascii=False)


@dataclass
class ModelServer:
    """Gives `replies` in order and keeps every request; with none left it answers 400.

    A mapping is sent as JSON: as a call of the first offered tool, else as the text.
    """

    replies: Iterable[Reply]
    base_url: str = ""
    requests: list[Received] = field(default_factory=list)
    stopping: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self._replies = iter(self.replies)

    async def answer(self, request: Request) -> Response:
        """Answer `POST /chat/completions`."""
        received = Received(await request.json(), dict(request.headers))
        self.requests.append(received)
        reply = next(self._replies, None)
        if reply is None:
            return _error(400, "no reply is left in the script")
        if isinstance(reply, Broken):
            if reply.fault == "hang":
                await self.stopping.wait()
            return _broken(reply.fault, received)
        return _completion(_message(reply, received.body.get("tools")))


@asynccontextmanager
async def serve_model(replies: Iterable[Reply]) -> AsyncIterator[ModelServer]:
    """Run a ModelServer on a free loopback port until the block ends."""
    script = ModelServer(replies)
    app = Starlette(routes=[Route("/v1/chat/completions", script.answer, methods=["POST"])])
    config = uvicorn.Config(app, log_config=None, log_level="critical", lifespan="off")
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        script.base_url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        # The socket listens already: early requests wait until the server takes them.
        task = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            yield script
        finally:
            script.stopping.set()
            server.should_exit = True
            await task


def _message(reply: str | Mapping[str, object], tools: object) -> dict[str, object]:
    if isinstance(reply, str):
        return {"role": "assistant", "content": reply}
    arguments = json.dumps(reply)
    if not isinstance(tools, Sequence) or not tools:
        return {"role": "assistant", "content": arguments}
    function = {"name": tools[0]["function"]["name"], "arguments": arguments}
    call = {"id": "call_1", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _completion(message: Mapping[str, object], finish: str = "stop") -> Response:
    reason = "tool_calls" if message.get("tool_calls") else finish
    return JSONResponse(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": "scripted",
            "choices": [{"index": 0, "message": message, "finish_reason": reason}],
            "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
        }
    )


def _error(status: int, message: str) -> Response:
    error = {"message": message, "type": "scripted", "code": None, "param": None}
    return JSONResponse({"error": error}, status, headers={"retry-after-ms": "1"})


def _broken(fault: Fault, received: Received) -> Response:
    key = received.headers.get("authorization", "").removeprefix("Bearer ")
    replies: dict[Fault, Response] = {
        "rate_limited": _error(429, "slow\ndown"),
        "server_error": _error(500, "it broke"),
        "unauthorized": _error(401, f"Incorrect API key provided: {key}"),
        "truncated": Response('{"id": "chat', headers={"content-length": "5000"}),
        "invalid_json": Response("{{{", media_type="application/json"),
        "wrong_shape": JSONResponse({"hello": "world"}),
        "empty": _completion({"role": "assistant", "content": ""}),
        "refusal": _completion({"role": "assistant", "content": None, "refusal": "I won't."}),
        "cut_off": _completion({"role": "assistant", "content": '{"value": "ab'}, "length"),
        "hang": _error(500, "stopped"),
    }
    return replies[fault]
