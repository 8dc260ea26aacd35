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


def summary(case: Case, stage: str) -> str:
    """Tell in one line what a stage found; empty where it left nothing."""
    lines = {
        "fetch_evidence": _fetched(case.fetched),
        "normalize_evidence": _evidence(case.evidence),
        "classify": _triage(case.triage),
        "generate_diagnosis": _investigation(case.investigation),
        "verify_diagnosis": case.verification.reason if case.verification else "",
        "independent_review": _review(case.review),
        "draft_proposal": f"digest {case.proposed_action.digest}" if case.proposed_action else "",
        "execute": case.resolution.detail if case.resolution else case.note or "",
    }
    return lines.get(stage, "")


def already_answered(case: Case, other: Case) -> str:
    """Say why a second comment of the same kind on an issue is refused."""
    target = other.proposed_action.target if other.proposed_action else "the issue"
    became = other.status if other.status in FINAL else "approved"
    return (
        f"case {other.id} has already been {became} for {target}: a second comment of its kind is "
        f'not posted; close this one with `resolveflow reject {case.id} --reason "a duplicate"`'
    )


def did(case: Case, stage: str) -> bool | None:
    """Whether a stage that ended did what it is for: None where it had nothing to do it with."""
    if stage == "verify_diagnosis" and case.verification:
        return True if case.verification.reproduced is not None else None
    if stage == "execute":
        return case.resolution is not None and case.resolution.outcome != "refused"
    return True


def _fetched(fetched: Fetched | None) -> str:
    if fetched is None:
        return ""
    return f"{len(fetched.comments)} comments, {len(fetched.checks)} checks"


def _evidence(evidence: IssueEvidence | None) -> str:
    if evidence is None:
        return ""
    crash = evidence.crashes[0] if evidence.crashes else None
    found = f"{crash.type} with {len(crash.frames)} frames" if crash else "no crash"
    tree = evidence.tree
    where = f"{tree.short}, {tree.reason}" if tree else evidence.tree_problem or "no tree"
    return f"{found}; {where}"


def _triage(triage: Triage | None) -> str:
    return f"{triage.kind} → {triage.route}: {triage.reason}" if triage else ""


def _investigation(investigation: Investigation | None) -> str:
    if investigation is None or investigation.diagnosis is None:
        return investigation.abstained or "" if investigation else ""
    return investigation.diagnosis.root_cause


def _review(review: Review | None) -> str:
    if review is None:
        return ""
    shut = [name for name, gate in review.gates.items() if gate.ok is not True]
    if review.outcome == "approve":
        return "the gates let it through"
    return f"for a person: {', '.join(shut)} said no" if shut else "for a person"
