"""Read what the report points at: the issue, its comments, and the checks of what it names."""

import re

from resolveflow.domain import github
from resolveflow.domain.errors import GitHubRefused, GitHubUnavailable, InvalidReference
from resolveflow.domain.report import Check, Fetched, IssueRef, Report
from resolveflow.ports import GitHubReader

MAX_NAMED = 5  # pull requests and commits that one issue can make us look up
MAX_TEXT = 100_000  # characters that are searched for them; GitHub allows 65,536 in a body
_OFFLINE = (
    "GitHub is needed to read an issue: without it, give the report as a file (its text, or the "
    "issue's JSON)"
)
_TARGET_OFFLINE = (
    "GitHub is needed to read the issue that may be answered: without --issue the report is "
    "investigated all the same, and nothing is proposed"
)
_ABSENT = {404, 410, 422}  # GitHub has no such pull request or commit

_NAMED = re.compile(
    r"https?://[A-Za-z0-9.:-]+/(?P<link>[A-Za-z0-9_-]+/[A-Za-z0-9._-]+)"
    r"/(?:pull/(?P<link_pull>[1-9][0-9]{0,9})|commit/(?P<link_sha>[0-9a-f]{7,64})\b)"
    r"|(?<![\w./#-])(?P<short>[A-Za-z0-9_-]+/[A-Za-z0-9._-]+)?#(?P<pull>[1-9][0-9]{0,9})\b"
    r"|\bcommit[\s:`]{1,3}(?P<sha>[0-9a-f]{7,64})\b",
    re.ASCII | re.IGNORECASE,
)


async def fetch_evidence(report: Report, *, reader: GitHubReader) -> Fetched:
    """Read the report's issue, and the issue that may be answered where that is another one.

    Checks are those of pull requests and commits of the same repository that title or body name,
    never those of the default branch. A report that came as a file passes through.

    Raises:
        InvalidReference: a pull request where an issue is needed.
        GitHubRefused: no such issue, or it may not be read.
        GitHubUnavailable: GitHub did not answer.
    """
    if report.ref is None:
        target = await _issue(report.target, reader, _TARGET_OFFLINE) if report.target else None
        return Fetched(report=report, issue=report.issue, target_issue=target)
    issue = await _issue(report.ref, reader)
    other = report.target if report.target != report.ref else None
    return Fetched(
        report=report,
        issue=issue,
        comments=await reader.comments(report.ref),
        checks=await _checks(report.ref, issue, reader),
        repository=await reader.repository(report.ref.owner, report.ref.repo),
        target_issue=await _issue(other, reader) if other else None,
    )


async def _issue(ref: IssueRef, reader: GitHubReader, offline: str = _OFFLINE) -> github.Issue:
    try:
        issue = await reader.issue(ref)
    except GitHubUnavailable as error:
        raise GitHubUnavailable(f"{error}. {offline}") from None
    if issue.pull_request is not None:
        raise InvalidReference(f"{ref} is a pull request: give the issue's link")
    return issue


async def _checks(ref: IssueRef, issue: github.Issue, reader: GitHubReader) -> tuple[Check, ...]:
    found: dict[str, tuple[Check, ...]] = {}
    for name in _named(ref, f"{issue.title}\n{issue.body or ''}"[:MAX_TEXT]):
        try:
            commit = await _head(ref, name, reader) if isinstance(name, int) else name
            if commit not in found:
                found[commit] = await reader.checks(ref.owner, ref.repo, commit)
        except GitHubRefused as error:
            if error.status not in _ABSENT:
                raise
    return tuple(check for checks in found.values() for check in checks)


async def _head(ref: IssueRef, number: int, reader: GitHubReader) -> str:
    pull = await reader.pull_request(ref.model_copy(update={"number": number}))
    return pull.head.sha


def _named(ref: IssueRef, text: str) -> tuple[int | str, ...]:
    """Pull requests by number and commits by id, in the order in which they are named."""
    here = f"{ref.owner}/{ref.repo}".lower()
    named: dict[int | str, None] = {}
    for match in _NAMED.finditer(text):
        if (match["link"] or match["short"] or here).lower() != here:
            continue
        number = match["link_pull"] or match["pull"]
        sha = match["link_sha"] or match["sha"]
        name = int(number) if number else sha.lower()
        if name != ref.number:
            named[name] = None
        if len(named) == MAX_NAMED:
            break
    return tuple(named)
