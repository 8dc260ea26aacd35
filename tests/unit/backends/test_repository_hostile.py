"""Git repositories made to harm: none of it runs, nothing of it fills the memory."""

import asyncio
import dataclasses
import subprocess
from pathlib import Path

import pytest

from resolveflow.backends.git import Git, GitFailed, find_git, open_objects
from resolveflow.backends.repository_git import GitRepository
from resolveflow.backends.repository_open import RepositoryOpener
from resolveflow.domain.errors import RepositoryError
from resolveflow.domain.report import TreeRef
from tests.git_trees import commit, git


@pytest.fixture
def opener(tmp_path: Path) -> RepositoryOpener:
    return RepositoryOpener(tmp_path / "home")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    commit(tmp_path / "project", {"a.py": b"one\n"})
    return tmp_path / "project"


def _made(directory: Path, kind: str, data: bytes) -> str:
    """Store an object that git itself would not make."""
    done = subprocess.run(
        ["git", "hash-object", "-t", kind, "-w", "--stdin", "--literally"],
        cwd=directory,
        input=data,
        capture_output=True,
        check=True,
    )
    return done.stdout.decode().strip()


def _program(path: Path, script: str) -> Path:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    "settings",
    [
        {"url": "ext::{evil}", "protocol.ext.allow": "always"},
        {"url": "ssh://example.org/x", "core.sshCommand": "{evil}"},
        {"url": "{project}", "uploadpack": "{evil}"},
        {"url": "file://{project}", "uploadpack": "{evil}"},
        {"url": "git://example.org/x", "core.gitProxy": "{evil}"},
    ],
)
async def test_a_missing_object_is_not_asked_for(
    opener: RepositoryOpener, project: Path, tmp_path: Path, settings: dict[str, str]
) -> None:
    mark = tmp_path / "owned"
    evil = _program(tmp_path / "evil", f"touch {mark}")
    (project / ".git" / "objects" / "info" / "alternates").write_text(f"{tmp_path}\n")
    git(project, "config", "core.repositoryFormatVersion", "1")
    git(project, "config", "extensions.partialClone", "origin")
    git(project, "config", "remote.origin.promisor", "true")
    git(project, "config", "core.alternateRefsCommand", str(evil))
    for key, value in settings.items():
        name = key if "." in key else f"remote.origin.{key}"
        git(project, "config", name, value.format(evil=evil, project=project))
    blob = git(project, "rev-parse", "HEAD:a.py")
    (project / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(RepositoryError, match="has no commit"):
        await opener(str(project), commit="f" * 40)
    tree = await opener(str(project))
    with pytest.raises(RepositoryError, match="missing"):
        await tree.read("a.py")
    assert not mark.exists()


async def test_submodules_name_what_they_like_and_large_files_stay_pointers(
    opener: RepositoryOpener, project: Path
) -> None:
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"
    modules = b'[submodule "x"]\n\tpath = x\n\turl = ext::sh -c id\n\tupdate = !id\n'
    attributes = b"*.bin filter=lfs\n"
    commit(project, {"a.bin": pointer, ".gitattributes": attributes, ".gitmodules": modules})
    tree = await opener(str(project))
    assert await tree.read("a.bin") == pointer
    assert await tree.read(".gitmodules") == modules


async def test_lines_end_where_git_ends_them(opener: RepositoryOpener, project: Path) -> None:
    commit(project, {"a.py": b"one\rdead\r\tbeef\x0c\ntwo"}, day=2)
    tree = await opener(str(project))
    assert [it.subject for it in await tree.blame("a.py", 1, 2)] == ["day 2"]
    with pytest.raises(RepositoryError, match="no lines 3-3"):
        await tree.blame("a.py", 3, 3)


@pytest.mark.parametrize("name", ["-L.py", ":(top)a.py", "*.py", "a b/c\td.py"])
async def test_odd_names_are_blamed(opener: RepositoryOpener, project: Path, name: str) -> None:
    commit(project, {name: b"x\n"}, day=3)
    tree = await opener(str(project))
    assert [it.subject for it in await tree.blame(name, 1, 1)] == ["day 3"]


@pytest.mark.parametrize(
    ("seconds", "year"),
    [("99999999999999", 9999), ("18446744073709551615", 9999), ("-5", 1970), ("soon", 1970)],
)
async def test_a_commit_of_an_impossible_time(
    opener: RepositoryOpener, project: Path, seconds: str, year: int
) -> None:
    tree_id = git(project, "rev-parse", "HEAD^{tree}")
    who = f"R <r@example.org> {seconds} +0000"
    data = f"tree {tree_id}\nauthor {who}\ncommitter {who}\n\nodd\n".encode()
    tree = await opener(str(project), commit=_made(project, "commit", data))
    assert [it.time.year for it in await tree.history(5)] == [year]
    assert [it.time.year for it in await tree.blame("a.py", 1, 1)] == [year]


async def test_a_small_pack_that_describes_a_tree_without_end(
    project: Path, tmp_path: Path
) -> None:
    kind, made = b"100644", git(project, "rev-parse", "HEAD:a.py")
    for _ in range(4):
        entries = b"".join(b"%s %d\0%s" % (kind, n, bytes.fromhex(made)) for n in range(10))
        kind, made = b"40000", _made(project, "tree", entries)
    pinned = git(project, "commit-tree", made, "-m", "bomb")
    objects = await open_objects(find_git(tmp_path), project, location="bomb")
    ref = TreeRef(location="bomb", kind="git", commit=pinned, reason="")
    assert len(await GitRepository(objects, ref).entries()) == 10_000
    with pytest.raises(RepositoryError, match="more than 9,999 files"):
        await GitRepository(objects, ref, max_files=9_999).entries()
    bounded = dataclasses.replace(objects, max_output=100_000)
    with pytest.raises(RepositoryError, match="printed more than 100,000 bytes"):
        await GitRepository(bounded, ref).entries()


async def test_entries_that_git_would_not_write(opener: RepositoryOpener, project: Path) -> None:
    names = {name: _made(project, "blob", name.encode()) for name in ("first", "second")}
    wild = (("b.py", "first"), ("a.py", "first"), ("a.py", "second"), ("../x.py", "second"))
    entries = (b"100644 %s\0%s" % (p.encode(), bytes.fromhex(names[n])) for p, n in wild)
    pinned = git(project, "commit-tree", _made(project, "tree", b"".join(entries)), "-m", "x")
    tree = await opener(str(project), commit=pinned)
    assert [entry.path for entry in await tree.entries()] == ["../x.py", "a.py", "b.py"]
    assert await tree.read("a.py") == b"first"


async def test_a_path_that_no_system_has(opener: RepositoryOpener, project: Path) -> None:
    tree_id = git(project, "rev-parse", "HEAD^{tree}")
    for _ in range(17):
        tree_id = _made(project, "tree", b"40000 %s\0%s" % (b"d" * 250, bytes.fromhex(tree_id)))
    pinned = git(project, "commit-tree", tree_id, "-m", "deep")
    tree = await opener(str(project), commit=pinned)
    (entry,) = await tree.entries()
    assert entry.kind == "unreadable"
    with pytest.raises(RepositoryError, match="longer than a path may be"):
        await tree.read(entry.path)


async def test_a_blob_that_unfolds(project: Path, tmp_path: Path) -> None:
    pinned = commit(project, {"bomb": b"\0" * 1_000_000})
    objects = await open_objects(find_git(tmp_path), project, location="bomb")
    ref = TreeRef(location="bomb", kind="git", commit=pinned, reason="")
    tree = GitRepository(objects, ref, max_blob=999_999)
    found = [data async for _, data in tree.blobs([it.blob for it in await tree.entries()])]
    assert found == [b"one\n"]
    with pytest.raises(RepositoryError, match="larger than 999,999 bytes"):
        await tree.read("bomb")


async def test_only_object_ids_are_asked_for(opener: RepositoryOpener, project: Path) -> None:
    tree = await opener(str(project))
    (entry,) = await tree.entries()
    ids = ["HEAD", entry.blob[:10], f"{tree.ref.commit}:a.py", "a\nb", tree.ref.commit, entry.blob]
    assert [item async for item in tree.blobs(ids)] == [(entry.blob, b"one\n")]


async def test_objects_that_are_gone(opener: RepositoryOpener, project: Path) -> None:
    tree_id = git(project, "rev-parse", "HEAD^{tree}")
    (project / ".git" / "objects" / tree_id[:2] / tree_id[2:]).unlink()
    tree = await opener(str(project))
    for attempt in (tree.entries(), tree.history(1), tree.read("a.py")):
        with pytest.raises(RepositoryError, match="git cannot read") as raised:
            await attempt
        assert "\n" not in str(raised.value)


async def test_a_broken_repository_is_not_looked_for_further_up(
    opener: RepositoryOpener, project: Path
) -> None:
    inner = project / "inner"
    (inner / ".git").mkdir(parents=True)
    with pytest.raises(RepositoryError, match="no git repository"):
        await opener(str(inner))


async def test_git_is_stopped_when_it_takes_too_long_or_says_too_much(tmp_path: Path) -> None:
    slow = Git(str(_program(tmp_path / "slow", "sleep 600")), tmp_path)
    with pytest.raises(GitFailed, match="did not end within 0 s"):
        await slow.run(environment=slow.environment, seconds=0.05)
    loud = Git(str(_program(tmp_path / "loud", "exec yes")), tmp_path)
    with pytest.raises(GitFailed, match="more than 1,000,000 bytes"):
        await loud.run(environment=loud.environment, max_output=1_000_000)


async def test_a_cancelled_git_is_ended(tmp_path: Path) -> None:
    started = tmp_path / "pid"
    slow = Git(str(_program(tmp_path / "slow", f"echo $$ > {started}; exec sleep 600")), tmp_path)
    task = asyncio.create_task(slow.run(environment=slow.environment))
    while not (started.exists() and started.read_text().strip()):  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not Path("/proc", started.read_text().strip()).exists()  # noqa: ASYNC240
