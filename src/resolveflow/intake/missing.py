"""What a good report of its kind needs, against what is there."""

from resolveflow.domain.report import IssueEvidence
from resolveflow.domain.triage import Kind
from resolveflow.intake.forms import form_fields
from resolveflow.intake.prose import has_code

STEPS = ("steps to reproduce", "to reproduce", "how to reproduce", "reproduction", "reproduce")
EXPECTED = ("expected", "should ")


def missing_facts(evidence: IssueEvidence, kind: Kind) -> tuple[str, ...]:
    """List what is truly absent; never what the report or its thread already says."""
    if kind not in ("bug", "crash"):
        return ()
    said = "\n".join((evidence.body, *(comment.body or "" for comment in evidence.comments)))
    lowered = said.lower()
    answered = {heading for heading, answer in form_fields(said).items() if answer}
    missing = []
    if not evidence.environment and not any("version" in heading for heading in answered):
        missing.append("the version that was used")
    if not has_code(said) and not any(words in lowered for words in STEPS):
        missing.append("the steps or the code that reproduce it")
    if kind == "crash" and not any(crash.frames for crash in evidence.crashes):
        missing.append("the full stack trace")
    if kind == "bug" and not any(words in lowered for words in EXPECTED):
        missing.append("what was expected to happen instead")
    return tuple(missing)
