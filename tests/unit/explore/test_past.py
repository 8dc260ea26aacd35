"""Commits are told as information: who touched the lines, what touched the file before."""

import itertools
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from resolveflow.backends.repository_open import RepositoryOpener
from resolveflow.domain.errors import RepositoryError
from resolveflow.domain.report import TreeRef
from resolveflow.explore.account import Account
from resolveflow.explore.past import MOST_COMMITS, past_of
from resolveflow.explore.sources import Source
from resolveflow.explore.trail import Step
from resolveflow.ports import Commit
from resolveflow.testing.memory_repository import MemoryRepository
from tests.git_trees import commit as commit_tree
from tests.unit.explore.trees import CELLS, number_of, tree

LINES = tuple(CELLS.splitlines())
FILES = {"pkg/cells.py": CELLS}
LINE = number_of(CELLS, "caster(cell)[:width]")
START = number_of(CELLS, "def wrap_cells")
END = number_of(CELLS, "return wrapped")


def account(line: int = LINE, caller: Step | None = None) -> Account:
    return Account("shown", "x", (), Source("pkg/cells.py", LINES), line, caller)


def change(day: int, subject: str, *paths: str) -> Commit:
    time = datetime(2026, 1, day, tzinfo=UTC)
    return Commit(sha=f"{day:02}" * 20, time=time, subject=subject, paths=paths)


def blamed(**days: int) -> dict[str, list[Commit]]:
    """The whole file by the first of the month, save some lines of `wrap_cells`."""
    commits = [change(1, "Import")] * len(LINES)
    for name, day in days.items():
        commits[int(name.removeprefix("line")) - 1] = change(day, f"Day {day}")
    return {"pkg/cells.py": commits}


async def test_the_own_line_comes_first_then_the_newest_of_its_function() -> None:
    days = {f"line{LINE}": 3, f"line{START}": 5, f"line{START + 1}": 4, f"line{END}": 2}
    past = await past_of(account(), "", tree(FILES, blamed=blamed(**days)))
    [finding] = past.findings
    assert finding.claim.splitlines() == [
        f"The last commits that touched pkg/cells.py:{LINE} in `wrap_cells`, which are no cause by "
        "themselves:",
        f"line {LINE}: 030303030303 of 2026-01-03: Day 3",
        f"lines {START}-{END}: 050505050505 of 2026-01-05: Day 5",
        f"lines {START}-{END}: 040404040404 of 2026-01-04: Day 4",
    ]
    assert finding.supports == ()
    assert past.last == "030303030303 of 2026-01-03: Day 3"


async def test_the_caller_that_may_be_to_blame_has_a_past_of_its_own() -> None:
    call = number_of(CELLS, "yield")
    source = Source("pkg/cells.py", LINES)
    caller = Step(source, call, source.function_at(call), None, 1, "shown")  # type: ignore[arg-type]
    past = await past_of(account(caller=caller), "", tree(FILES, blamed=blamed()))
    assert [
        f"pkg/cells.py:{line} in" in one.claim
        for line, one in zip((LINE, call), past.findings, strict=True)
    ] == [
        True,
        True,
    ]


async def test_commits_of_the_file_with_rare_words_of_the_report_touched_it_before() -> None:
    alike = change(9, "Wrap empty rows without a crash", "pkg/cells.py")
    rarer = change(8, "Empty rows: keep the widths of wrapped columns", "pkg/cells.py")
    others = [
        change(7, "Wrap empty rows elsewhere", "pkg/formats.py"),
        change(6, "Sort rows", "pkg/cells.py"),
        change(5, "Cells", "pkg/cells.py"),
    ]
    report = "Empty rows crash: the wrapped columns have no widths, cells pkg"
    past = await past_of(account(), report, tree(FILES, commits=[alike, rarer, *others]))
    [finding] = past.findings
    assert finding.claim.splitlines() == [
        "Touched pkg/cells.py before, in rare words of the report:",
        "080808080808 of 2026-01-08: Empty rows: keep the widths of wrapped columns "
        "(shared: columns, widths, wrapped)",
    ]
    assert finding.supports == ()


async def test_a_word_of_many_subjects_says_nothing() -> None:
    often = [change(day, f"Empty rows {day}", "pkg/cells.py") for day in range(1, 4)]
    assert not (await past_of(account(), "empty rows", tree(FILES, commits=often))).findings
    seldom = [*often[:2], change(3, "Other things", "pkg/cells.py")]
    [finding] = (await past_of(account(), "empty rows", tree(FILES, commits=seldom))).findings
    assert len(finding.claim.splitlines()) == 3


async def test_a_word_of_the_path_is_of_every_commit_of_the_file() -> None:
    commits = [change(2, "Draw cells with Cell and Pkg", "pkg/cells.py")]
    assert not (await past_of(account(), "cell pkg cells", tree(FILES, commits=commits))).findings


async def test_no_more_than_a_few_commits_are_told() -> None:
    words = ["apple", "banana", "cherry", "damson", "elder"]
    commits = [
        change(n, f"{a} {b}", "pkg/cells.py")
        for n, (a, b) in enumerate(itertools.pairwise(words), 1)
    ]
    [finding] = (await past_of(account(), " ".join(words), tree(FILES, commits=commits))).findings
    assert len(finding.claim.splitlines()) == 1 + MOST_COMMITS


@pytest.mark.parametrize("kind", ["sdist", "directory"])
async def test_a_tree_without_history_is_said_to_have_none(kind: str) -> None:
    ref = TreeRef.model_validate({"location": "x", "kind": kind, "commit": "0", "reason": "x"})
    past = await past_of(account(), "", tree(FILES, ref=ref))
    article = {"sdist": "an", "directory": "a"}[kind]
    assert (past.findings, past.last) == ((), None)
    assert past.unseen == (f"Who last touched these lines: {article} {kind} has no history",)


class _Broken(MemoryRepository):
    async def history(self, limit: int) -> Sequence[Commit]:
        raise RepositoryError("git cannot read it: an object is missing.")


async def test_a_history_that_cannot_be_read_is_said_to_be_unread() -> None:
    files = {path: text.encode() for path, text in FILES.items()}
    past = await past_of(account(), "", _Broken(files, blamed=blamed()))
    assert len(past.findings) == 1
    assert past.last == "010101010101 of 2026-01-01: Import"
    assert past.unseen == (
        "The history of pkg/cells.py: git cannot read it: an object is missing.",
    )


async def test_nothing_later_than_the_pinned_commit_is_told(tmp_path: Path) -> None:
    project = tmp_path / "project"
    commit_tree(project, {"pkg/cells.py": CELLS.replace("None", "Nil").encode()}, day=1)
    base = commit_tree(project, {"pkg/cells.py": CELLS.encode()}, day=2)
    fix = commit_tree(project, {"pkg/cells.py": CELLS.upper().encode()}, day=3)
    repository = await RepositoryOpener(tmp_path / "home")(str(project), commit=base)
    line = number_of(CELLS, "if cell is None")
    [finding] = (await past_of(account(line), "day rows", repository)).findings
    assert f"line {line}: {base[:12]} of 2026-01-02: day 2" in finding.claim
    assert fix[:12] not in finding.claim
