"""Every GitHub backend keeps every promise."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from pydantic import SecretStr

from resolveflow.backends.github_http import Patience
from resolveflow.backends.github_reader import open_reader
from resolveflow.ports import GitHubReader, GitHubWriter
from resolveflow.testing.github_standin import World, serve
from resolveflow.testing.memory_github import MemoryReader, memory_writers
from resolveflow.testing.promises_github import PROMISES, Lab, seed


@dataclass(frozen=True)
class MemoryLab:
    world: World

    @asynccontextmanager
    async def reader(self, token: str | None) -> AsyncIterator[GitHubReader]:
        yield MemoryReader(self.world, token)

    def writer(self, token: SecretStr) -> AbstractAsyncContextManager[GitHubWriter]:
        return memory_writers(self.world)(token)


@dataclass(frozen=True)
class RestLab:
    world: World
    url: str
    home: Path

    def reader(self, token: str | None) -> AbstractAsyncContextManager[GitHubReader]:
        secret = SecretStr(token) if token else None
        return open_reader(secret, api_url=self.url, home=self.home, patience=hasty())

    def writer(self, token: SecretStr) -> AbstractAsyncContextManager[GitHubWriter]:
        (point,) = entry_points(group="resolveflow.github_writers", name="rest")
        return point.load()(self.url, patience=hasty())(token)


def hasty() -> Patience:
    async def sleep(_seconds: float) -> None:
        """Take no time."""

    return Patience(sleep=sleep)


@pytest.fixture(params=["rest", "memory"])
async def lab(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Lab]:
    if request.param == "memory":
        yield MemoryLab(seed())
        return
    async with serve(tmp_path / "state", seed=seed()) as standin:
        yield RestLab(standin.world, standin.url, tmp_path / "home")


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.__name__)
async def test_promise(promise: Callable[[Lab], Awaitable[None]], lab: Lab) -> None:
    await promise(lab)
