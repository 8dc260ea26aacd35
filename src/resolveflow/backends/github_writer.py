"""Writing to GitHub as one person: handed to `execute` and to nobody else.

No module may import this one: bootstrap loads it by its entry-point name.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import httpx
from pydantic import SecretStr, TypeAdapter

from resolveflow.backends.github_http import Connection, Patience, open_client, parsed
from resolveflow.backends.github_reads import issue_path, read_comments, read_issue, read_viewer
from resolveflow.backends.github_transport import BearerTransport
from resolveflow.domain import github
from resolveflow.domain.errors import GitHubUnavailable, OutcomeUnknown
from resolveflow.domain.report import IssueRef
from resolveflow.ports import OpenWriter

_COMMENT = TypeAdapter(github.Comment)


class RestWriter:
    """A GitHubWriter over REST; it sends every write once and keeps no answer."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def viewer(self) -> github.Account:
        """The account behind the token."""
        return await read_viewer(self._connection)

    async def issue(self, ref: IssueRef) -> github.Issue:
        """The issue as it is now."""
        return await read_issue(self._connection, ref)

    async def comments(self, ref: IssueRef) -> tuple[github.Comment, ...]:
        """All comments as they are now, the oldest first."""
        return await read_comments(self._connection, ref)

    async def post_comment(self, ref: IssueRef, body: str) -> github.Comment:
        """Post exactly this body, once.

        Raises:
            GitHubRefused: GitHub said no; nothing was posted.
            OutcomeUnknown: it was sent, but may or may not be there: look before trying again.
            GitHubUnavailable: no connection or a rate limit; nothing was posted.
        """
        what = f"the comment on {ref}"
        answer = await self._connection.post(
            f"{issue_path(ref)}/comments", {"body": body}, what=what
        )
        try:
            return parsed(_COMMENT, answer.body, what=what)
        except GitHubUnavailable as error:
            raise OutcomeUnknown(str(error)) from None

    async def add_labels(self, ref: IssueRef, labels: Sequence[str]) -> None:
        """Add labels to those that the issue has; `detail` of a refusal is GitHub's message."""
        what = f"the labels on {ref}"
        await self._connection.post(
            f"{issue_path(ref)}/labels", {"labels": list(labels)}, what=what
        )


def make_open_writer(
    api_url: str, *, patience: Patience | None = None, timeout: float = 30.0
) -> OpenWriter:
    """Bind the GitHub that is written to; each writer then acts with one person's token."""
    url = httpx.URL(api_url)

    @asynccontextmanager
    async def open_writer(token: SecretStr) -> AsyncIterator[RestWriter]:
        async with open_client(BearerTransport(token, url), url, timeout=timeout) as client:
            yield RestWriter(Connection(client, patience=patience or Patience(), timeout=timeout))

    return open_writer
