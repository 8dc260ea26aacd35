"""The review: gates decide, a second model comments."""

from resolveflow.domain.diagnosis import Citation, Diagnosis, Investigation
from resolveflow.domain.errors import InvalidAnswer, ModelUnavailable
from resolveflow.domain.exploration import Passage
from resolveflow.domain.report import IssueEvidence
from resolveflow.domain.review import Critique, Gate, Review, Verification
from resolveflow.intake.impact import severity_floor
from resolveflow.ports import Model
from resolveflow.prompts import render
from resolveflow.steps import gates

_LONGEST_PART = 20_000  # characters of any one part of the report: the rest stays with the case


async def independent_review(
    evidence: IssueEvidence,
    investigation: Investigation,
    verification: Verification,
    *,
    model: Model | None = None,
) -> Review:
    """Compute the gates and the outcome; the critique is commentary and changes neither."""
    diagnosis = investigation.diagnosis
    answers = {
        "groundedness_ok": gates.groundedness_ok(diagnosis),
        "risk_ok": gates.risk_ok(diagnosis, severity_floor(evidence)),
        "permission_ok": gates.permission_ok(),
    }
    critique, remark = await _critique(evidence, investigation, model)
    return Review(
        gates=answers,
        outcome=gates.outcome(answers),
        reasoning=_reasoning(answers, verification, remark),
        critique=critique,
    )


async def _critique(
    evidence: IssueEvidence, investigation: Investigation, model: Model | None
) -> tuple[Critique | None, str]:
    if model is None:
        return None, "Critique: none, no model is configured."
    if investigation.diagnosis is None:
        return None, "Critique: none, there is no diagnosis."
    prompt = _prompt(evidence, investigation.diagnosis, investigation.passages)
    try:
        answer = await model.text("critique", render("review"), prompt)
    except (ModelUnavailable, InvalidAnswer) as error:
        return None, f"Critique: none, {error}."
    critique = Critique(text=answer.value, call=answer.call)
    return critique, f"Critique: by {answer.call.model}, as commentary only."


def _prompt(evidence: IssueEvidence, diagnosis: Diagnosis, passages: tuple[Passage, ...]) -> str:
    by_id = {passage.id: passage for passage in passages}
    comments = "\n\n".join(
        f"[{comment.author_association}] {comment.body or ''}" for comment in evidence.comments
    )
    sources = "\n\n".join(_source(citation, by_id) for citation in diagnosis.citations)
    return render(
        "review_case",
        title=_part(evidence.title),
        body=_part(evidence.body),
        comments=_part(comments),
        diagnosis=_part(diagnosis.model_dump_json(exclude={"citations"}, indent=1)),
        sources=_part(sources),
    )


def _source(citation: Citation, passages: dict[str, Passage]) -> str:
    found = f"checked: {citation.ok}" + (f", {citation.reason}" if citation.reason else "")
    if citation.kind == "code":
        lines = f"{citation.path}:{citation.start_line}-{citation.end_line}"
        return f"{lines} ({found})\n{citation.quote}"
    passage = passages.get(citation.id or "")
    text = f"[{passage.id}] (relevance: {passage.score:.2f}) {passage.text}" if passage else ""
    return f"[{citation.id}] ({found})\nquoted: {citation.quote}\n{text}"


def _part(text: str) -> str:
    if not text.strip():
        return "(none)"
    if len(text) <= _LONGEST_PART:
        return text
    return f"{text[:_LONGEST_PART]}\n[{len(text) - _LONGEST_PART} characters left out]"


def _reasoning(answers: dict[str, Gate], verification: Verification, remark: str) -> str:
    said = {True: "yes", False: "no", None: "undecided"}
    lines = [f"{name}: {said[gate.ok]}, {gate.reason}." for name, gate in answers.items()]
    return "\n".join([*lines, f"Verification: {verification.reason}.", remark])
