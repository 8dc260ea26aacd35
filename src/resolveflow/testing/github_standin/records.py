"""The stand-in's records: accounts, repositories, issues, checks and faults, as a seed has them."""

from datetime import UTC, datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Right = Literal["none", "read", "triage", "write", "admin"]
RIGHTS: tuple[Right, ...] = ("none", "read", "triage", "write", "admin")


class Record(BaseModel):
    """Can be edited, and refuses fields that it does not know."""

    model_config = ConfigDict(extra="forbid", validate_assignment=True)


def now() -> datetime:
    """The time in GitHub's resolution, whole seconds."""
    return datetime.now(UTC).replace(microsecond=0)


class Token(Record):
    """A credential: what kind it is and whether it may write."""

    value: str
    kind: Literal["classic", "fine-grained", "installation"] = "fine-grained"
    access: Literal["read", "write"] = "write"


class User(Record):
    """An account; the owners and authors that a seed names without listing are added."""

    login: str
    id: int = 0
    type: Literal["User", "Organization", "Bot"] = "User"
    tokens: list[Token] = []


class Comment(Record):
    """A comment of an issue."""

    body: str
    user: str
    id: int = 0
    created_at: datetime = Field(default_factory=now)


class Issue(Record):
    """An issue, or a pull request where `head` (a commit) is set."""

    number: int
    title: str
    user: str
    body: str | None = None
    id: int = 0
    state: Literal["open", "closed"] = "open"
    locked: bool = False
    labels: list[str] = []
    comments: list[Comment] = []
    created_at: datetime = Field(default_factory=now)
    updated_at: datetime = Field(default_factory=now)
    head: str | None = None
    deleted: bool = False
    moved_to: str | None = Field(default=None, description="OWNER/REPO#N after a transfer.")


class CheckRun(Record):
    """A check run of a commit."""

    name: str
    status: Literal["queued", "in_progress", "completed"] = "completed"
    conclusion: str | None = "success"
    id: int = 0


class CommitStatus(Record):
    """A commit status."""

    context: str
    state: Literal["success", "failure", "error", "pending"] = "success"
    description: str | None = None
    id: int = 0


class Commit(Record):
    """What was checked of a commit."""

    check_runs: list[CheckRun] = []
    statuses: list[CommitStatus] = []


class Repository(Record):
    """A repository; `rights` maps a login to its role, everyone may read a public one."""

    owner: str
    name: str
    id: int = 0
    private: bool = False
    archived: bool = False
    default_branch: str = "main"
    clone_url: str | None = None
    rights: dict[str, Right] = {}
    labels: list[str] = []
    issues: list[Issue] = []
    commits: dict[str, Commit] = {}
    former_names: list[str] = Field(default=[], description="OWNER/REPO that now redirect here.")
    created_at: datetime = Field(default_factory=now)

    @property
    def full_name(self) -> str:
        """OWNER/REPO."""
        return f"{self.owner}/{self.name}"

    def right(self, login: str | None) -> Right:
        """The role of an account here."""
        if login == self.owner:
            return "admin"
        return self.rights.get(login or "", "none" if self.private else "read")

    def allows(self, login: str | None, right: Right) -> bool:
        """Whether an account has at least that role."""
        return RIGHTS.index(self.right(login)) >= RIGHTS.index(right)


class Fault(Record):
    """What goes wrong with the next `times` requests of that method and path (a glob).

    `after` means that the request is carried out first. Limits are `status` 403 or 429;
    `retry_after` and `reset` (a Unix time) are sent as given.
    """

    kind: Literal["timeout", "cut", "bad_gateway", "primary_limit", "secondary_limit"]
    method: str = "POST"
    path: str = "*"
    when: Literal["before", "after"] = "before"
    times: int = 1
    status: int = 403
    retry_after: str | None = None
    reset: int | None = None


class Actor(Record):
    """Who asks: nobody, a user, or an app's installation."""

    login: str | None = None
    token: Token | None = None
