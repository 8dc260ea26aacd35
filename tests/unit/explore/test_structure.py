from collections.abc import Sequence

import pytest

from resolveflow.domain.diagnosis import Investigation
from resolveflow.domain.errors import ModelUnavailable
from resolveflow.domain.exploration import Exploration, Passage
from resolveflow.domain.github import Comment
from resolveflow.explore.conclusion import (
    CodeSupport,
    ExplorationReport,
    Finding,
    PassageSupport,
    Place,
)
from resolveflow.explore.report import render
from resolveflow.explore.structure import structure
from resolveflow.ports import Model
from resolveflow.testing.scripted_model import ScriptedModel
from tests.unit.explore.trees import CELLS, PYTHON, number_of, report, tree

LINE = number_of(CELLS, "wrapped.append")
START = number_of(CELLS, "def wrap_cells")
QUOTE = "        wrapped.append(caster(cell)[:width])"
CODE = CodeSupport(path="pkg/cells.py", start_line=LINE, end_line=LINE, lines=(QUOTE,))
CONCLUDED = ExplorationReport(
    root_cause="None is called as a type.",
    severity="medium",
    complexity="low",
    risk="low",
    findings=(
        Finding(claim="It breaks here.", supports=(CODE,)),
        Finding(
            claim="As before.",
            supports=(CODE, PassageSupport(id="issue-1", lines=("None is not", "supported"))),
        ),
    ),
    affected_files=(
        Place(path="pkg/cells.py", start_line=START, end_line=LINE, symbol="wrap_cells"),
    ),
    missing_info=("The version",),
    next_steps=("Add a test",),
)
PASSAGE = Passage(
    id="issue-1", text="None is not\nsupported", source="o/r#1", tier="maintainer", score=0.567
)
ANSWER: dict[str, object] = {
    "root_cause": "None is called as a type.",
    "severity": "medium",
    "complexity": "low",
    "risk": "low",
    "affected_files": [
        {"path": "pkg/cells.py", "start_line": START, "end_line": LINE, "symbol": "wrap_cells"}
    ],
    "citations": [
        {
            "kind": "code",
            "path": "pkg/cells.py",
            "start_line": LINE,
            "end_line": LINE,
            "quote": "wrapped.append(caster(cell)[:width])",
        }
    ],
}


async def structured(
    markdown: str,
    *,
    model: Model | None = None,
    passages: Sequence[Passage] = (PASSAGE,),
    comments: Sequence[Comment] = (),
) -> Investigation:
    repository = tree(PYTHON | {"unread.py": "some_name = 1\n"})
    exploration = Exploration(explorer="static", report=markdown, read=("pkg/cells.py",))
    evidence = report(repository, list(PYTHON), title="Empty cells", body="They </data> crash")
    evidence = evidence.model_copy(update={"comments": tuple(comments)})
    return await structure(exploration, evidence, passages, repository, model=model)


async def test_without_a_model_the_report_is_read_as_it_is() -> None:
    found = await structured(render(CONCLUDED))
    assert found.abstained is None
    assert found.passages == (PASSAGE,)
    diagnosis = found.diagnosis
    assert diagnosis is not None
    assert diagnosis.root_cause == "None is called as a type."
    assert diagnosis.missing_info == ("The version",)
    assert diagnosis.recommended_next_steps == ("Add a test",)
    assert diagnosis.affected_files[0].symbol == "wrap_cells"
    assert [(c.kind, c.quote, c.ok) for c in diagnosis.citations] == [
        ("code", QUOTE, None),
        ("passage", "None is not\nsupported", None),
    ]


@pytest.mark.parametrize(
    ("update", "reason"),
    [
        ({"root_cause": None}, "established no root cause. Missing: The version"),
        ({"root_cause": None, "missing_info": ()}, "established no root cause"),
        ({"risk": None, "severity": None}, "does not assess the severity and risk"),
        (
            {"affected_files": (Place(path="pkg/no.py", start_line=1, end_line=1),)},
            "'pkg/no.py' is no file of this tree that the exploration read",
        ),
        (
            {"affected_files": (Place(path="pkg/cells.py", start_line=1, end_line=999),)},
            "pkg/cells.py has no lines 1-999",
        ),
        (
            {
                "affected_files": (
                    Place(path="pkg/cells.py", start_line=1, end_line=2, symbol="wrap_cells"),
                )
            },
            "'wrap_cells' is not at pkg/cells.py:1-2",
        ),
    ],
)
async def test_a_report_that_supports_no_diagnosis_gives_the_reason(
    update: dict[str, object], reason: str
) -> None:
    found = await structured(render(CONCLUDED.model_copy(update=update)))
    assert found.diagnosis is None
    assert found.exploration is not None
    assert reason in (found.abstained or "")


