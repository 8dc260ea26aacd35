"""Repositories of the measured reports: those that are there, and those that are cloned."""

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from resolveflow.backends.git import find_git
from resolveflow.backends.mirrors import Mirrors
from resolveflow.backends.repository_open import RepositoryOpener
from resolveflow.domain.errors import RepositoryError
from resolveflow.evals.localization_repositories import Repositories
from tests.git_trees import commit, git


class Host:
    """Serves `acme/shop` over plain HTTP and keeps the paths that were asked for."""

    def __init__(self, root: Path) -> None:
        self.first = commit(root / "work", {"a.py": b"one\n"}, day=1)
        self.second = commit(root / "work", {"a.py": b"two\n"}, day=2)
        (root / "served" / "acme").mkdir(parents=True)
        git(root, "clone", "--quiet", "--bare", "work", "served/acme/shop")
        git(root / "served" / "acme" / "shop", "update-server-info")
        self.asked: list[str] = []
        asked = self.asked

        class Handler(SimpleHTTPRequestHandler):
            def log_message(self, *args: object) -> None:
                asked.append(self.path)

        self.server = ThreadingHTTPServer(
            ("127.0.0.1", 0), partial(Handler, directory=str(root / "served"))
        )
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/"


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    served = Host(tmp_path)
    yield served
    served.server.shutdown()
    served.server.server_close()


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    there = tmp_path / "repos"
    there.mkdir()
    return there


class Told(list[str]):
    async def __call__(self, line: str) -> None:
        self.append(line)


def cloning(directory: Path, url: str, told: Told | None = None) -> Repositories:
    home = directory.parent / "home"
    return Repositories(
        directory,
        open_repository=RepositoryOpener(home),
        web_url=url,
        mirrors=Mirrors(home / "mirrors", find_git(home / "git")),
        tell=told,
    )


async def test_what_is_not_there_is_cloned_and_read_at_its_commit(
    host: Host, directory: Path
) -> None:
    told = Told()
    repositories = cloning(directory, host.url, told)
    old = await repositories.open("acme/shop", host.first)
    new = await repositories.open("acme/shop", host.second)
    assert (await old.read("a.py"), await new.read("a.py")) == (b"one\n", b"two\n")
    assert told == [f"cloning {host.url}acme/shop, unless it is there already"]


async def test_a_clone_is_used_again_without_the_host(host: Host, directory: Path) -> None:
    await cloning(directory, host.url).open("acme/shop", host.first)
    host.asked.clear()
    tree = await cloning(directory, host.url).open("acme/shop", host.second)
    assert await tree.read("a.py") == b"two\n"
    assert host.asked == []


async def test_what_is_there_is_not_cloned(host: Host, directory: Path) -> None:
    local = commit(directory / "acme__shop", {"a.py": b"local\n"})
    tree = await cloning(directory, host.url).open("acme/shop", local)
    assert await tree.read("a.py") == b"local\n"
    assert host.asked == []
    with pytest.raises(RepositoryError, match="has no commit"):
        await cloning(directory, host.url).open("acme/shop", host.first)


async def test_a_repository_that_the_host_lacks_is_asked_for_once(
    host: Host, directory: Path
) -> None:
    repositories = cloning(directory, host.url)
    with pytest.raises(RepositoryError, match="acme/none could not be cloned") as first:
        await repositories.open("acme/none", "a" * 40)
    assert "\n" not in str(first.value)
    host.asked.clear()
    with pytest.raises(RepositoryError, match="acme/none could not be cloned"):
        await repositories.open("acme/none", "b" * 40)
    assert host.asked == []


async def test_a_commit_that_a_clone_lacks_spoils_no_other(host: Host, directory: Path) -> None:
    repositories = cloning(directory, host.url)
    with pytest.raises(RepositoryError, match=r"has no commit 'f+'"):
        await repositories.open("acme/shop", "f" * 40)
    assert await (await repositories.open("acme/shop", host.first)).read("a.py") == b"one\n"


async def test_nothing_is_cloned_unless_asked(host: Host, directory: Path) -> None:
    repositories = Repositories(
        directory, open_repository=RepositoryOpener(directory.parent / "home"), web_url=host.url
    )
    with pytest.raises(RepositoryError, match=r"acme__shop does not exist: .* add --fetch"):
        await repositories.open("acme/shop", host.first)
    assert host.asked == []
