"""Serving the stand-in over real HTTP, on loopback and nowhere else."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from resolveflow.testing.github_standin.app import GitHubApi
from resolveflow.testing.github_standin.records import Fault
from resolveflow.testing.github_standin.store import Logged, Store
from resolveflow.testing.github_standin.world import World

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class StandIn:
    """A running stand-in: its address, and what a test may look at or change behind its back."""

    url: str
    api: GitHubApi

    @property
    def world(self) -> World:
        """Its accounts and repositories."""
        return self.api.world

    def fail(self, fault: Fault) -> None:
        """Let something go wrong later."""
        self.api.add_fault(fault)

    def edit(self, full_name: str, number: int, **changes: object) -> None:
        """Change fields of an issue."""
        self.api.edit(full_name, number, **changes)

    def requests(self) -> list[Logged]:
        """Every request that was ever made to this state."""
        return self.api.logged()

    def writes(self) -> list[Logged]:
        """Every request but GET and HEAD."""
        return [entry for entry in self.requests() if entry["method"] not in {"GET", "HEAD"}]


class _Server(uvicorn.Server):
    """Leaves the process's signals to the program that it runs in."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def bind(port: int) -> socket.socket:
    """Listen on loopback; port 0 is any free one."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((LOOPBACK, port))
    listener.listen(128)
    return listener


def prepare(state: Path, listener: socket.socket, seed: World | None) -> StandIn:
    """Load the state, or start it from `seed`, for a socket that already listens."""
    store = Store(state)
    url = f"http://{LOOPBACK}:{listener.getsockname()[1]}"
    return StandIn(url, GitHubApi(store.load(seed), store, address=url))


def configure(standin: StandIn) -> uvicorn.Config:
    """Configure a quiet server that does not wait for requests which hang on purpose."""
    return uvicorn.Config(
        standin.api.application(),
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,
        timeout_graceful_shutdown=1,
    )


@asynccontextmanager
async def serve(state: Path, *, seed: World | None = None) -> AsyncIterator[StandIn]:
    """Run a stand-in inside this process; its state stays in the directory `state`."""
    listener = bind(0)
    standin = prepare(state, listener, seed)
    server = _Server(configure(standin))
    running = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield standin
    finally:
        server.should_exit = True
        await running
        listener.close()
