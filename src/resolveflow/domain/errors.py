"""Every error that ResolveFlow raises on purpose.

ResolveFlowError                 exit code 1
├── BadInput                     exit code 2: the caller can mend it
│   ├── InvalidReport            empty, binary, not what it claims to be
│   ├── InvalidReference         a link that is not an issue's
│   ├── UnknownCase              no case of that id
│   ├── UnknownName              a name that no entry point has
│   ├── InvalidSettings          a setting or a policy file that cannot be used
│   ├── InvalidPattern           a search expression that is none
│   └── RepositoryError          no repository, no such commit, no such file in it
├── Unavailable                  exit code 3: a service or a program is missing
│   ├── GitHubUnavailable        no connection, 5xx, rate limit longer than the allowed wait
│   │   └── OutcomeUnknown       a write was sent and no answer came: it may have happened
│   ├── RepositoryUnavailable    the host of a clone URL did not answer
│   ├── ModelUnavailable         the provider did not answer
│   ├── StoreUnavailable         the case database or its disk does not work
│   └── MissingProgram           a program that has to be installed
├── GitHubRefused                GitHub answered no: 401, 403, 404, 410, 422, a transfer
├── InvalidAnswer                a model's answer that failed its checks each time
├── CaseFailed                   a stage failed; the case keeps its last good state
├── CaseBusy                     another process is working on the case
├── StateLost                    a waiting case whose checkpoint is gone
└── Refused (PermissionError)    the write path said no
    ├── NotApproved              no approval, a wrong digest, the wrong principal
    ├── ApprovalExpired          granted, but not used in time
    ├── AlreadyDecided           the case was approved, rejected or posted before
    └── Superseded               the issue changed since it was read

A message says what happened, to what, and what to do about it, in one line.
"""


class ResolveFlowError(Exception):
    """The root of the tree; `exit_code` is what a command-line door returns for it."""

    exit_code = 1


class BadInput(ResolveFlowError):
    """What the caller gave cannot be used."""

    exit_code = 2


class InvalidReport(BadInput):
    """A report that is empty, binary or not what it claims to be."""


class InvalidReference(BadInput):
    """A link that does not name an issue."""


class UnknownCase(BadInput):
    """No case has that id."""


class UnknownName(BadInput):
    """A name that no registered entry point has."""


class InvalidSettings(BadInput):
    """A setting or a policy file that cannot be used."""


class InvalidPattern(BadInput):
    """A search expression that is not one."""


class RepositoryError(BadInput):
    """No repository there, no such commit, or no such file at that commit."""


class Unavailable(ResolveFlowError):
    """A service or a program that the work needs is not there."""

    exit_code = 3


class GitHubUnavailable(Unavailable):
    """GitHub could not be reached or asked for a longer wait than is allowed."""


class OutcomeUnknown(GitHubUnavailable):
    """A write was sent but not answered: look at GitHub before sending it again."""


class RepositoryUnavailable(Unavailable):
    """The host of a clone URL did not answer."""


class ModelUnavailable(Unavailable):
    """The model provider did not answer."""


class StoreUnavailable(Unavailable):
    """The case database, or the disk that it is on, does not work."""


class MissingProgram(Unavailable):
    """A program has to be installed first."""


class GitHubRefused(ResolveFlowError):
    """GitHub answered no; `status` is the HTTP status and `detail` its own message."""

    def __init__(self, message: str, *, status: int, detail: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.detail = detail


class InvalidAnswer(ResolveFlowError):
    """A model's answer failed its checks each time it was asked."""


class CaseFailed(ResolveFlowError):
    """A stage failed; the case keeps its last good state and can be resumed."""


class CaseBusy(ResolveFlowError):
    """Another process is working on the case right now."""


class StateLost(ResolveFlowError):
    """A waiting case has no checkpoint to go on from."""


class Refused(ResolveFlowError, PermissionError):
    """The write path refused to act."""


class NotApproved(Refused):
    """There is no approval by this person for these bytes."""


class ApprovalExpired(Refused):
    """The approval was granted but not used in time."""


class AlreadyDecided(Refused):
    """The case has been approved, rejected or posted before."""


class Superseded(Refused):
    """The issue is no longer what it was when it was read."""
