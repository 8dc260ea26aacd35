"""Every kind of source tree keeps every promise."""

import tarfile
import zipfile
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from resolveflow.backends.repository_open import RepositoryOpener
from resolveflow.ports import Repository
from resolveflow.testing.memory_repository import MemoryRepository
from resolveflow.testing.promises_repository import LINK, PROMISES, TREE
from tests.git_trees import commit, git, write


def _work_tree(folder: Path) -> Path:
    write(folder / "work", TREE, LINK)
    commit(folder / "work", {})
    return folder / "work"


def _bare(folder: Path) -> Path:
    git(folder, "clone", "--quiet", "--bare", str(_work_tree(folder)), "bare.git")
    return folder / "bare.git"


def _directory(folder: Path) -> Path:
    write(folder / "plain", TREE, LINK)
    return folder / "plain"


def _tar(folder: Path, name: str = "pkg-1.0.tar.gz", mode: str = "w:gz") -> Path:
    with tarfile.open(folder / name, mode) as archive:  # type: ignore[call-overload]
        archive.add(_directory(folder), "pkg-1.0")
    return folder / name


def _zip(folder: Path) -> Path:
    with zipfile.ZipFile(folder / "pkg-1.0.zip", "w") as archive:
        for name, data in TREE.items():
            archive.writestr(f"pkg-1.0/{name}", data)
        link = zipfile.ZipInfo(f"pkg-1.0/{LINK[0]}")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, LINK[1])
    return folder / "pkg-1.0.zip"


PLACES: dict[str, Callable[[Path], Path]] = {
    "work-tree": _work_tree,
    "bare": _bare,
    "directory": _directory,
    "tar.gz": _tar,
    "tar.bz2": lambda folder: _tar(folder, "pkg-1.0.tar.bz2", "w:bz2"),
    "tar": lambda folder: _tar(folder, "pkg-1.0.tar", "w"),
    "zip": _zip,
}


@pytest.fixture(params=[*PLACES, "memory"])
async def repository(request: pytest.FixtureRequest, tmp_path: Path) -> Repository:
    if request.param == "memory":
        return MemoryRepository(TREE, links=dict([LINK]))
    place = PLACES[request.param](tmp_path)
    return await RepositoryOpener(tmp_path / "home")(str(place))


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.__name__)
async def test_promise(
    promise: Callable[[Repository], Awaitable[None]], repository: Repository
) -> None:
    await promise(repository)
