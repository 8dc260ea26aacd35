"""The Protocols through which the core reaches the world, one capability each."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, Literal, Protocol, TypeVar

from pydantic import BaseModel, SecretStr

from resolveflow.domain import github
from resolveflow.domain.case import Case, Event, Status
from resolveflow.domain.code import Definition, Match
from resolveflow.domain.diagnosis import Investigation
from resolveflow.domain.exploration import (
    Budget,
    Exploration,
    Localization,
    ModelCall,
    Passage,
    Suspect,
)
from resolveflow.domain.proposal import Approval, ProposedAction, Resolution
from resolveflow.domain.report import Check, Fetched, IssueEvidence, IssueRef, Report, TreeRef
from resolveflow.domain.review import Review, Verification
from resolveflow.domain.triage import Triage
from resolveflow.domain.value import Value

Output = TypeVar("Output", bound=BaseModel)
T = TypeVar("T")
Row = (
    Fetched
    | IssueEvidence
    | Triage
    | Investigation
    | Verification
    | Review
    | ProposedAction
    | Resolution
)


class GitHubReader(Protocol):
    """Reads with one user's token; its transport refuses every method but GET and HEAD.

    Every method raises GitHubRefused or GitHubUnavailable.
    """

    async def viewer(self) -> github.Account: ...
    async def repository(self, owner: str, repo: str) -> github.Repository: ...
    async def issue(self, ref: IssueRef) -> github.Issue: ...
    async def comments(self, ref: IssueRef) -> tuple[github.Comment, ...]: ...
    async def pull_request(self, ref: IssueRef) -> github.PullRequest: ...
    async def checks(self, owner: str, repo: str, commit: str) -> tuple[Check, ...]: ...


class GitHubWriter(Protocol):
    """Acts as one person; only `steps.execute` is ever handed one."""

    async def viewer(self) -> github.Account: ...
    async def issue(self, ref: IssueRef) -> github.Issue: ...
    async def comments(self, ref: IssueRef) -> tuple[github.Comment, ...]: ...
    async def post_comment(self, ref: IssueRef, body: str) -> github.Comment: ...
    async def add_labels(self, ref: IssueRef, labels: Sequence[str]) -> None: ...


OpenWriter = Callable[[SecretStr], AbstractAsyncContextManager[GitHubWriter]]


class TokenVault(Protocol):
    """Keeps people's own tokens; `token` raises NotApproved where there is none for the account."""

    async def token(self, account_id: int) -> SecretStr: ...


@dataclass(frozen=True)
class Answer(Generic[T]):
    """A model's checked answer and what it cost."""

    value: T
    call: ModelCall


class Model(Protocol):
    """A language model behind a name such as `openai:gpt-4o-mini`.

    `check` returns a sentence that says what is wrong with an answer, or None. A wrong answer is
    handed back to the model with that sentence. Both methods raise ModelUnavailable; `structured`
    raises InvalidAnswer when every try failed its check. `prepare` contacts nothing and raises
    InvalidSettings or MissingProgram where the model could not even be asked.
    """

    @property
    def name(self) -> str: ...

    def prepare(self) -> None: ...
    async def text(self, purpose: str, instructions: str, prompt: str) -> Answer[str]: ...

    async def structured(
        self,
        purpose: str,
        instructions: str,
        prompt: str,
        output: type[Output],
        check: Callable[[Output], str | None],
    ) -> Answer[Output]: ...


class KnowledgeStore(Protocol):
    """The index of resolved issues."""

    async def search(self, text: str, k: int) -> tuple[Passage, ...]: ...


class Entry(Value):
    """A path of a tree; `blob` is the content's git object id, `size` its bytes.

    `path` is decoded with surrogateescape where the tree's name is not UTF-8. What is there but
    may not be read, or is no file, is `unreadable`.
    """

    path: str
    kind: Literal["file", "symlink", "submodule", "unreadable"]
    blob: str
    size: int


class Commit(Value):
    """A commit that is an ancestor of (or is) the pinned one."""

    sha: str
    time: datetime
    subject: str
    paths: tuple[str, ...] = ()