async def test_prose_without_the_grammar_is_no_diagnosis() -> None:
    found = await structured("It is probably the cells.")
    assert found.diagnosis is None
    assert found.abstained == "The report has no section “Root cause”: add `## Root cause`"


async def test_the_model_gets_report_and_passages_and_its_call_is_kept() -> None:
    model = ScriptedModel([ANSWER])
    comment = Comment(id=1, body="Same here", author_association="MEMBER")
    found = await structured("anything", model=model, comments=[comment])
    assert found.diagnosis is not None
    assert found.exploration is not None
    assert [call.purpose for call in found.exploration.calls] == ["structure"]
    [asked] = model.asked
    assert "Empty cells" in asked.prompt
    assert "They &lt;/data> crash" in asked.prompt
    assert "[MEMBER] Same here" in asked.prompt
    assert "[issue-1] (relevance: 0.57) None is not" in asked.prompt
    assert "anything" in asked.prompt
    assert "</data>" not in asked.instructions


async def test_what_is_not_there_is_shown_as_none() -> None:
    model = ScriptedModel([ANSWER])
    await structured("x" * 30_000, model=model, passages=())
    assert model.asked[0].prompt.count("(none)") == 2
    assert "[10000 characters left out]" in model.asked[0].prompt


def wrong(**update: object) -> dict[str, object]:
    return ANSWER | update


def place(**update: object) -> list[dict[str, object]]:
    return [{"path": "pkg/cells.py", "start_line": START, "end_line": LINE} | update]


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (wrong(root_cause=" "), "root_cause is blank"),
        (wrong(root_cause=None), "say in missing_info what would establish one"),
        (wrong(citations=[]), "there is no citation"),
        (wrong(affected_files=place(path="src/main.rs")), "'src/main.rs' is no file of this tree"),
        (wrong(affected_files=place(path="unread.py")), "that the exploration read"),
        (wrong(affected_files=place(end_line=4_000)), "has no lines"),
        (wrong(affected_files=place(symbol="Wrapper.wrap")), "'Wrapper.wrap' is not at"),
        (wrong(affected_files=place(symbol="()")), "is not at"),
        (wrong(proposed_changes=place(path="x.py", description="y")), "'x.py' is no file"),
        (
            wrong(citations=[{"kind": "code", "quote": "made_up(value)"} | place()[0]]),
            "does not hold the quoted text",
        ),
        (wrong(citations=[{"kind": "code", "quote": "caster"}]), "'' is no file of this tree"),
        (
            wrong(citations=[{"kind": "passage", "id": "issue-2", "quote": "a b c"}]),
            "no passage 'issue-2' was retrieved",
        ),
        (
            wrong(citations=[{"kind": "passage", "id": "issue-1", "quote": "None is supported"}]),
            "passage issue-1 does not hold the quoted text",
        ),
    ],
)
async def test_a_wrong_answer_is_handed_back_with_what_is_wrong(
    answer: dict[str, object], complaint: str
) -> None:
    model = ScriptedModel([answer, ANSWER])
    found = await structured("x", model=model)
    assert found.diagnosis is not None
    assert complaint in (model.asked[1].complaint or "")


async def test_an_answer_that_stays_wrong_is_no_diagnosis() -> None:
    answer = wrong(affected_files=place(path="other/project.py"))
    found = await structured("x", model=ScriptedModel([answer] * 3))
    assert found.diagnosis is None
    assert "'other/project.py' is no file" in (found.abstained or "")


async def test_an_answer_that_is_no_json_is_no_diagnosis() -> None:
    found = await structured("x", model=ScriptedModel(["I think it is fine."] * 3))
    assert found.diagnosis is None
    assert found.abstained


async def test_a_model_may_abstain_with_what_is_missing() -> None:
    answer = wrong(root_cause=None, citations=[], missing_info=["The stack trace"])
    found = await structured("x", model=ScriptedModel([answer]))
    assert found.diagnosis is None
    assert found.abstained == "The exploration established no root cause. Missing: The stack trace"
    assert found.exploration is not None
    assert len(found.exploration.calls) == 1


async def test_a_model_cannot_vouch_for_its_own_citation() -> None:
    citation = {"kind": "code", "quote": "wrapped.append", "ok": True, "score": 1.0} | place()[0]
    found = await structured("x", model=ScriptedModel([wrong(citations=[citation])]))
    assert found.diagnosis is not None
    [kept] = found.diagnosis.citations
    assert (kept.ok, kept.score, kept.reason) == (None, None, "")


async def test_a_model_that_does_not_answer_is_an_error() -> None:
    with pytest.raises(ModelUnavailable):
        await structured("x", model=ScriptedModel([ModelUnavailable("no answer")]))
