import pytest
from hypothesis import given
from hypothesis import strategies as st

from resolveflow.domain.diagnosis import (
    AffectedFile,
    Citation,
    Diagnosis,
    Investigation,
    ProposedChange,
)
from resolveflow.domain.exploration import Exploration
from resolveflow.domain.proposal import ProposedAction
from resolveflow.domain.report import Check, IssueEvidence, IssueRef, TreeRef
from resolveflow.domain.review import Gate, Review, Verification
from resolveflow.domain.triage import Kind, Route, Triage
from resolveflow.steps.draft_proposal import draft_proposal
from tests.live_markdown import live_parts

CASE = "0f3a"
MARKER = "<!-- resolveflow:0f3a -->"
TARGET = IssueRef(owner="octo", repo="cat", number=7)
COMMIT = "0123456789abcdef0123456789abcdef01234567"
TREE = TreeRef(location="/x", kind="git", commit=COMMIT, reason="the default branch")
NOT_RUN = Verification(reason="not run: no sandbox is configured")
GROUNDED = Diagnosis(
    root_cause="`render()` calls len() on None.",
    severity="medium",
    complexity="low",
    risk="low",
    affected_files=(AffectedFile(path="src/a.py", start_line=3, end_line=5, symbol="render"),),
    proposed_changes=(
        ProposedChange(path="src/a.py", start_line=4, end_line=4, description="Return early."),
    ),
    missing_info=("the input that was rendered",),
    recommended_next_steps=("Run it with an empty table.",),
    citations=(
        Citation(
            kind="code",
            path="src/a.py",
            start_line=4,
            end_line=5,
            quote="    n = len(rows)\n    return n",
            ok=True,
        ),
    ),
)


def evidence(**changes: object) -> IssueEvidence:
    base = IssueEvidence(
        source="s", target=TARGET, title="t", body="b", tree=TREE, content_hash="h"
    )
    return base.model_copy(update=changes)


def triage(route: Route = "ai_investigation", kind: Kind = "crash") -> Triage:
    return Triage(kind=kind, route=route, rule="r", reason="r")


def review(outcome: str = "approve") -> Review:
    gates = {"risk_ok": Gate(ok=outcome == "approve", reason="r")}
    return Review.model_validate({"gates": gates, "outcome": outcome, "reasoning": "r"})


def draft(diagnosis: Diagnosis | None = GROUNDED, **changes: object) -> ProposedAction | None:
    options = {"evidence": evidence(), "triage": triage(), "review": review()} | changes
    investigation = Investigation(
        diagnosis=diagnosis,
        exploration=Exploration(explorer="static", report="r", not_examined=("vendor/",)),
    )
    return draft_proposal(
        options["evidence"],  # type: ignore[arg-type]
        options["triage"],  # type: ignore[arg-type]
        investigation,
        NOT_RUN,
        options["review"],  # type: ignore[arg-type]
        case_id=CASE,
    )


def drafted(*args: Diagnosis, **changes: object) -> ProposedAction:
    action = draft(*args, **changes)
    assert action is not None
    return action


def test_the_comment_says_what_where_how_sure_and_what_is_missing() -> None:
    assert drafted().comment == (
        "**What was found.** `render()` calls len() on None.\n"
        "\n"
        "`src/a.py:3-5` in `render`:\n"
        "\n"
        "```text\n"
        "4 |     n = len(rows)\n"
        "5 |     return n\n"
        "```\n"
        "\n"
        "**How sure this is.** 1 of its 1 citations hold, as code found in the sources."
        " Reproduction: not run: no sandbox is configured.\n"
        "\n"
        "**A possible change.**\n\n- `src/a.py:4`: Return early.\n"
        "\n"
        "**Next steps.**\n\n- Run it with an empty table.\n"
        "\n"
        "**Missing.**\n\n- the input that was rendered\n"
        "\n"
        "**Not examined.**\n\n- vendor/\n"
        "\n"
        "*Drafted by ResolveFlow from this report and the sources at `0123456789ab`;"
        " read and approved by the person who posted it.*\n"
        "\n"
        "<!-- resolveflow:0f3a -->"
    )


def test_the_action_binds_target_marker_and_snapshot() -> None:
    action = drafted()
    assert (action.target, action.marker, action.issue_hash) == (TARGET, MARKER, "h")
    assert action.intact
    assert action.comment.endswith(MARKER)


def test_the_same_findings_give_the_same_bytes() -> None:
    assert drafted().digest == drafted().digest


def test_empty_sections_leave_no_gap() -> None:
    bare = Diagnosis(root_cause="x", severity="low", complexity="low", risk="low")
    comment = drafted(bare, evidence=evidence(tree=None)).comment
    assert "\n\n\n" not in comment
    assert "Missing" not in comment
    assert "from this report and no sources" in comment


def test_without_files_the_checked_quotes_are_the_places() -> None:
    diagnosis = GROUNDED.model_copy(update={"affected_files": ()})
    comment = drafted(diagnosis).comment
    assert "`src/a.py:4-5`:\n\n```text\n4 |     n = len(rows)" in comment


def test_a_quote_that_failed_its_check_is_not_shown() -> None:
    citation = GROUNDED.citations[0].model_copy(update={"ok": False})
    comment = drafted(GROUNDED.model_copy(update={"citations": (citation,)})).comment
    assert "len(rows)" not in comment
    assert "0 of its 1 citations hold" in comment
    assert "`src/a.py:3-5` in `render`\n" in comment


