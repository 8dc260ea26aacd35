"""Steps that do the least that is real, for tests of everything around them."""

from dataclasses import dataclass, field
from typing import Literal

from resolveflow.domain.case import Case
from resolveflow.domain.diagnosis import Investigation
from resolveflow.domain.proposal import Approval, ProposedAction, Resolution, issue_hash
from resolveflow.domain.report import Fetched, IssueEvidence, Report
from resolveflow.domain.review import Gate, Review, Verification
from resolveflow.domain.triage import Triage
from resolveflow.ports import GitHubReader

POSTED = Resolution(outcome="posted", detail="posted", comment_id=5)


@dataclass
class ScriptedSteps:
    """`trouble` breaks a step by name; `ran` lists what was run."""

    github: GitHubReader
    route: Literal["deterministic", "ai_investigation", "human_review"] = "ai_investigation"
    outcome: Literal["approve", "escalate_to_human"] = "approve"
    answerable: bool = True
    trouble: dict[str, Exception] = field(default_factory=dict)
    ran: list[str] = field(default_factory=list)
    resolution: Resolution = POSTED

    def _run(self, name: str) -> None:
        self.ran.append(name)
        if name in self.trouble:
            raise self.trouble[name]

    async def check_input(self, report: Report) -> None:
        if "check_input" in self.trouble:
            raise self.trouble["check_input"]

    async def fetch_evidence(self, case: Case) -> Fetched:
        self._run("fetch_evidence")
        assert case.report.ref is not None
        return Fetched(
            report=case.report,
            issue=await self.github.issue(case.report.ref),
            comments=await self.github.comments(case.report.ref),
        )

    async def normalize_evidence(self, case: Case) -> IssueEvidence:
        self._run("normalize_evidence")
        assert case.fetched is not None
        issue = case.fetched.issue
        assert issue is not None
        return IssueEvidence(
            source=case.report.source,
            target=case.report.ref if self.answerable else None,
            title=issue.title,
            body=issue.body or "",
            comments=case.fetched.comments,
            content_hash=issue_hash(issue.title, issue.body, issue.state, locked=issue.locked),
        )

    async def classify(self, case: Case) -> Triage:
        self._run("classify")
        return Triage(kind="bug", route=self.route, rule="scripted", reason="because")

    async def generate_diagnosis(self, case: Case) -> Investigation:
        self._run("generate_diagnosis")
        return Investigation(abstained="scripted")

    async def verify_diagnosis(self, case: Case) -> Verification:
        self._run("verify_diagnosis")
        return Verification(reason="not run")

    async def independent_review(self, case: Case) -> Review:
        self._run("independent_review")
        gates = {"risk_ok": Gate(ok=self.outcome == "approve", reason="scripted")}
        return Review(gates=gates, outcome=self.outcome, reasoning="the gates said so")

    async def draft_proposal(self, case: Case) -> ProposedAction | None:
        self._run("draft_proposal")
        assert case.evidence is not None
        assert case.report.ref is not None
        marker = f"<!-- resolveflow:{case.id} -->"
        return ProposedAction.propose(
            case.report.ref,
            f"Found it.\n\n{marker}",
            ("bug",),
            marker=marker,
            snapshot=case.evidence.content_hash,
        )

    async def execute(self, action: ProposedAction, approval: Approval) -> Resolution:
        self._run("execute")
        return self.resolution
