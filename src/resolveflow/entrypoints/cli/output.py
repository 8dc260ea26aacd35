"""The JSON that scripts rely on; its fields are a public contract."""

import json
from typing import Any

from resolveflow.domain.case import Case
from resolveflow.domain.value import Value

Json = dict[str, Any]


def _plain(value: Value | None) -> Json | None:
    return value.model_dump(mode="json") if value is not None else None


def case_json(case: Case) -> Json:
    """Shape a case as every `--json` command prints it; what did not run is null."""
    found = case.investigation
    action = case.proposed_action
    read = found.exploration if found else None
    return {
        "id": case.id,
        "status": case.status,
        "target": str(case.report.target) if case.report.target else None,
        "evidence": _plain(case.evidence),
        "triage": _plain(case.triage),
        "passages": [_plain(passage) for passage in found.passages] if found else None,
        "diagnosis": _plain(found.diagnosis) if found else None,
        "not_examined": list(read.not_examined) if read else None,
        "verification": _plain(case.verification),
        "review": case.review.model_dump(mode="json", include={"outcome", "gates", "reasoning"})
        if case.review
        else None,
        "proposed_action": {
            "comment": action.comment,
            "labels": list(action.labels),
            "digest": action.digest,
        }
        if action
        else None,
        "resolution": _plain(case.resolution),
    }


def summary_json(case: Case) -> Json:
    """Shape a case as a line of the inbox."""
    return {
        "id": case.id,
        "status": case.status,
        "target": str(case.report.target) if case.report.target else None,
        "title": case.evidence.title if case.evidence else None,
        "created_at": case.created_at.isoformat(),
        "digest": case.proposed_action.digest if case.proposed_action else None,
        "note": case.note,
    }


def dumps(content: object) -> str:
    """Write JSON in ASCII, so that no text in it can act on a terminal."""
    return json.dumps(content, indent=2, ensure_ascii=True)