class Repository(Protocol):
    """A source tree pinned to a commit; reading it never executes anything from it.

    `entries` are sorted by path. Methods raise RepositoryError.
    """

    @property
    def ref(self) -> TreeRef: ...

    async def entries(self) -> Sequence[Entry]: ...
    async def read(self, path: str) -> bytes: ...
    def blobs(self, ids: Iterable[str]) -> AsyncIterator[tuple[str, bytes]]: ...
    async def history(self, limit: int) -> Sequence[Commit]: ...
    async def blame(self, path: str, start: int, end: int) -> Sequence[Commit]: ...


class OpenRepository(Protocol):
    """Pins a tree: by `commit`, else the tag of `version`, else the state at `date`, else HEAD.

    `location` is a working tree, a git directory, a clone URL or an sdist. Raises RepositoryError,
    MissingProgram.
    """

    async def __call__(
        self,
        location: str,
        *,
        commit: str | None = None,
        version: str | None = None,
        date: datetime | None = None,
    ) -> Repository: ...


class CodeIndex(Protocol):
    """Answers questions about a tree's source: what it is, and where a report's cause may be.

    `map` is the tree as text, in about `tokens` tokens, leaning to what a report is about.
    `search` gives lines in order of path, `definitions` those of a name as it is spelled. Methods
    raise RepositoryError; `search` raises InvalidPattern for an expression that is none or that
    takes too long.
    """

    async def localize(
        self, evidence: IssueEvidence, repository: Repository, limit: int
    ) -> Localization: ...
    async def map(self, repository: Repository, tokens: int, report: str = "") -> str: ...
    async def search(
        self, repository: Repository, pattern: str, limit: int, *, regex: bool = False
    ) -> tuple[Match, ...]: ...
    async def definitions(self, repository: Repository, name: str) -> tuple[Definition, ...]: ...


class Explorer(Protocol):
    """Investigates a tree and writes a markdown report in the grammar of `explore.report`."""

    async def explore(
        self,
        evidence: IssueEvidence,
        passages: Sequence[Passage],
        tree: Repository,
        suspects: Sequence[Suspect],
        budget: Budget,
    ) -> Exploration: ...


class CaseStore(Protocol):
    """The truth about every case. A full id or a unique prefix of it names a case (UnknownCase).

    `save` keeps the first row of a stage and ignores later ones, so that what was shown stays what
    is stored. `working` lets one process at a time advance a case and raises CaseBusy otherwise.
    `grant` needs a waiting case with that digest and leaves at most one live approval per case, and
    one that is live or was used per issue and route (NotApproved, AlreadyDecided). `claim` marks
    the approval as in use for as long as the context is held; an approval that a dead process had
    claimed may be claimed again, by nobody else (NotApproved, ApprovalExpired, AlreadyDecided,
    CaseBusy). `resolve` records the outcome and uses the approval up in one transaction; `void`
    makes it worthless instead.
    """

    async def create(self, report: Report) -> Case: ...
    async def case(self, case_id: str) -> Case: ...
    async def cases(self, statuses: Sequence[Status] | None = None) -> tuple[Case, ...]: ...
    async def history(self, case_id: str) -> tuple[Event, ...]: ...
    async def save(self, case_id: str, revision: int, stage: str, row: Row) -> None: ...
    async def set_status(self, case_id: str, status: Status, note: str | None = None) -> None: ...
    async def revise(self, case_id: str) -> Case: ...
    def working(self, case_id: str) -> AbstractAsyncContextManager[None]: ...
    async def grant(self, approval: Approval) -> None: ...
    async def reject(self, case_id: str, reason: str) -> Case: ...
    def claim(self, case_id: str, digest: str) -> AbstractAsyncContextManager[Approval]: ...
    async def void(self, case_id: str, digest: str, status: Status, reason: str) -> None: ...
    async def resolve(self, case_id: str, digest: str, resolution: Resolution) -> None: ...


# Hears of each stage that ended: its name, what it found, and whether it did what it is for (None
# where it had nothing to do it with).
Progress = Callable[[str, str, bool | None], Awaitable[None]]
