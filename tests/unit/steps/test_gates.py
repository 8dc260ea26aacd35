import itertools

import pytest

from resolveflow.domain.diagnosis import Citation, Diagnosis, Level
from resolveflow.domain.proposal import ProposedAction
from resolveflow.domain.review import Gate
from resolveflow.steps import gates
from resolveflow.steps.gates import groundedness_ok, outcome, permission_ok, risk_ok


def cited(*oks: bool | None, severity: Level = "low") -> Diagnosis:
    return Diagnosis(
        root_cause="x",
        severity=severity,
        complexity="low",
        risk="low",
        citations=tuple(
            Citation(kind="code", quote="q", ok=ok, reason="no such line" if ok is False else "")
            for ok in oks
        ),
    )


@pytest.mark.parametrize(
    ("diagnosis", "ok", "reason"),
    [
        (None, False, "there is no diagnosis"),
        (cited(), False, "the diagnosis cites nothing"),
        (cited(True), True, "all 1 citations hold"),
        (cited(True, True), True, "all 2 citations hold"),
        (cited(True, False), False, "1 of 2 citations failed: no such line"),
        (cited(False, None), False, "1 of 2 citations failed: no such line"),
        (cited(True, None), None, "1 of 2 citations are unchecked"),
        (cited(None), None, "1 of 1 citations are unchecked"),
    ],
)
def test_groundedness(diagnosis: Diagnosis | None, ok: bool | None, reason: str) -> None:
    assert groundedness_ok(diagnosis) == Gate(ok=ok, reason=reason)


LEVELS: tuple[Level, ...] = ("low", "medium", "high")


@pytest.mark.parametrize(("diagnosed", "floor"), [*itertools.product(LEVELS, LEVELS)])
def test_risk_is_the_higher_of_both(diagnosed: Level, floor: Level) -> None:
    gate = risk_ok(cited(severity=diagnosed), floor)
    assert gate.ok is ("high" not in (diagnosed, floor))
    assert f"diagnosed {diagnosed}, at least {floor} by the report" in gate.reason


def test_no_diagnosis_has_no_acceptable_risk() -> None:
    assert risk_ok(None, "low").ok is False


def test_an_action_that_does_more_is_not_permitted() -> None:
    class Closing(ProposedAction):
        close: bool = False

    assert permission_ok().ok is True
    assert permission_ok(Closing) == Gate(ok=False, reason="the plan would also close")


YES = {name: Gate(ok=True, reason="r") for name in gates.REQUIRED_GATES}


def test_every_yes_approves() -> None:
    assert outcome(YES) == "approve"
    assert outcome(YES | {"more_ok": Gate(ok=True, reason="r")}) == "approve"


@pytest.mark.parametrize("ok", [False, None])
@pytest.mark.parametrize("name", [*sorted(YES), "more_ok"])
def test_one_other_answer_escalates(name: str, ok: bool | None) -> None:
    assert outcome(YES | {name: Gate(ok=ok, reason="r")}) == "escalate_to_human"


@pytest.mark.parametrize("name", sorted(YES))
def test_a_missing_gate_escalates(name: str) -> None:
    assert outcome({key: gate for key, gate in YES.items() if key != name}) == "escalate_to_human"


def test_no_gates_escalate() -> None:
    assert outcome({}) == "escalate_to_human"


def test_the_safety_constants_are_these() -> None:
    assert {"low", "medium"} == gates.PROPOSABLE_SEVERITIES
    assert {"comment", "labels"} == gates.PERMITTED_EFFECTS
    assert {"groundedness_ok", "risk_ok", "permission_ok"} == gates.REQUIRED_GATES
    assert sorted(gates.RANK, key=gates.RANK.__getitem__) == ["low", "medium", "high"]
