"""Git repositories: which commit, what history, and nothing of theirs is ever run."""

import asyncio
import os
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from resolveflow.backends.repository_open import RepositoryOpener
from resolveflow.codebase.versions import matching_tags
from resolveflow.domain.errors import MissingProgram, RepositoryError
from tests.git_trees import commit, git


@pytest.fixture
def opener(tmp_path: Path) -> RepositoryOpener:
    return RepositoryOpener(tmp_path / "home")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Three commits on three days, the first two tagged."""
    where = tmp_path / "project"
    commit(where, {"a.py": b"one\n"}, day=1, tag="v1.0.0")
    commit(where, {"a.py": b"one\ntwo\n"}, day=2, tag="project-1.1.0")
    commit(where, {"a.py": b"one\ntwo\nthree\n"}, day=3)
    return where


async def test_an_explicit_commit(opener: RepositoryOpener, project: Path) -> None:
    first = git(project, "rev-parse", "v1.0.0")
    for name in (first, first[:10], "v1.0.0", "main~2"):
        tree = await opener(str(project), commit=name, version="1.1.0")
        assert (tree.ref.commit, tree.ref.reason) == (first, f"commit {name} as asked")
        assert await tree.read("a.py") == b"one\n"


@pytest.mark.parametrize(
    "name", ["f" * 40, "nope", "--all", "-x", "HEAD:a.py", "", "a\0b", "HEAD\n"]
)
async def test_an_unknown_commit(opener: RepositoryOpener, project: Path, name: str) -> None:
    with pytest.raises(RepositoryError, match="has no commit"):
        await opener(str(project), commit=name)


@pytest.mark.parametrize(
    ("version", "reason"),
    [
        ("1.0.0", "tag v1.0.0 matches the reported version 1.0.0"),
        ("v1.0", "tag v1.0.0 matches the reported version v1.0"),
        ("1.1.0", "tag project-1.1.0 matches the reported version 1.1.0"),
        ("9.9", "HEAD: no tag matches the reported version 9.9"),
    ],
)
async def test_the_reported_version(
    opener: RepositoryOpener, project: Path, version: str, reason: str
) -> None:
    assert (await opener(str(project), version=version)).ref.reason == reason


async def test_several_tags_of_one_version_are_told(
    opener: RepositoryOpener, project: Path
) -> None:
    git(project, "tag", "1.0.0")
    reason = (await opener(str(project), version="1.0.0")).ref.reason
    assert reason == "tag 1.0.0 matches the reported version 1.0.0 (so do v1.0.0)"


async def test_the_date_of_the_report(opener: RepositoryOpener, project: Path) -> None:
    noon = datetime(2026, 1, 2, 18, tzinfo=UTC)
    tree = await opener(str(project), date=noon)
    assert tree.ref.reason == "the default branch's last commit at 2026-01-02 18:00 UTC"
    assert await tree.read("a.py") == b"one\ntwo\n"
    early = await opener(str(project), version="7", date=datetime(2020, 1, 1, tzinfo=UTC))
    assert early.ref.reason == (
        "HEAD: no tag matches the reported version 7 and no commit is as old as 2020-01-01"
    )


@pytest.mark.parametrize(
    ("date", "reason"),
    [
        (
            datetime(2026, 1, 2, 14, tzinfo=timezone(timedelta(hours=5))),
            "the default branch's last commit at 2026-01-02 09:00 UTC",
        ),
        (datetime(2026, 1, 2, 9), "the default branch's last commit at 2026-01-02 09:00 UTC"),
        (
            datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-5))),
            "the default branch's last commit at 9999-12-31 23:59 UTC",
        ),
        (
            datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=5))),
            "HEAD: no commit is as old as 1970-01-01",
        ),
        (datetime(1970, 1, 9, tzinfo=UTC), "HEAD: no commit is as old as 1970-01-09"),
    ],
)
async def test_dates_of_every_kind_are_told_in_utc(
    opener: RepositoryOpener, project: Path, date: datetime, reason: str
) -> None:
    assert (await opener(str(project), date=date)).ref.reason == reason


async def test_a_version_of_a_report_cannot_break_the_line(
    opener: RepositoryOpener, project: Path
) -> None:
    tree = await opener(str(project), version="8\n" + "x" * 500)
    assert tree.ref.reason == f"HEAD: no tag matches the reported version 8 {'x' * 58}"


async def test_a_tag_that_names_no_commit_is_passed_over(
    opener: RepositoryOpener, project: Path
) -> None:
    git(project, "tag", "2.0.0", "HEAD:a.py")
    git(project, "tag", "-a", "-m", "annotated", "v2.0.0", "main~1")
    tree = await opener(str(project), version="2.0.0")
    assert tree.ref.commit == git(project, "rev-parse", "main~1")
    git(project, "tag", "3.0", "HEAD:a.py")
    assert (await opener(str(project), version="3.0")).ref.reason.startswith("HEAD: no tag")


@pytest.mark.parametrize("kind", ["worktree", "shared", "submodule", "git-directory"])
async def test_every_layout_of_a_repository(
    opener: RepositoryOpener, project: Path, tmp_path: Path, kind: str
) -> None:
    place = tmp_path / "place"
    if kind == "worktree":
        git(project, "worktree", "add", "--quiet", str(place))
    elif kind == "shared":
        git(tmp_path, "clone", "--quiet", "--shared", str(project), "place")
    elif kind == "submodule":
        commit(tmp_path / "outer", {"b.py": b"x\n"})
        allowed = ("-c", "protocol.file.allow=always")
        git(tmp_path / "outer", *allowed, "submodule", "add", "--quiet", str(project), "in")
        place = tmp_path / "outer" / "in"
    else:
        place = project / ".git"
    tree = await opener(str(place))
    assert tree.ref.commit == git(project, "rev-parse", "main")
    assert await tree.read("a.py") == b"one\ntwo\nthree\n"


async def test_a_repository_of_longer_ids(opener: RepositoryOpener, tmp_path: Path) -> None:
    (tmp_path / "long").mkdir()
    git(tmp_path / "long", "init", "--quiet", "--object-format=sha256")
    pinned = commit(tmp_path / "long", {"a.py": b"1\n"})
    tree = await opener(str(tmp_path / "long"))
    assert (len(pinned), tree.ref.commit, await tree.read("a.py")) == (64, pinned, b"1\n")
    assert [it.sha for it in await tree.blame("a.py", 1, 1)] == [pinned]


async def test_history_and_blame_end_at_the_pinned_commit(
    opener: RepositoryOpener, project: Path
) -> None:
    tree = await opener(str(project), commit="project-1.1.0")
    assert [it.subject for it in await tree.history(9)] == ["day 2", "day 1"]
    assert (await tree.history(9))[0].paths == ("a.py",)
    assert [it.subject for it in await tree.blame("a.py", 2, 2)] == ["day 2"]
    with pytest.raises(RepositoryError):
        await tree.blame("a.py", 3, 3)


async def test_a_shallow_clone_says_that_it_is_one(
    opener: RepositoryOpener, project: Path, tmp_path: Path
) -> None:
    git(tmp_path, "clone", "--quiet", "--depth", "1", f"file://{project}", "shallow")
    tree = await opener(str(tmp_path / "shallow"))
    assert await tree.history(9) == []  # its one commit seems to have made every file
    old = await opener(str(tmp_path / "shallow"), date=datetime(2026, 1, 1, 18, tzinfo=UTC))
    assert old.ref.reason == "HEAD: no commit of this shallow clone is as old as 2026-01-01"
    with pytest.raises(RepositoryError, match="unshallow"):
        await opener(str(tmp_path / "shallow"), commit=git(project, "rev-parse", "v1.0.0"))


async def test_a_submodule_is_listed_and_never_entered(
    opener: RepositoryOpener, project: Path, tmp_path: Path
) -> None:
    outer = tmp_path / "outer"
    commit(outer, {"b.py": b"x\n"})
    git(
        outer, "-c", "protocol.file.allow=always", "submodule", "add", "--quiet", str(project), "in"
    )
    commit(outer, {}, day=2)
    tree = await opener(str(outer))
    kinds = {entry.path: entry.kind for entry in await tree.entries()}
    assert kinds["in"] == "submodule"
    assert "in/a.py" not in kinds
    with pytest.raises(RepositoryError, match="submodule"):
        await tree.read("in")


async def test_a_missing_blob_is_named_and_the_rest_is_read(
    opener: RepositoryOpener, project: Path, tmp_path: Path
) -> None:
    git(project, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--bare", "--filter=blob:none", f"file://{project}", "partial")
    tree = await opener(str(tmp_path / "partial"))
    (entry,) = await tree.entries()
    assert entry.path == "a.py"
    assert [item async for item in tree.blobs([entry.blob])] == []
    with pytest.raises(RepositoryError, match="partial clone"):
        await tree.read("a.py")


async def test_names_that_are_no_utf8_and_odd_names(
    opener: RepositoryOpener, tmp_path: Path
) -> None:
    where = tmp_path / "odd"
    where.mkdir()
    (where / os.fsdecode(b"caf\xe9.py")).write_bytes(b"1\n")
    names = {"a\nb.py": b"2\n", 'q"uote.py': b"3\n", "README": b"4\n", "readme": b"5\n"}
    commit(where, names)
    tree = await opener(str(where))
    assert await tree.read("caf\udce9.py") == b"1\n"
    for name, data in names.items():
        assert await tree.read(name) == data


async def test_nothing_of_a_hostile_repository_is_run(
    opener: RepositoryOpener, project: Path, tmp_path: Path
) -> None:
    mark = tmp_path / "owned"
    program = tmp_path / "evil.sh"
    program.write_text(f"#!/bin/sh\ntouch {mark}\n")
    program.chmod(0o755)
    commit(project, {".gitattributes": b"*.py diff=evil filter=evil\n"}, day=4)
    for key in (
        "core.fsmonitor",
        "core.sshCommand",
        "core.pager",
        "core.editor",
        "core.askPass",
        "diff.evil.textconv",
        "diff.external",
        "filter.evil.smudge",
        "filter.evil.clean",
        "credential.helper",
        "uploadpack.packObjectsHook",
        "gpg.program",
    ):
        git(project, "config", key, str(program))
    git(project, "config", "log.showSignature", "true")
    for name in ("post-checkout", "pre-auto-gc", "reference-transaction", "post-index-change"):
        (project / ".git" / "hooks" / name).write_bytes(program.read_bytes())
        (project / ".git" / "hooks" / name).chmod(0o755)
    tree = await opener(str(project), version="1.0.0", date=datetime(2026, 1, 9, tzinfo=UTC))
    tree = await opener(str(project))
    assert await tree.read("a.py")
    assert await tree.history(9)
    assert await tree.blame("a.py", 1, 1)
    assert not mark.exists()


async def test_an_empty_repository_and_a_broken_one(
    opener: RepositoryOpener, tmp_path: Path
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    git(empty, "init", "--quiet")
    with pytest.raises(RepositoryError, match="no commit yet"):
        await opener(str(empty), version="1.0", date=datetime(2026, 1, 1, tzinfo=UTC))
    (empty / ".git" / "HEAD").write_text("garbage")
    with pytest.raises(RepositoryError, match="no git repository"):
        await opener(str(empty))


async def test_a_head_whose_commit_is_gone(opener: RepositoryOpener, project: Path) -> None:
    lost = git(project, "rev-parse", "HEAD")
    (project / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    with pytest.raises(RepositoryError, match=f"is at {lost[:12]}, which is missing there"):
        await opener(str(project))


async def test_without_git_the_program_is_named(
    opener: RepositoryOpener, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(MissingProgram, match="install git"):
        await opener(str(project))


async def test_reading_may_stop_half_way(opener: RepositoryOpener, project: Path) -> None:
    tree = await opener(str(project))
    (entry,) = await tree.entries()
    async for blob, _ in tree.blobs([entry.blob] * 1000):
        assert blob == entry.blob
        break
    await asyncio.sleep(0)
    assert await tree.read("a.py")


@pytest.mark.parametrize(
    ("tags", "version", "found"),
    [
        (["v1.2.3", "1.2.3", "pkg-1.2.3"], "1.2.3", ("1.2.3", "v1.2.3", "pkg-1.2.3")),
        (["release-1.2", "rel_1.3"], "1.3", ("rel_1.3",)),
        (["v1.2.3-rc.1", "v1.2.3"], "1.2.3", ("v1.2.3",)),
        (["v1.2.3-rc.1"], "1.2.3-rc.1", ("v1.2.3-rc.1",)),
        (["19.0.0-canary-x"], "19.0.0-canary-x", ("19.0.0-canary-x",)),
        (["v1"], "latest", ()),
        ([], "1", ()),
    ],
)
def test_tags_of_a_version(tags: list[str], version: str, found: tuple[str, ...]) -> None:
    assert matching_tags(tags, version) == found
