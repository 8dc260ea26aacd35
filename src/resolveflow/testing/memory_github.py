"""GitHub in memory: a reader and a writer on the stand-in's world, without HTTP."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from pydantic import SecretStr

from resolveflow.domain import github
from resolveflow.domain.errors import GitHubRefused, GitHubUnavailable, OutcomeUnknown
from resolveflow.domain.report import Check, IssueRef
from resolveflow.ports import OpenWriter
from resolveflow.testing.github_standin import World
from resolveflow.testing.github_standin.operations import (
    Call,
    Operation,
    Reply,
    get_check_runs,
    get_comments,
    get_issue,
    get_pull_request,
    get_repository,
    get_status,
    get_viewer,
    perform,
    post_comment,
    post_labels,
)
from resolveflow.testing.github_standin.world import Denied

_ADDRESS = "https://github.invalid"
_LIMITS = {"primary_limit", "secondary_limit"}


class _Account:
    """One token's view of a world."""

    def __init__(self, world: World, token: str | None) -> None:
        self._world = world
        self._token = token

    async def viewer(self) -> github.Account:
        """The account behind the token."""
        return github.Account.model_validate(self._read(get_viewer, "/user").content)

    async def issue(self, ref: IssueRef) -> github.Issue:
        """The issue as it is now."""
        return github.Issue.model_validate(self._read(get_issue, _path(ref), ref=ref).content)

    async def comments(self, ref: IssueRef) -> tuple[github.Comment, ...]:
        """All comments, the oldest first."""
        found: list[github.Comment] = []
        page = 1
        while True:
            query = {"per_page": "100", "page": str(page)}
            reply = self._read(get_comments, f"{_path(ref)}/comments", ref=ref, query=query)
            found += [github.Comment.model_validate(it) for it in _list(reply.content)]
            if 'rel="next"' not in reply.headers.get("link", ""):
                return tuple(found)
            page += 1

    def _read(
        self,
        operation: Operation,
        path: str,
        *,
        ref: IssueRef | None = None,
        query: dict[str, str] | None = None,
        names: dict[str, str] | None = None,
    ) -> Reply:
        if fault := self._world.take_fault("GET", path):
            raise GitHubUnavailable(f"{path} could not be read: {fault.kind}")
        return self._perform(operation, names or _names(ref), query=query)

    def _perform(
        self,
        operation: Operation,
        names: dict[str, str],
        *,
        query: dict[str, str] | None = None,
        body: object = None,
    ) -> Reply:
        try:
            actor = self._world.actor(self._token)
        except Denied as no:
            raise GitHubRefused(no.message, status=no.status, detail=no.message) from None
        call = Call(self._world, _ADDRESS, actor, names, query or {}, body)
        reply = perform(operation, call)
        if reply.status >= 300:
            content = reply.content if isinstance(reply.content, dict) else {}
            said = str(content.get("message", ""))
            where = f" to {content['url']}" if "url" in content else ""
            raise GitHubRefused(f"{said}{where}", status=reply.status, detail=said)
        return reply


class MemoryReader(_Account):
    """A GitHubReader."""

    async def repository(self, owner: str, repo: str) -> github.Repository:
        """The repository."""
        names = {"owner": owner, "repo": repo}
        reply = self._read(get_repository, f"/repos/{owner}/{repo}", names=names)
        return github.Repository.model_validate(reply.content)

    async def pull_request(self, ref: IssueRef) -> github.PullRequest:
        """The pull request; an issue of that number is refused with 404."""
        path = f"/repos/{ref.owner}/{ref.repo}/pulls/{ref.number}"
        reply = self._read(get_pull_request, path, ref=ref)
        return github.PullRequest.model_validate(reply.content)

    async def checks(self, owner: str, repo: str, commit: str) -> tuple[Check, ...]:
        """The check runs of a commit, then its statuses."""
        names = {"owner": owner, "repo": repo, "ref": commit}
        path = f"/repos/{owner}/{repo}/commits/{commit}"
        query = {"per_page": "100"}
        runs = self._read(get_check_runs, f"{path}/check-runs", names=names, query=query)
        statuses = self._read(get_status, f"{path}/status", names=names, query=query)
        return (*_checks(runs, "check_runs", commit), *_checks(statuses, "statuses", commit))


class MemoryWriter(_Account):
    """A GitHubWriter."""

    async def post_comment(self, ref: IssueRef, body: str) -> github.Comment:
        """Post a comment."""
        reply = self._write(post_comment, f"{_path(ref)}/comments", ref, {"body": body})
        return github.Comment.model_validate(reply.content)

    async def add_labels(self, ref: IssueRef, labels: Sequence[str]) -> None:
        """Add labels."""
        self._write(post_labels, f"{_path(ref)}/labels", ref, {"labels": list(labels)})

    def _write(self, operation: Operation, path: str, ref: IssueRef, body: object) -> Reply:
        fault = self._world.take_fault("POST", path)
        if fault is not None and fault.kind in _LIMITS:
            raise GitHubUnavailable(f"{path} was not accepted: {fault.kind}")
        if fault is None or fault.when == "after":
            reply = self._perform(operation, _names(ref), body=body)
        if fault is not None:
            raise OutcomeUnknown(f"{path} was sent, but the answer was lost: {fault.kind}")
        return reply


def memory_writers(world: World) -> OpenWriter:
    """Make an OpenWriter on a world."""

    @asynccontextmanager
    async def open_writer(token: SecretStr) -> AsyncIterator[MemoryWriter]:
        yield MemoryWriter(world, token.get_secret_value())

    return open_writer


def _names(ref: IssueRef | None) -> dict[str, str]:
    if ref is None:
        return {}
    return {"owner": ref.owner, "repo": ref.repo, "number": str(ref.number)}


def _path(ref: IssueRef) -> str:
    return f"/repos/{ref.owner}/{ref.repo}/issues/{ref.number}"


def _list(content: object) -> list[object]:
    return content if isinstance(content, list) else []


def _checks(reply: Reply, name: str, commit: str) -> list[Check]:
    content = reply.content if isinstance(reply.content, dict) else {}
    if name == "check_runs":
        runs = [github.CheckRun.model_validate(it) for it in _list(content[name])]
        return [
            Check(
                name=it.name, conclusion=it.conclusion or it.status, commit=commit, url=it.html_url
            )
            for it in runs
        ]
    statuses = [github.CommitStatus.model_validate(it) for it in _list(content[name])]
    return [
        Check(name=it.context, conclusion=it.state, commit=commit, url=it.target_url)
        for it in statuses
    ]