@pytest.mark.parametrize(("start", "path"), [(6, "src/a.py"), (3, "src/b.py")])
def test_a_quote_from_elsewhere_is_not_shown_there(start: int, path: str) -> None:
    elsewhere = AffectedFile(path=path, start_line=start, end_line=start + 3)
    comment = drafted(GROUNDED.model_copy(update={"affected_files": (elsewhere,)})).comment
    assert "len(rows)" not in comment


def test_long_lists_say_how_much_they_leave_out() -> None:
    steps = tuple(f"step {i}" for i in range(9))
    comment = drafted(GROUNDED.model_copy(update={"recommended_next_steps": steps})).comment
    assert "- step 4\n- and 4 more\n" in comment
    assert "step 5" not in comment


@pytest.mark.parametrize(
    "changes",
    [
        {"evidence": evidence(target=None)},
        {"review": review("escalate_to_human")},
        {"review": None},
        {"triage": triage("human_review")},
        {"triage": triage("deterministic")},
    ],
)
def test_nothing_is_proposed(changes: dict[str, object]) -> None:
    assert draft(**changes) is None


def test_no_diagnosis_no_proposal() -> None:
    assert draft(None) is None
    assert draft_proposal(evidence(), triage(), None, None, review(), case_id=CASE) is None


FAILED = Check(name="test (3.11)", conclusion="failure", commit=COMMIT)


def on_checks(*checks: Check, labels: tuple[str, ...] = ()) -> ProposedAction | None:
    found = evidence(checks=checks, labels=labels)
    return draft_proposal(found, triage("deterministic"), None, None, None, case_id=CASE)


def test_failing_checks_are_named() -> None:
    passed = Check(name="lint", conclusion="success", commit=COMMIT)
    action = on_checks(FAILED, passed)
    assert action is not None
    assert action.labels == ("ci-failure",)
    assert action.comment == (
        "**Failing checks.** One check of the commit that this issue names ended badly, so the"
        " sources were not investigated further:\n"
        "\n"
        "- `test (3.11)`: failure at `0123456789ab`\n"
        "\n"
        "*Drafted by ResolveFlow from the recorded results of these checks; read and approved by"
        " the person who posted it.*\n"
        "\n"
        "<!-- resolveflow:0f3a -->"
    )


def test_many_failing_checks_are_counted() -> None:
    action = on_checks(*[FAILED] * 25)
    assert action is not None
    assert "25 checks" in action.comment
    assert "- and 5 more" in action.comment


def test_passing_checks_are_nothing_to_report() -> None:
    assert on_checks(Check(name="lint", conclusion="success", commit=COMMIT)) is None


@pytest.mark.parametrize(
    ("kind", "present", "labels"),
    [
        ("crash", (), ("bug",)),
        ("bug", ("help wanted",), ("bug",)),
        ("bug", ("bug",), ()),
        ("bug", ("Type: Bug",), ()),
        ("crash", ("kind/bug",), ()),
        ("crash", ("debugger",), ("bug",)),
        ("question", (), ()),
        ("feature", (), ()),
        ("other", (), ()),
    ],
)
def test_labels_are_few_and_new(
    kind: Kind, present: tuple[str, ...], labels: tuple[str, ...]
) -> None:
    found = evidence(labels=present)
    assert drafted(evidence=found, triage=triage(kind=kind)).labels == labels


def test_a_label_that_says_so_already_is_not_added() -> None:
    action = on_checks(FAILED, labels=("CI-failure",))
    assert action is not None
    assert action.labels == ()


ANY = st.text(min_size=1, max_size=40)


@given(st.builds(lambda *parts: parts, *[ANY] * 8))
def test_nothing_that_was_found_is_alive(parts: tuple[str, ...]) -> None:
    cause, path, symbol, quote, change, step, missing, name = parts
    file = AffectedFile(path=path, start_line=1, end_line=2, symbol=symbol)
    citation = Citation(kind="code", path=path, start_line=1, end_line=2, quote=quote, ok=True)
    diagnosis = GROUNDED.model_copy(
        update={
            "root_cause": cause,
            "affected_files": (file,),
            "citations": (citation,),
            "proposed_changes": (ProposedChange(**file.model_dump(), description=change),),
            "recommended_next_steps": (step,),
            "missing_info": (missing,),
        }
    )
    assert live_parts(drafted(diagnosis).comment, MARKER) == []
    action = on_checks(Check(name=name, conclusion="failure", commit=path))
    assert action is not None
    assert live_parts(action.comment, MARKER) == []


@pytest.mark.parametrize("filler", ["@ ", "`", "#1 ", "\u202e", "a" * 50 + " ", "[", "\n"])
def test_the_longest_comment_fits(filler: str) -> None:
    long = filler * 20_000 + "x"
    file = AffectedFile(path=long, start_line=1, end_line=900_000, symbol=long)
    diagnosis = Diagnosis(
        root_cause=long,
        severity="low",
        complexity="low",
        risk="low",
        affected_files=(file,) * 50,
        proposed_changes=(ProposedChange(**file.model_dump(), description=long),) * 50,
        missing_info=(long,) * 50,
        recommended_next_steps=(long,) * 50,
        citations=(
            Citation(
                kind="code",
                path=long,
                start_line=1,
                end_line=9,
                quote=(long[:900] + "\n") * 90,
                ok=True,
            ),
        )
        * 50,
    )
    comment = drafted(diagnosis).comment
    assert len(comment) < 65_536
    assert live_parts(comment, MARKER) == []
