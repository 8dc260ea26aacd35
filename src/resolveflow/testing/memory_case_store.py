"""A case store in memory, for tests of everything above it."""

import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from resolveflow.domain.case import FINAL, Case, Event, Status, already_answered
from resolveflow.domain.errors import (
    AlreadyDecided,
    ApprovalExpired,
    CaseBusy,
    NotApproved,
    UnknownCase,
)
from resolveflow.domain.proposal import Approval, Resolution
from resolveflow.domain.report import Report
from resolveflow.ports import Row


class MemoryCaseStore:
    """Cases in a dictionary; one event loop only."""

    def __init__(self) -> None:
        self._cases: dict[str, Case] = {}
        self._events: list[tuple[str, Event]] = []
        self._busy: set[tuple[str, str]] = set()

    async def create(self, report: Report) -> Case:
        """Record a new case."""
        now = datetime.now(UTC)
        case = Case(
            id=secrets.token_hex(6),
            revision=1,
            status="running",
            created_at=now,
            updated_at=now,
            report=report,
        )
        self._cases[case.id] = case
        self._log(case.id, "submitted", report.source)
        return case

    async def case(self, case_id: str) -> Case:
        """Read a case by its id or a unique prefix of it."""
        found = [case for key, case in self._cases.items() if case_id and key.startswith(case_id)]
        if len(found) != 1:
            raise UnknownCase(f"the case {case_id!r} is not known or not unique")
        return found[0]

    async def cases(self, statuses: Sequence[Status] | None = None) -> tuple[Case, ...]:
        """List cases, the oldest first."""
        everything = self._cases.values()
        return tuple(case for case in everything if statuses is None or case.status in statuses)

    async def history(self, case_id: str) -> tuple[Event, ...]:
        """Tell what happened to a case, in order."""
        return tuple(event for key, event in self._events if key == case_id)

    async def save(self, case_id: str, revision: int, stage: str, row: Row) -> None:
        """Keep the first row of a stage."""
        case = self._cases[case_id]
        if revision == case.revision and getattr(case, stage) is None:
            self._change(case_id, **{stage: row})

    async def set_status(self, case_id: str, status: Status, note: str | None = None) -> None:
        """Move a case on, unless it has come to its end."""
        if self._cases[case_id].status not in FINAL:
            self._change(case_id, status=status, note=note)
            self._log(case_id, status, note or "")

    async def revise(self, case_id: str) -> Case:
        """Begin a new revision without the rows of the last one."""
        case = self._cases[case_id]
        if case.status in FINAL:
            return case
        kept = {"id", "created_at", "updated_at", "report"}
        fresh = Case.model_validate(
            {
                **{name: getattr(case, name) for name in kept},
                "revision": case.revision + 1,
                "status": "running",
            }
        )
        self._cases[case_id] = fresh
        self._log(case_id, "revised", "")
        return fresh

    @asynccontextmanager
    async def working(self, case_id: str) -> AsyncIterator[None]:
        """Let one task at a time advance a case."""
        async with self._alone(case_id, "worked on"):
            yield

    async def grant(self, approval: Approval) -> None:
        """Record a person's yes."""
        case = self._cases[approval.case_id]
        approved = case.approval is not None and case.approval.state != "void"
        if approved or case.status != "awaiting_approval":
            raise AlreadyDecided(f"case {case.id} does not wait for an approval")
        if not case.proposed_action or case.proposed_action.digest != approval.digest:
            raise NotApproved(f"case {case.id} waits for another text than the one approved")
        for other in self._cases.values():
            if _answers_alike(other, case):
                raise AlreadyDecided(already_answered(case, other))
        self._change(case.id, approval=approval, status="running")
        self._log(case.id, "approved", approval.approver.login)

    async def reject(self, case_id: str, reason: str) -> Case:
        """Close a case without a write."""
        case = self._cases[case_id]
        live = case.approval is not None and case.approval.state in ("granted", "claimed")
        if live or case.status in (*FINAL, "running"):
            raise AlreadyDecided(f"case {case.id} is {case.status} and cannot be rejected")
        self._change(case_id, status="rejected", note=reason)
        self._log(case_id, "rejected", reason)
        return self._cases[case_id]

    @asynccontextmanager
    async def claim(self, case_id: str, digest: str) -> AsyncIterator[Approval]:
        """Take the approval into use and keep everybody else from it meanwhile."""
        async with self._alone(case_id, "posted"):
            approval = self._cases[case_id].approval
            if approval is None or approval.digest != digest or approval.state == "void":
                raise NotApproved(f"case {case_id} has no approval for digest {digest[:12]}…")
            if approval.state == "done":
                raise AlreadyDecided(f"the approval of case {case_id} has been used")
            if approval.state == "granted" and approval.expires_at <= datetime.now(UTC):
                raise ApprovalExpired(f"the approval of case {case_id} expired")
            update = {"state": "claimed", "attempts": approval.attempts + 1}
            claimed = approval.model_copy(update=update)
            self._change(case_id, approval=claimed)
            yield claimed

    async def void(self, case_id: str, digest: str, status: Status, reason: str) -> None:
        """Make an approval worthless and say why."""
        self._end(case_id, digest, "void")
        await self.set_status(case_id, status, reason)

    async def resolve(self, case_id: str, digest: str, resolution: Resolution) -> None:
        """Record what happened and use the approval up."""
        await self.save(case_id, self._cases[case_id].revision, "resolution", resolution)
        self._end(case_id, digest, "void" if resolution.outcome == "refused" else "done")
        await self.set_status(case_id, resolution.outcome, resolution.detail)

    @asynccontextmanager
    async def _alone(self, case_id: str, what: str) -> AsyncIterator[None]:
        if (case_id, what) in self._busy:
            raise CaseBusy(f"case {case_id} is being {what} by another process")
        self._busy.add((case_id, what))
        try:
            yield
        finally:
            self._busy.discard((case_id, what))

    def _end(self, case_id: str, digest: str, state: str) -> None:
        approval = self._cases[case_id].approval
        if approval and approval.digest == digest and approval.state in ("granted", "claimed"):
            self._change(case_id, approval=approval.model_copy(update={"state": state}))

    def _change(self, case_id: str, **fields: object) -> None:
        fields["updated_at"] = datetime.now(UTC)
        self._cases[case_id] = self._cases[case_id].model_copy(update=fields)

    def _log(self, case_id: str, what: str, detail: str) -> None:
        event = Event(at=datetime.now(UTC), what=what, detail=detail)
        self._events.append((case_id, event))


def _answers_alike(other: Case, case: Case) -> bool:
    """Whether another case has an approval, live or used, for the same issue by the same route."""
    if other.id == case.id or other.approval is None or other.approval.state == "void":
        return False
    actions, triages = (other.proposed_action, case.proposed_action), (other.triage, case.triage)
    issues = [str(action.target).lower() for action in actions if action]
    routes = [triage.route for triage in triages if triage]
    return len(issues) == len(routes) == 2 and issues[0] == issues[1] and routes[0] == routes[1]
