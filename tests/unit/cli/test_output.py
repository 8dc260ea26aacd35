"""The JSON contract of the command line."""

import json

from resolveflow.entrypoints.cli.output import case_json, dumps, summary_json
from tests.full_case import COMMENT, FRESH, POSTED, WAITING

FIELDS = [
    "id",
    "status",
    "target",
    "evidence",
    "triage",
    "passages",
    "diagnosis",
    "not_examined",
    "verification",
    "review",
    "proposed_action",
    "resolution",
]


def test_the_fields_are_the_contract():
    assert list(case_json(WAITING)) == FIELDS
    assert list(case_json(FRESH)) == FIELDS


def test_what_did_not_run_is_null():
    fresh = case_json(FRESH)

    assert fresh["id"] == "f00d"
    assert fresh["status"] == "running"
    assert fresh["target"] == "o/r#1"
    assert [name for name in FIELDS[3:] if fresh[name] is not None] == []


def test_a_full_case():
    case = case_json(POSTED)

    assert case["proposed_action"] == {
        "comment": COMMENT,
        "labels": ["bug"],
        "digest": WAITING.proposed_action.digest,
    }
    assert list(case["review"]) == ["gates", "outcome", "reasoning"]
    assert case["review"]["gates"]["permission_ok"] == {"ok": None, "reason": "unknown"}
    assert case["diagnosis"]["affected_files"][0] == {
        "path": "src/a.py",
        "start_line": 10,
        "end_line": 12,
        "symbol": "f",
    }
    assert case["passages"][0]["score"] == 0.57
    assert case["not_examined"] == ["vendored files"]
    assert case["resolution"]["outcome"] == "posted"


def test_a_report_that_is_no_issue_has_no_target():
    report = FRESH.report.model_copy(update={"target": None, "ref": None})

    assert case_json(FRESH.model_copy(update={"report": report}))["target"] is None


def test_a_line_of_the_inbox():
    assert summary_json(WAITING) == {
        "id": "c0ffee",
        "status": "awaiting_approval",
        "target": "o/r#1",
        "title": "It breaks",
        "created_at": "2026-11-30T12:00:00+00:00",
        "digest": WAITING.proposed_action.digest,
        "note": None,
    }
    assert summary_json(FRESH)["title"] is None


def test_json_cannot_act_on_a_terminal():
    written = dumps({"text": "\x1b[31m\u202e\u009b"})

    assert written.isascii()
    assert "\x1b" not in written
    assert json.loads(written) == {"text": "\x1b[31m\u202e\u009b"}
