import pytest

from resolveflow.domain import github
from resolveflow.domain.errors import GitHubRefused, GitHubUnavailable, InvalidReference
from resolveflow.domain.report import IssueRef, Report
from resolveflow.steps.fetch_evidence import MAX_NAMED, fetch_evidence
from resolveflow.testing.github_standin import (
    CheckRun,
    Comment,
    Commit,
    Denied,
    Fault,
    Issue,
    Repository,
    World,
)
from resolveflow.testing.memory_github import MemoryReader

RED, GREEN, MAIN = "a1" * 20, "b2" * 20, "c3" * 20
REF = IssueRef(owner="acme", repo="widget", number=1)


def world(title: str = "It breaks", body: str | None = None) -> World:
    return World(
        repositories=[
            Repository(
                owner="acme",
                name="widget",
                issues=[
                    Issue(
                        number=1,
                        title=title,
                        body=body,
                        user="guest",
                        comments=[Comment(body="me too", user="other")],
                    ),
                    Issue(number=2, title="Mend it", user="mona", head=RED),
                    Issue(number=3, title="Another issue", user="mona"),
                ],
                commits={
                    RED: Commit(check_runs=[CheckRun(name="test", conclusion="failure")]),
                    GREEN: Commit(check_runs=[CheckRun(name="test")]),
                    MAIN: Commit(check_runs=[CheckRun(name="main", conclusion="failure")]),
                },
            ),
            Repository(
                owner="acme",
                name="attic",
                issues=[Issue(number=4, title="Answer here", user="mona")],
            ),
        ]
    )


async def test_an_issue_is_read_with_comments_and_repository() -> None:
    report = Report(kind="issue", source=str(REF), ref=REF, target=REF)
    fetched = await fetch_evidence(report, reader=MemoryReader(world(), None))
    assert fetched.issue is not None
    assert fetched.issue.title == "It breaks"
    assert [it.body for it in fetched.comments] == ["me too"]
    assert fetched.repository is not None
    assert fetched.repository.full_name == "acme/widget"
    assert (fetched.checks, fetched.target_issue, fetched.report) == ((), None, report)


@pytest.mark.parametrize(
    ("text", "checked"),
    [
        ("see #2", [RED]),
        ("(#2)", [RED]),
        ("broken by acme/widget#2", [RED]),
        ("https://github.com/ACME/widget/pull/2/files", [RED]),
        ("https://github.com/acme/widget/pull/2 and #2 and commit a1a1a1a1", [RED, "a1a1a1a1"]),
        (f"https://github.com/acme/widget/commit/{RED}", [RED]),
        (f"since commit {RED}", [RED]),
        (f"since Commit: `{GREEN[:7]}`", [GREEN[:7]]),
        (f"{GREEN[:6]} is short: commit {GREEN[:6]}", []),
        ("an issue: #3, a number that is none: #77, commit deadbee", []),
        ("elsewhere: acme/attic#2, https://github.com/acme/attic/pull/2", []),
        (f"https://github.com/acme/attic/commit/{RED}", []),
        (f"https://github.com/acme/widget/blob/{RED}/src/a.py#L1", []),
        ("color: #222; page.html#2 a/b/c#2 ##2", []),
        (f"a bare id {RED}", []),
        ("itself: #1", []),
    ],
)
async def test_checks_are_those_of_what_the_issue_names(text: str, checked: list[str]) -> None:
    report = Report(kind="issue", source=str(REF), ref=REF)
    for known in (world(title=text), world(body=text)):
        fetched = await fetch_evidence(report, reader=MemoryReader(known, None))
        assert [check.commit for check in fetched.checks] == checked


async def test_a_red_default_branch_is_never_looked_at() -> None:
    report = Report(kind="issue", source=str(REF), ref=REF)
    known = world(body="CI is red on main, see #2")
    fetched = await fetch_evidence(report, reader=MemoryReader(known, None))
    assert [check.name for check in fetched.checks] == ["test"]


class CountingReader(MemoryReader):
    lookups = 0

    async def pull_request(self, ref: IssueRef) -> github.PullRequest:
        self.lookups += 1
        return await super().pull_request(ref)


async def test_an_issue_cannot_make_us_look_up_without_end() -> None:
    report = Report(kind="issue", source=str(REF), ref=REF)
    text = " ".join(f"#{number}" for number in range(100, 5_000))
    reader = CountingReader(world(body=text), None)
    await fetch_evidence(report, reader=reader)
    assert reader.lookups == MAX_NAMED


class Forbidding(MemoryReader):
    async def pull_request(self, ref: IssueRef) -> github.PullRequest:
        raise GitHubRefused("no", status=403, detail="Resource not accessible")


async def test_checks_that_may_not_be_read_are_not_taken_for_none() -> None:
    report = Report(kind="issue", source=str(REF), ref=REF)
    with pytest.raises(GitHubRefused):
        await fetch_evidence(report, reader=Forbidding(world(body="#2"), None))


@pytest.mark.parametrize("field", ["ref", "target"])
async def test_a_pull_request_is_no_issue(field: str) -> None:
    pull = REF.model_copy(update={"number": 2})
    report = Report.model_validate({"kind": "issue", "source": str(pull), field: pull})
    with pytest.raises(InvalidReference, match="acme/widget#2 is a pull request"):
        await fetch_evidence(report, reader=MemoryReader(world(), None))


async def test_a_file_passes_through_without_github() -> None:
    class Unreachable(MemoryReader):
        async def issue(self, ref: IssueRef) -> github.Issue:
            raise Denied(500, f"{ref} was read")

    issue = github.Issue(title="From a file")
    report = Report(kind="issue", source="issue.json", issue=issue)
    fetched = await fetch_evidence(report, reader=Unreachable(world(), None))
    assert (fetched.issue, fetched.comments, fetched.target_issue) == (issue, (), None)


@pytest.mark.parametrize("ref", [None, REF])
async def test_the_issue_that_may_be_answered_is_read_too(ref: IssueRef | None) -> None:
    target = IssueRef(owner="acme", repo="attic", number=4)
    report = Report(kind="crash", source="crash.log", text="boom", ref=ref, target=target)
    fetched = await fetch_evidence(report, reader=MemoryReader(world(), None))
    assert fetched.target_issue is not None
    assert fetched.target_issue.title == "Answer here"
    assert (fetched.issue is None) == (ref is None)


@pytest.mark.parametrize(
    ("kind", "says"),
    [("issue", "give the report as a file"), ("crash", "without --issue the report is")],
)
async def test_without_github_it_says_what_can_be_done_without(kind: str, says: str) -> None:
    away = world()
    away.faults.append(Fault(kind="bad_gateway", method="GET", path="*", times=9))
    ref = REF if kind == "issue" else None
    report = Report.model_validate({"kind": kind, "source": "x", "ref": ref, "target": REF})
    with pytest.raises(GitHubUnavailable, match=says):
        await fetch_evidence(report, reader=MemoryReader(away, None))
