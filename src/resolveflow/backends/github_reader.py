"""Reading GitHub as one user, over a transport that cannot write."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import quote

import httpx
from pydantic import BaseModel, SecretStr, TypeAdapter

from resolveflow.backends.github_http import (
    Connection,
    Patience,
    open_client,
    parsed,
    repository_path,
)
from resolveflow.backends.github_reads import read_comments, read_issue, read_viewer
from resolveflow.backends.github_transport import (
    BearerTransport,
    ReadOnlyTransport,
    cache_path,
    cached,
)
from resolveflow.domain import github
from resolveflow.domain.report import Check, IssueRef


class _CheckRuns(BaseModel):
    check_runs: tuple[github.CheckRun, ...]


class _CombinedStatus(BaseModel):
    statuses: tuple[github.CommitStatus, ...]


_REPOSITORY = TypeAdapter(github.Repository)
_PULL_REQUEST = TypeAdapter(github.PullRequest)
_CHECK_RUNS = TypeAdapter(_CheckRuns)
_COMBINED_STATUS = TypeAdapter(_CombinedStatus)


class RestReader:
    """A GitHubReader over REST."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def viewer(self) -> github.Account:
        """The account behind the token."""
        return await read_viewer(self._connection)

    async def repository(self, owner: str, repo: str) -> github.Repository:
        """The repository."""
        what = f"the repository {owner}/{repo}"
        answer = await self._connection.get(repository_path(owner, repo), what=what)
        return parsed(_REPOSITORY, answer.body, what=what)

    async def issue(self, ref: IssueRef) -> github.Issue:
        """The issue, or the issue side of a pull request."""
        return await read_issue(self._connection, ref)

    async def comments(self, ref: IssueRef) -> tuple[github.Comment, ...]:
        """All comments, the oldest first."""
        return await read_comments(self._connection, ref)

    async def pull_request(self, ref: IssueRef) -> github.PullRequest:
        """The pull request; an issue of that number is refused with 404."""
        what = f"the pull request {ref}"
        path = f"{repository_path(ref.owner, ref.repo)}/pulls/{ref.number}"
        answer = await self._connection.get(path, what=what)
        return parsed(_PULL_REQUEST, answer.body, what=what)

    async def checks(self, owner: str, repo: str, commit: str) -> tuple[Check, ...]:
        """The check runs of a commit, then its statuses."""
        what = f"the checks of {owner}/{repo}@{commit}"
        path = f"{repository_path(owner, repo)}/commits/{quote(commit, safe='')}"
        runs = await self._connection.pages(
            f"{path}/check-runs",
            what=what,
            parse=lambda body: parsed(_CHECK_RUNS, body, what=what).check_runs,
        )
        statuses = await self._connection.pages(
            f"{path}/status",
            what=what,
            parse=lambda body: parsed(_COMBINED_STATUS, body, what=what).statuses,
        )
        return (
            *(
                Check(
                    name=run.name,
                    conclusion=run.conclusion or run.status,
                    commit=commit,
                    url=run.html_url,
                )
                for run in runs
            ),
            *(
                Check(name=it.context, conclusion=it.state, commit=commit, url=it.target_url)
                for it in statuses
            ),
        )


@asynccontextmanager
async def open_reader(
    token: SecretStr | None,
    *,
    api_url: str,
    home: Path,
    patience: Patience | None = None,
    timeout: float = 30.0,  # noqa: ASYNC109 - bounds each exchange, not this call
) -> AsyncIterator[RestReader]:
    """Open a reader with one user's token, or with none; answers are kept under `home`.

    The reader's methods raise GitHubRefused or GitHubUnavailable.
    """
    url = httpx.URL(api_url)
    inner = cached(BearerTransport(token, url), cache_path(home, token, url))
    async with open_client(ReadOnlyTransport(inner), url, timeout=timeout) as client:
        yield RestReader(Connection(client, patience=patience or Patience(), timeout=timeout))
