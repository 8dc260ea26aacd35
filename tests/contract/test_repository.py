import io
import os
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

from resolveflow.backends.repository_open import RepositoryOpener
from resolveflow.ports import Repository
from resolveflow.testing.memory_repository import MemoryRepository
from resolveflow.testing.promises_repository import FILES, LINKS, RepositoryPromises


def write_tree(root: Path) -> None:
    for path, data in FILES.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    for path, target in LINKS.items():
        os.symlink(target, os.fsencode(root / path))


def git(directory: Path, *arguments: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=A", "-c", "user.email=a@b.c", *arguments],
        cwd=directory,
        check=True,
        capture_output=True,
    )


def committed(root: Path, *clone: str) -> Path:
    write_tree(root / "work")
    git(root / "work", "init", "-q", "-b", "main")
    git(root / "work", "-c", "core.autocrlf=false", "add", ".")
    git(root / "work", "commit", "-q", "-m", "first\x01 with a control character")
    if not clone:
        return root / "work"
    git(root, "clone", "-q", *clone, f"file://{root / 'work'}", "clone")
    return root / "clone"


def added_worktree(root: Path) -> Path:
    git(committed(root), "worktree", "add", "-q", "../tree", "-b", "other")
    return root / "tree"


def plain_directory(root: Path) -> Path:
    write_tree(root / "plain")
    os.mkfifo(root / "plain/pipe")
    return root / "plain"


def tar_gz(root: Path) -> Path:
    write_tree(root / "pkg-1.0")
    with tarfile.open(root / "pkg-1.0.tar.gz", "w:gz") as tar:
        tar.add(root / "pkg-1.0", arcname="pkg-1.0")
    return root / "pkg-1.0.tar.gz"


def tar_stream(root: Path) -> Path:
    with tarfile.open(root / "plain.tar", "w") as tar:
        for path, data in FILES.items():
            member = tarfile.TarInfo(path)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
        for path, target in LINKS.items():
            member = tarfile.TarInfo(path)
            member.type = tarfile.SYMTYPE
            member.linkname = target.decode()
            tar.addfile(member)
    return root / "plain.tar"


LOCATIONS = {
    "working-tree": committed,
    "bare": lambda root: committed(root, "--bare"),
    "shallow": lambda root: committed(root, "--depth=1"),
    "sha-1 worktree": added_worktree,
    "directory": plain_directory,
    "tar.gz": tar_gz,
    "tar": tar_stream,
}


class TestBackends(RepositoryPromises):
    @pytest.fixture(params=sorted(LOCATIONS))
    async def repository(self, request: pytest.FixtureRequest, tmp_path: Path) -> Repository:
        location = LOCATIONS[request.param](tmp_path)
        return await RepositoryOpener(tmp_path / "home")(str(location))


class TestMemory(RepositoryPromises):
    @pytest.fixture
    def repository(self) -> Repository:
        return MemoryRepository(FILES, links=LINKS)


async def test_a_directory_and_its_sdist_are_the_same_tree(tmp_path: Path) -> None:
    opener = RepositoryOpener(tmp_path / "home")
    archive = await opener(str(tar_gz(tmp_path)))
    directory = await opener(str(tmp_path / "pkg-1.0"))
    assert archive.ref.commit == directory.ref.commit
    assert (await opener(str(archive.ref.location), commit=archive.ref.commit)).ref == archive.ref


async def test_a_zip_without_odd_names(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "pkg.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("pkg/a.py", "x = 1\n")
        archive.writestr("pkg/sub/", "")
        link = zipfile.ZipInfo("pkg/link")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    repository = await RepositoryOpener(tmp_path)(str(tmp_path / "pkg.zip"))
    assert [(e.path, e.kind) for e in await repository.entries()] == [
        ("a.py", "file"),
        ("link", "symlink"),
    ]
    assert await repository.read("link") == b"/etc/passwd"
