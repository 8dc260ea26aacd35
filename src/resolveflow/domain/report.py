"""What comes in: a report, and the evidence that is gathered about it."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from resolveflow.domain import github
from resolveflow.domain.crash import Crash
from resolveflow.domain.value import Value


class IssueRef(Value):
    """An issue by owner, repository and number; never a URL that would be fetched."""

    owner: str
    repo: str
    number: int

    def __str__(self) -> str:
        return f"{self.owner}/{self.repo}#{self.number}"


class Report(Value):
    """What the caller handed in, before anything was read or fetched.

    `ref` is the issue to read, `target` the issue that may be answered (usually the same);
    `text` is the report's own text where it came as a file; `issue` a parsed issue file.
    """

    kind: Literal["issue", "crash", "review"]
    source: str
    ref: IssueRef | None = None
    target: IssueRef | None = None
    text: str | None = None
    issue: github.Issue | None = None
    repository: str | None = None
    commit: str | None = None


class Check(Value):
    """A check run or a commit status of a commit that the issue names."""

    name: str
    conclusion: str
    commit: str
    url: str | None = None

    @property
    def failed(self) -> bool:
        """Whether it ended badly (a pending or skipped check did not)."""
        return self.conclusion in {"failure", "error", "timed_out", "startup_failure"}


class Fetched(Value):
    """What the sources said, validated but not interpreted.

    `target_issue` is the issue that may be answered where it is not the report itself.
    """

    report: Report
    issue: github.Issue | None = None
    comments: tuple[github.Comment, ...] = ()
    checks: tuple[Check, ...] = ()
    repository: github.Repository | None = None
    target_issue: github.Issue | None = None


class TreeRef(Value):
    """The source tree that was read: where, at which commit, and why that one.

    `commit` is a full object id for git, a content digest (`sha256:…`) for a directory or sdist.
    `gaps` says what one may expect in it that is not there, such as changes nobody committed.
    """

    location: str
    kind: Literal["git", "directory", "sdist"]
    commit: str
    reason: str
    gaps: tuple[str, ...] = ()

    @property
    def short(self) -> str:
        """The commit as people are shown it: 12 digits, after `sha256:` where it is a digest."""
        kind, colon, digits = self.commit.rpartition(":")
        return f"{kind}{colon}{digits[:12]}"


class FrameFile(Value):
    """A crash frame that resolves to files of the tree: several paths mean it is ambiguous."""

    crash: int
    frame: int
    paths: tuple[str, ...]
    line: int | None = None


class IssueEvidence(Value):
    """The report as every later stage sees it.

    `crashes` are in order of appearance; `frame_files` and `named_paths` are what resolved in
    `tree`; `environment` maps a name (`python`, `tabulate`, `os`) to its reported version;
    `content_hash` is SHA-256 over title, body, state and lock (`issue_hash`), hexadecimal.
    """

    source: str
    target: IssueRef | None
    title: str
    body: str
    state: Literal["open", "closed"] = "open"
    locked: bool = False
    author: github.Account | None = None
    author_association: str = "NONE"
    created_at: datetime | None = None
    labels: tuple[str, ...] = ()
    comments: tuple[github.Comment, ...] = ()
    checks: tuple[Check, ...] = ()
    crashes: tuple[Crash, ...] = ()
    environment: dict[str, str] = Field(default_factory=dict)
    tree: TreeRef | None = None
    tree_problem: str | None = None
    frame_files: tuple[FrameFile, ...] = ()
    named_paths: tuple[str, ...] = ()
    content_hash: str
