"""The part of GitHub's REST shapes that ResolveFlow reads.

Unknown fields are tolerated, since GitHub adds them at any time; a missing required field is an
error that names it.
"""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict


class _Payload(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Account(_Payload):
    """A user, an organisation or a bot; `id` stays when the login is renamed."""

    id: int
    login: str
    type: str = "User"


class Label(_Payload):
    """A label by name."""

    name: str


class Issue(_Payload):
    """`GET /repos/{owner}/{repo}/issues/{number}`; a file needs no more than title and body."""

    title: str
    body: str | None = None
    number: int | None = None
    html_url: str | None = None
    state: Literal["open", "closed"] = "open"
    locked: bool = False
    user: Account | None = None
    author_association: str = "NONE"
    labels: tuple[Label | str, ...] = ()
    created_at: datetime | None = None
    pull_request: dict[str, object] | None = None


class Comment(_Payload):
    """One element of `GET /repos/{owner}/{repo}/issues/{number}/comments`."""

    id: int
    body: str | None = None
    user: Account | None = None
    author_association: str = "NONE"
    created_at: datetime | None = None
    html_url: str | None = None


class CheckRun(_Payload):
    """One element of `GET /repos/{owner}/{repo}/commits/{ref}/check-runs`."""

    name: str
    status: str = "completed"
    conclusion: str | None = None
    html_url: str | None = None


class CommitStatus(_Payload):
    """One element of the statuses of `GET /repos/{owner}/{repo}/commits/{ref}/status`."""

    context: str
    state: str
    description: str | None = None
    target_url: str | None = None


class PullHead(_Payload):
    """The head of a pull request."""

    sha: str


class PullRequest(_Payload):
    """`GET /repos/{owner}/{repo}/pulls/{number}`."""

    number: int
    head: PullHead
    merged: bool = False
    merge_commit_sha: str | None = None


class Repository(_Payload):
    """`GET /repos/{owner}/{repo}`."""

    full_name: str
    default_branch: str = "main"
    clone_url: str | None = None
    archived: bool = False
