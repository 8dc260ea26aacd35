"""The gates: plain predicates over typed values that decide what may be proposed."""

from collections.abc import Mapping
from typing import Final, Literal

from resolveflow.domain.diagnosis import Diagnosis, Level
from resolveflow.domain.proposal import ProposedAction
from resolveflow.domain.review import Gate

Outcome = Literal["approve", "escalate_to_human"]

RANK: Final[dict[Level, int]] = {"low": 0, "medium": 1, "high": 2}
PROPOSABLE_SEVERITIES: Final[frozenset[Level]] = frozenset({"low", "medium"})
PERMITTED_EFFECTS: Final = frozenset({"comment", "labels"})
# What of a proposed action says where and when, and does nothing by itself.
_BOOKKEEPING: Final = frozenset({"target", "marker", "issue_hash", "digest"})
REQUIRED_GATES: Final = frozenset({"groundedness_ok", "risk_ok", "permission_ok"})


def groundedness_ok(diagnosis: Diagnosis | None) -> Gate:
    """Whether there is a citation, and code has checked every one of them."""
    if diagnosis is None:
        return Gate(ok=False, reason="there is no diagnosis")
    citations = diagnosis.citations
    if not citations:
        return Gate(ok=False, reason="the diagnosis cites nothing")
    failed = [citation for citation in citations if citation.ok is False]
    if failed:
        why = "; ".join(citation.reason or "no reason given" for citation in failed)
        return Gate(ok=False, reason=f"{len(failed)} of {len(citations)} citations failed: {why}")
    unchecked = sum(citation.ok is not True for citation in citations)
    if unchecked:
        return Gate(ok=None, reason=f"{unchecked} of {len(citations)} citations are unchecked")
    return Gate(ok=True, reason=f"all {len(citations)} citations hold")


def risk_ok(diagnosis: Diagnosis | None, floor: Level) -> Gate:
    """Whether the higher of the diagnosed severity and the report's own floor may be proposed."""
    if diagnosis is None:
        return Gate(ok=False, reason="there is no diagnosis")
    severity = max(diagnosis.severity, floor, key=RANK.__getitem__)
    reason = f"severity {severity} (diagnosed {diagnosis.severity}, at least {floor} by the report)"
    return Gate(ok=severity in PROPOSABLE_SEVERITIES, reason=reason)


def permission_ok(action: type[ProposedAction] = ProposedAction) -> Gate:
    """Whether an action of this type can do no more than comment and label."""
    effects = action.model_fields.keys() - _BOOKKEEPING
    if excess := effects - PERMITTED_EFFECTS:
        return Gate(ok=False, reason=f"the plan would also {', '.join(sorted(excess))}")
    return Gate(ok=True, reason="the plan is a comment and labels")


def outcome(gates: Mapping[str, Gate]) -> Outcome:
    """Approve only where every required gate is there and every gate said yes."""
    if not gates.keys() >= REQUIRED_GATES:
        return "escalate_to_human"
    return "approve" if all(gate.ok is True for gate in gates.values()) else "escalate_to_human"
