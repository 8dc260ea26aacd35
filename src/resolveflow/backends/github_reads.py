"""The reads that the reader and the writer share."""

from pydantic import TypeAdapter

from resolveflow.backends.github_http import Connection, parsed, repository_path
from resolveflow.domain import github
from resolveflow.domain.errors import GitHubUnavailable
from resolveflow.domain.report import IssueRef

_ACCOUNT = TypeAdapter(github.Account)
_ISSUE = TypeAdapter(github.Issue)
_COMMENTS = TypeAdapter(tuple[github.Comment, ...])


async def read_viewer(connection: Connection) -> github.Account:
    """The account behind the token."""
    what = "the token's account"
    answer = await connection.get("/user", what=what)
    return parsed(_ACCOUNT, answer.body, what=what)


async def read_issue(connection: Connection, ref: IssueRef) -> github.Issue:
    """The issue; its number has to be the one that was asked for."""
    answer = await connection.get(issue_path(ref), what=str(ref))
    issue = parsed(_ISSUE, answer.body, what=str(ref))
    if issue.number != ref.number:
        raise GitHubUnavailable(
            f"GitHub's answer for {ref} cannot be used: `number` is {issue.number}"
        )
    return issue


async def read_comments(connection: Connection, ref: IssueRef) -> tuple[github.Comment, ...]:
    """All comments, the oldest first."""
    what = f"the comments of {ref}"
    return await connection.pages(
        f"{issue_path(ref)}/comments",
        what=what,
        parse=lambda body: parsed(_COMMENTS, body, what=what),
    )


def issue_path(ref: IssueRef) -> str:
    """`/repos/OWNER/REPO/issues/N`."""
    return f"{repository_path(ref.owner, ref.repo)}/issues/{ref.number}"
