"""A case in which every stage has run."""

from datetime import UTC, datetime

from resolveflow.domain.case import Case
from resolveflow.domain.diagnosis import AffectedFile, Citation, Diagnosis, Investigation
from resolveflow.domain.exploration import Exploration, Passage, Suspect
from resolveflow.domain.github import Account
from resolveflow.domain.proposal import ProposedAction, Resolution
from resolveflow.domain.report import IssueEvidence, IssueRef, Report, TreeRef
from resolveflow.domain.review import Gate, Review, Verification
from resolveflow.domain.triage import Triage

REF = IssueRef(owner="o", repo="r", number=1)
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
COMMENT = "The cause is in `a.py`.\n\n<!-- resolveflow:c0ffee -->"

REPORT = Report(kind="issue", source="https://github.com/o/r/issues/1", ref=REF, target=REF)
EVIDENCE = IssueEvidence(
    source="https://github.com/o/r/issues/1",
    target=REF,
    title="It breaks",
    body="Boom",
    tree=TreeRef(
        location="/srv/r", kind="git", commit="0" * 40, reason="the tag v1 matches version 1"
    ),
    content_hash="1" * 64,
)
TRIAGE = Triage(kind="crash", route="ai_investigation", rule="resolves", reason="frames resolve")
DIAGNOSIS = Diagnosis(
    root_cause="`f` calls None.",
    severity="medium",
    affected_files=(
        AffectedFile(path="src/a.py", start_line=10, end_line=12, symbol="f"),
        AffectedFile(path="src/b.py", start_line=3, end_line=3),
    ),
    complexity="low",
    risk="low",
    missing_info=("the operating system",),
    recommended_next_steps=("Check for None first.",),
    citations=(
        Citation(
            kind="code",
            quote="x = None\nx()",
            path="src/a.py",
            start_line=11,
            end_line=12,
            ok=True,
            reason="the lines hold the quote",
        ),
        Citation(kind="passage", quote="old", id="p1", score=0.57, ok=False, reason="too weak"),
    ),
)
INVESTIGATION = Investigation(
    passages=(Passage(id="p1", text="old", source="o/r#0", tier="maintainer", score=0.57),),
    exploration=Exploration(
        explorer="static",
        report="# Report",
        suspects=(Suspect(path="src/a.py", score=0.9, reasons=("frame 1",)),),
        read=("src/a.py",),
        not_examined=("vendored files",),
    ),
    diagnosis=DIAGNOSIS,
)
REVIEW = Review(
    gates={
        "groundedness_ok": Gate(ok=True, reason="1 citation, all checked"),
        "risk_ok": Gate(ok=False, reason="severity high"),
        "permission_ok": Gate(ok=None, reason="unknown"),
    },
    outcome="approve",
    reasoning="all gates agree",
)
ACTION = ProposedAction.propose(
    REF, COMMENT, ("bug",), marker="<!-- resolveflow:c0ffee -->", snapshot="1" * 64
)
RESOLUTION = Resolution(
    outcome="posted",
    detail="posted to o/r#1 as mona",
    comment_url="https://github.com/o/r/issues/1#issuecomment-5",
    comment_id=5,
    approver=Account(id=7, login="mona"),
)

WAITING = Case(
    id="c0ffee",
    revision=1,
    status="awaiting_approval",
    created_at=NOON,
    updated_at=NOON,
    report=REPORT,
    evidence=EVIDENCE,
    triage=TRIAGE,
    investigation=INVESTIGATION,
    verification=Verification(reason="nothing was run"),
    review=REVIEW,
    proposed_action=ACTION,
)
POSTED = WAITING.model_copy(update={"status": "posted", "resolution": RESOLUTION})
FRESH = Case(
    id="f00d", revision=1, status="running", created_at=NOON, updated_at=NOON, report=REPORT
)
