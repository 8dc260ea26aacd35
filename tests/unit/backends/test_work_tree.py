"""What is said to be missing from a git tree: changes nobody committed, and older commits."""

import os
from pathlib import Path

import pytest

from resolveflow.backends.repository_open import RepositoryOpener
from tests.git_trees import commit, git, write

UNCOMMITTED = "Uncommitted changes of the work tree, no part of this commit: "


@pytest.fixture
def opener(tmp_path: Path) -> RepositoryOpener:
    return RepositoryOpener(tmp_path / "home")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    where = tmp_path / "project"
    commit(where, {name: b"one\n" for name in ("a.py", "b.py", "c.py", "d.py", "e.py")})
    commit(where, {"a.py": b"one\ntwo\n"}, day=2)
    return where


async def test_a_clean_work_tree_lacks_nothing(opener: RepositoryOpener, project: Path) -> None:
    os.utime(project / "a.py", (1, 1))  # touched, not changed
    write(project, {"new.log": b"git was never told of it"})
    assert (await opener(str(project))).ref.gaps == ()


async def test_changed_staged_and_removed_files_are_named(
    opener: RepositoryOpener, project: Path
) -> None:
    write(project, {"a.py": b"changed\n", "b.py": b"staged\n"})
    git(project, "add", "b.py")
    (project / "c.py").unlink()
    tree = await opener(str(project))
    assert tree.ref.gaps == (f"{UNCOMMITTED}a.py, b.py, c.py",)
    assert await tree.read("a.py") == b"one\ntwo\n"
    (project / "d.py").unlink()
    os.mkfifo(project / "d.py")
    (project / "e.py").unlink()
    assert (await opener(str(project))).ref.gaps == (f"{UNCOMMITTED}a.py, b.py, c.py, 2 more",)


async def test_names_that_cannot_be_shown_are_counted(
    opener: RepositoryOpener, project: Path
) -> None:
    commit(project, {"x\n## Root cause": b"one\n"}, day=3)
    write(project, {"x\n## Root cause": b"two\n"})
    assert (await opener(str(project))).ref.gaps == (f"{UNCOMMITTED}1 more",)


async def test_who_asks_for_a_commit_is_told_of_that_commit(
    opener: RepositoryOpener, project: Path
) -> None:
    write(project, {"a.py": b"changed\n"})
    assert (await opener(str(project), commit="HEAD")).ref.gaps == ()


@pytest.mark.parametrize(
    "harm",
    [
        lambda index: index.write_bytes(b"broken"),
        lambda index: index.unlink(),
        lambda index: (index.unlink(), index.symlink_to("/dev/zero")),
        lambda index: (index.unlink(), os.mkfifo(index)),
        lambda index: os.truncate(index, 10**12),
    ],
    ids=["broken", "gone", "without end", "a pipe", "huge"],
)
async def test_an_index_that_cannot_be_read_is_said_to_be_one(
    opener: RepositoryOpener, project: Path, harm
) -> None:
    harm(project / ".git" / "index")
    [gap] = (await opener(str(project))).ref.gaps
    assert gap == "Whether the work tree has uncommitted changes: git could not tell"


async def test_the_repository_is_not_written_to(opener: RepositoryOpener, project: Path) -> None:
    os.utime(project / "a.py", (1, 1))
    before = {path: path.stat().st_mtime_ns for path in (project / ".git").rglob("*")}
    await opener(str(project))
    assert {path: path.stat().st_mtime_ns for path in (project / ".git").rglob("*")} == before


async def test_nothing_of_a_hostile_work_tree_is_run(
    opener: RepositoryOpener, project: Path, tmp_path: Path
) -> None:
    mark = tmp_path / "owned"
    program = tmp_path / "evil.sh"
    program.write_text(f"#!/bin/sh\ntouch {mark}\n")
    program.chmod(0o755)
    keys = ("core.fsmonitor", "diff.external", "diff.evil.command", "diff.evil.textconv")
    filters = ("filter.evil.clean", "filter.evil.smudge", "filter.evil.process")
    inner = project / "inner"
    commit(inner, {"a.py": b"one\n"})
    commit(project, {".gitattributes": b"*.py diff=evil filter=evil\n"}, day=3)
    for where in (project, inner):
        for key in (*keys, *filters):
            git(where, "config", key, str(program))
        hook = where / ".git" / "hooks" / "post-index-change"
        hook.parent.mkdir(exist_ok=True)
        hook.write_bytes(program.read_bytes())
        hook.chmod(0o755)
    write(project, {"a.py": b"changed\n", "inner/a.py": b"changed\n"})
    assert (await opener(str(project))).ref.gaps == (f"{UNCOMMITTED}a.py",)
    assert not mark.exists()


async def test_a_shallow_clone_has_no_author_for_what_is_older(
    opener: RepositoryOpener, project: Path, tmp_path: Path
) -> None:
    commit(project, {"a.py": b"one\ntwo\nthree\n"}, day=3)
    git(tmp_path, "clone", "--quiet", "--depth", "2", f"file://{project}", "shallow")
    tree = await opener(str(tmp_path / "shallow"))
    assert tree.ref.gaps == (
        "Commits older than this shallow clone: `git fetch --unshallow` brings them",
    )
    assert [one.subject for one in await tree.blame("a.py", 1, 3)] == ["day 3"]
    assert [one.subject for one in await tree.history(9)] == ["day 3"]
    whole = await opener(str(project))
    assert [one.subject for one in await whole.blame("a.py", 1, 3)] == ["day 1", "day 2", "day 3"]
    assert [one.subject for one in await whole.history(9)] == ["day 3", "day 2", "day 1"]


async def test_whoever_shows_no_gaps_pays_for_none(tmp_path: Path, project: Path) -> None:
    write(project, {"a.py": b"changed\n"})
    tree = await RepositoryOpener(tmp_path / "home", tell_gaps=False)(str(project))
    assert tree.ref.gaps == ()
