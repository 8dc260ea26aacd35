"""From what was found to the exact comment and labels that a person may approve."""

import re
from collections.abc import Iterable
from typing import Final

from resolveflow.domain.diagnosis import AffectedFile, Citation, Diagnosis, Investigation
from resolveflow.domain.proposal import ProposedAction
from resolveflow.domain.report import Check, IssueEvidence, TreeRef
from resolveflow.domain.review import Review, Verification
from resolveflow.domain.triage import Kind, Triage
from resolveflow.prompts import render
from resolveflow.steps.inert import code_block, code_span, prose, redact

FAILING_CHECKS_LABEL: Final = "ci-failure"
LABEL_OF_KIND: Final[dict[Kind, str]] = {"bug": "bug", "crash": "bug"}
_MOST_PLACES: Final = 3
_MOST_POINTS: Final = 5
_MOST_CHECKS: Final = 20


def draft_proposal(
    evidence: IssueEvidence,
    triage: Triage,
    investigation: Investigation | None,
    verification: Verification | None,
    review: Review | None,
    *,
    case_id: str,
) -> ProposedAction | None:
    """Draft the write, or None where there is nothing to say or no issue to say it on."""
    marker = f"<!-- resolveflow:{case_id} -->"
    if evidence.target is None:
        return None
    if triage.route == "deterministic":
        comment = _on_failing_checks(evidence.checks, marker)
        label: str | None = FAILING_CHECKS_LABEL
    elif triage.route == "ai_investigation" and review and review.outcome == "approve":
        comment = _on_diagnosis(evidence.tree, investigation, verification, marker)
        label = LABEL_OF_KIND.get(triage.kind)
    else:
        return None
    if comment is None:
        return None
    return ProposedAction.propose(
        evidence.target,
        comment,
        _labels(label, evidence.labels),
        marker=marker,
        snapshot=evidence.content_hash,
    )


def _on_failing_checks(checks: Iterable[Check], marker: str) -> str | None:
    failed = [check for check in checks if check.failed]
    if not failed:
        return None
    lines = [
        f"- {code_span(check.name)}: {prose(check.conclusion, limit=40)}"
        f" at {code_span(redact(check.commit)[:12])}"
        for check in failed[:_MOST_CHECKS]
    ]
    if len(failed) > _MOST_CHECKS:
        lines.append(f"- and {len(failed) - _MOST_CHECKS} more")
    count = "One check" if len(failed) == 1 else f"{len(failed)} checks"
    return render("comment_failing_checks", count=count, checks="\n".join(lines), marker=marker)


def _on_diagnosis(
    tree: TreeRef | None,
    investigation: Investigation | None,
    verification: Verification | None,
    marker: str,
) -> str | None:
    if investigation is None or investigation.diagnosis is None:
        return None
    diagnosis = investigation.diagnosis
    source = f"the sources at {code_span(redact(tree.short))}" if tree else "no sources"
    text = render(
        "comment_diagnosis",
        cause=prose(diagnosis.root_cause),
        places="\n\n".join(_places(diagnosis)),
        grounds=_grounds(diagnosis.citations),
        verification=prose(verification.reason if verification else "not run", limit=300),
        open_points="\n\n".join(filter(None, _open_points(investigation, diagnosis))),
        sources=source,
        marker=marker,
    )
    return re.sub(r"\n{3,}", "\n\n", text)


def _places(diagnosis: Diagnosis) -> list[str]:
    quotes = [c for c in diagnosis.citations if c.kind == "code" and c.ok]
    files: Iterable[AffectedFile] = diagnosis.affected_files or map(_quoted_lines, quotes)
    return [_place(file, quotes) for file in list(files)[:_MOST_PLACES]]


def _place(file: AffectedFile, quotes: Iterable[Citation]) -> str:
    symbol = f" in {code_span(file.symbol)}" if file.symbol else ""
    where = f"{_location(file)}{symbol}"
    for quote in quotes:
        lines = _quoted_lines(quote)
        overlaps = lines.start_line <= file.end_line and file.start_line <= lines.end_line
        if lines.path == file.path and overlaps:
            return f"{where}:\n\n{code_block(quote.quote, lines.start_line)}"
    return where


def _quoted_lines(citation: Citation) -> AffectedFile:
    start = citation.start_line or 1
    return AffectedFile(
        path=citation.path or "?", start_line=start, end_line=citation.end_line or start
    )


def _location(file: AffectedFile) -> str:
    last = f"-{file.end_line}" if file.end_line > file.start_line else ""
    return code_span(f"{redact(file.path)[-200:]}:{file.start_line}{last}")


def _grounds(citations: tuple[Citation, ...]) -> str:
    checked = sum(citation.ok is True for citation in citations)
    return f"{checked} of its {len(citations)} citations hold, as code found in the sources."


def _open_points(investigation: Investigation, diagnosis: Diagnosis) -> Iterable[str]:
    changes = (
        f"{_location(change)}: {prose(change.description, limit=500)}"
        for change in diagnosis.proposed_changes
    )
    yield _list("A possible change", changes)
    yield _list("Next steps", (prose(step, limit=500) for step in diagnosis.recommended_next_steps))
    yield _list("Missing", (prose(point, limit=500) for point in diagnosis.missing_info))
    if investigation.exploration:
        unread = investigation.exploration.not_examined
        yield _list("Not examined", (prose(point, limit=500) for point in unread))


def _list(title: str, points: Iterable[str]) -> str:
    shown = list(points)
    if not shown:
        return ""
    lines = [f"- {point}" for point in shown[:_MOST_POINTS]]
    if len(shown) > _MOST_POINTS:
        lines.append(f"- and {len(shown) - _MOST_POINTS} more")
    return "\n".join([f"**{title}.**", "", *lines])


def _labels(label: str | None, present: Iterable[str]) -> tuple[str, ...]:
    """Propose the label unless the issue's labels say it already (`type: Bug`)."""
    words = {word for name in present for word in re.split(r"[\s:/]+", name.casefold())}
    return (label,) if label and label not in words else ()
