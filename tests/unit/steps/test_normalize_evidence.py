"""From fetched payloads to evidence: parsed, pinned, resolved."""

from datetime import UTC, datetime
from typing import Any

import pytest

from resolveflow.domain.errors import InvalidReport, RepositoryError, RepositoryUnavailable
from resolveflow.domain.github import Account, Comment, Issue, Label, Repository
from resolveflow.domain.proposal import issue_hash
from resolveflow.domain.report import Fetched, IssueRef, Report
from resolveflow.steps.normalize_evidence import normalize_evidence
from resolveflow.testing.memory_repository import MemoryRepository

TRACE = (
    "Traceback (most recent call last):\r\n"
    '  File "/srv/venv/lib/python3.11/site-packages/pkg/core.py", line 2, in go\r\n'
    "    raise ValueError(1)\r\n"
    "ValueError: 1\r\n"
)
REF = IssueRef(owner="o", repo="pkg", number=1)
REPORT = Report(kind="issue", source="o/pkg#1", ref=REF, target=REF)
TREE = MemoryRepository({"pkg/core.py": b"def go():\n    raise ValueError(1)\n"})


class Opener:
    """Opens one tree, or fails as told; keeps what it was asked for."""

    def __init__(self, problem: Exception | None = None) -> None:
        self.asked: dict[str, Any] = {}
        self.problem = problem

    async def __call__(self, location: str, **wanted: Any) -> MemoryRepository:
        self.asked = {"location": location, **wanted}
        if self.problem:
            raise self.problem
        return TREE


def fetched(**changes: Any) -> Fetched:
    issue = Issue(
        title="It\r\nbroke",
        body=f"pkg 1.2.3\r\n{TRACE}see pkg/core.py",
        user=Account(id=1, login="rita"),
        labels=(Label(name="bug"), "p1"),
        created_at=datetime(2026, 1, 2, tzinfo=UTC),
    )
    values = {
        "report": REPORT,
        "issue": issue,
        "repository": Repository(full_name="o/pkg", clone_url="https://host/o/pkg.git"),
    }
    return Fetched.model_validate({**values, **changes})


async def test_an_issue_becomes_evidence() -> None:
    opener = Opener()
    given = fetched()
    evidence = await normalize_evidence(given, open_repository=opener)
    assert "\r" not in evidence.title + evidence.body
    assert evidence.labels == ("bug", "p1")
    assert evidence.environment["pkg"] == "1.2.3"
    assert [crash.type for crash in evidence.crashes] == ["ValueError"]
    assert [(it.frame, it.paths, it.line) for it in evidence.frame_files] == [
        (0, ("pkg/core.py",), 2)
    ]
    assert evidence.named_paths == ("pkg/core.py",)
    assert evidence.tree == TREE.ref
    assert opener.asked == {
        "location": "https://host/o/pkg.git",
        "commit": None,
        "version": "1.2.3",
        "date": datetime(2026, 1, 2, tzinfo=UTC),
    }
    assert given.issue is not None
    raw = issue_hash(given.issue.title, given.issue.body, "open", locked=False)
    assert evidence.content_hash == raw


async def test_the_authors_comments_are_read_for_crashes_and_nobody_elses() -> None:
    rita, eve = Account(id=1, login="rita"), Account(id=2, login="eve")
    comments = (Comment(id=1, user=rita, body=TRACE), Comment(id=2, user=eve, body=TRACE))
    issue = Issue(title="It broke", user=rita)
    evidence = await normalize_evidence(
        fetched(issue=issue, comments=comments), open_repository=Opener()
    )
    assert len(evidence.crashes) == 1


async def test_a_crash_log_takes_its_title_from_the_crash() -> None:
    report = Report(kind="crash", source="x.log", text=TRACE, repository="pkg-1.2.3.tar.gz")
    opener = Opener()
    evidence = await normalize_evidence(Fetched(report=report), open_repository=opener)
    assert (evidence.title, evidence.target) == ("ValueError: 1", None)
    assert opener.asked["location"] == "pkg-1.2.3.tar.gz"


async def test_a_stack_without_a_headline_names_nothing() -> None:
    text = 'It stops here:\n  File "pkg/core.py", line 2, in go\n    raise\n'
    given = Fetched(report=Report(kind="crash", source="log", text=text))
    evidence = await normalize_evidence(given, open_repository=Opener())
    assert evidence.title == "It stops here:"
    assert [frame.line for frame in evidence.crashes[0].frames] == [2]


async def test_plain_text_takes_its_first_line() -> None:
    report = Report(kind="crash", source="x.txt", text="\n  it broke \nbadly")
    evidence = await normalize_evidence(Fetched(report=report), open_repository=Opener())
    assert evidence.title == "it broke"
    assert evidence.tree is None
    assert evidence.tree_problem is not None
    assert "--repo" in evidence.tree_problem


async def test_the_answered_issue_is_what_an_approval_binds_to() -> None:
    target = Issue(title="Other", body="text", state="closed")
    report = Report(kind="crash", source="x.log", text=TRACE, target=REF)
    evidence = await normalize_evidence(
        Fetched(report=report, target_issue=target), open_repository=Opener()
    )
    assert evidence.content_hash == issue_hash("Other", "text", "closed", locked=False)


@pytest.mark.parametrize("kind", [RepositoryError, RepositoryUnavailable])
async def test_a_clone_that_fails_is_noted_and_a_named_repository_that_fails_is_an_error(
    kind: type[Exception],
) -> None:
    opener = Opener(kind("gone"))
    evidence = await normalize_evidence(fetched(), open_repository=opener)
    assert (evidence.tree, evidence.tree_problem) == (None, "gone")
    named = REPORT.model_copy(update={"repository": "/srv/pkg"})
    with pytest.raises(kind):
        await normalize_evidence(fetched(report=named), open_repository=opener)


async def test_a_report_without_words_is_refused() -> None:
    with pytest.raises(InvalidReport, match="neither"):
        await normalize_evidence(
            fetched(issue=Issue(title=" ", body=None)), open_repository=Opener()
        )
