"""A case: one report and everything that was found out about it."""

from datetime import datetime
from typing import Literal

from resolveflow.domain.diagnosis import Investigation
from resolveflow.domain.proposal import Approval, ProposedAction, Resolution
from resolveflow.domain.report import Fetched, IssueEvidence, Report
from resolveflow.domain.review import Review, Verification
from resolveflow.domain.triage import Triage
from resolveflow.domain.value import Value

Status = Literal[
    "running",
    "awaiting_approval",
    "human_review",
    "failed",
    "rejected",
    "expired",
    "superseded",
    "posted",
    "partial",
    "refused",
]

# Nothing more happens to these without a new report.
FINAL: frozenset[Status] = frozenset({"rejected", "posted", "partial"})


class Case(Value):
    """One report's life. Each stage fills its own field; None means that it has not run.

    `revision` counts from 1 and grows when the case is investigated anew because its issue
    changed; the fields are those of the newest revision. `note` is the reason of the status.
    """

    id: str
    revision: int
    status: Status
    note: str | None = None
    created_at: datetime
    updated_at: datetime
    report: Report
    fetched: Fetched | None = None
    evidence: IssueEvidence | None = None
    triage: Triage | None = None
    investigation: Investigation | None = None
    verification: Verification | None = None
    review: Review | None = None
    proposed_action: ProposedAction | None = None
    approval: Approval | None = None
    resolution: Resolution | None = None


class Event(Value):
    """One line of a case's history."""

    at: datetime
    what: str
    detail: str = ""
