"""The case store over SQLAlchemy Core: every transition is one conditional statement."""

import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine

from resolveflow.backends.case_rows import (
    answered_by,
    end_approval,
    is_approved,
    leave,
    log,
    read,
    read_approval,
    read_one,
    save_row,
    set_status,
    utc_now,
)
from resolveflow.backends.locks import file_lock
from resolveflow.backends.schema import approvals, cases, events
from resolveflow.domain.case import FINAL, Case, Event, Status, already_answered
from resolveflow.domain.errors import (
    AlreadyDecided,
    ApprovalExpired,
    NotApproved,
    Refused,
    UnknownCase,
)
from resolveflow.domain.proposal import Approval, Resolution
from resolveflow.domain.report import Report
from resolveflow.ports import Row

REJECTABLE: tuple[Status, ...] = (
    "awaiting_approval",
    "human_review",
    "failed",
    "superseded",
    "expired",
    "refused",
)


class SqlCaseStore:
    """Cases in one SQL database; `home` holds the lock files."""

    def __init__(self, engine: AsyncEngine, home: Path) -> None:
        self._engine = engine
        self._locks = home / "locks"

    async def create(self, report: Report) -> Case:
        """Record a new case."""
        case_id, now = secrets.token_hex(6), utc_now()
        async with self._engine.begin() as db:
            await db.execute(
                cases.insert().values(
                    id=case_id,
                    revision=1,
                    status="running",
                    created_at=now,
                    updated_at=now,
                    report=report.model_dump_json(),
                )
            )
            await log(db, case_id, "submitted", report.source)
        return await self.case(case_id)

    async def case(self, case_id: str) -> Case:
        """Read a case by its id or a unique prefix of it.

        Raises:
            UnknownCase: none, or more than one, begins like that.
        """
        async with self._engine.connect() as db:
            query = cases.select().where(cases.c.id.startswith(case_id, autoescape=True)).limit(2)
            found = (await db.execute(query)).all()
            if len(found) != 1 or not case_id:
                problem = "is not unique" if found and case_id else "is not known"
                raise UnknownCase(f"the case {case_id!r} {problem}; `resolveflow inbox` lists them")
            return await read(db, found[0])

    async def cases(self, statuses: Sequence[Status] | None = None) -> tuple[Case, ...]:
        """List cases, the oldest first."""
        query = cases.select().order_by(cases.c.created_at, cases.c.id)
        if statuses is not None:
            query = query.where(cases.c.status.in_(statuses))
        async with self._engine.connect() as db:
            return tuple([await read(db, row) for row in (await db.execute(query)).all()])

    async def history(self, case_id: str) -> tuple[Event, ...]:
        """Tell what happened to a case, in order."""
        query = events.select().where(events.c.case_id == case_id).order_by(events.c.id)
        async with self._engine.connect() as db:
            rows = (await db.execute(query)).all()
        return tuple(Event(at=row.at, what=row.what, detail=row.detail) for row in rows)

    async def save(self, case_id: str, revision: int, stage: str, row: Row) -> None:
        """Keep the first row of a stage."""
        async with self._engine.begin() as db:
            await save_row(db, case_id, revision, stage, row)

    async def set_status(self, case_id: str, status: Status, note: str | None = None) -> None:
        """Move a case on, unless it has come to its end."""
        async with self._engine.begin() as db:
            await set_status(db, case_id, status, note)

    async def revise(self, case_id: str) -> Case:
        """Begin a new revision: earlier rows stay, no approval survives."""
        async with self._engine.begin() as db:
            await db.execute(
                cases.update()
                .where(cases.c.id == case_id, cases.c.status.not_in(FINAL))
                .values(
                    revision=cases.c.revision + 1, status="running", note=None, updated_at=utc_now()
                )
            )
            await db.execute(
                approvals.update()
                .where(approvals.c.case_id == case_id, approvals.c.state == "granted")
                .values(state="void")
            )
            await log(db, case_id, "revised", "")
        return await self.case(case_id)

    @asynccontextmanager
    async def working(self, case_id: str) -> AsyncIterator[None]:
        """Let one process at a time advance a case.

        Raises:
            CaseBusy: another one does.
        """
        busy = f"case {case_id} is being worked on by another process; try again in a moment"
        with file_lock(self._locks / f"{case_id}.run", busy=busy):
            yield

    async def grant(self, approval: Approval) -> None:
        """Record a person's yes.

        Raises:
            AlreadyDecided: the case does not wait for one (any more), or another case answers or
                answered the same issue.
            NotApproved: the digest is not that of the waiting proposal.
        """
        try:
            async with self._engine.begin() as db:
                if not await leave(db, approval.case_id, ("awaiting_approval",), "running"):
                    raise AlreadyDecided(f"case {approval.case_id} does not wait for an approval")
                case = await read_one(db, approval.case_id)
                if not case.proposed_action or case.proposed_action.digest != approval.digest:
                    raise NotApproved(
                        f"case {case.id} waits for another text than the one approved; "
                        f"look again with `resolveflow show {case.id}`"
                    )
                if other := await answered_by(db, case):
                    raise AlreadyDecided(already_answered(case, other))
                await db.execute(
                    approvals.insert().values(
                        **approval.model_dump(exclude={"approver"}),
                        approver=approval.approver.model_dump_json(),
                    )
                )
                await log(db, case.id, "approved", f"{approval.approver.login} {approval.digest}")
        except sa.exc.IntegrityError:
            raise AlreadyDecided(f"case {approval.case_id} has been approved already") from None

    async def reject(self, case_id: str, reason: str) -> Case:
        """Close a case without a write.

        Raises:
            AlreadyDecided: it has been approved, posted or rejected.
        """
        async with self._engine.begin() as db:
            left = await db.execute(
                cases.update()
                .where(cases.c.id == case_id, cases.c.status.in_(REJECTABLE), ~is_approved())
                .values(status="rejected", note=reason, updated_at=utc_now())
                .returning(cases.c.id)
            )
            if left.one_or_none() is not None:
                await log(db, case_id, "rejected", reason)
                return await read_one(db, case_id)
            case = await read_one(db, case_id)
        raise AlreadyDecided(f"case {case.id} is {case.status} and cannot be rejected")

    @asynccontextmanager
    async def claim(self, case_id: str, digest: str) -> AsyncIterator[Approval]:
        """Take the approval into use and keep everybody else from it meanwhile.

        Raises:
            NotApproved, ApprovalExpired, AlreadyDecided: there is none to take.
            CaseBusy: another process is using it.
        """
        with file_lock(
            self._locks / f"{case_id}.post",
            busy=f"case {case_id} is being posted by another process",
        ):
            yield await self._take(case_id, digest)

    async def _take(self, case_id: str, digest: str) -> Approval:
        fresh = (approvals.c.state == "granted") & (approvals.c.expires_at > utc_now())
        statement = (
            approvals.update()
            .where(
                approvals.c.case_id == case_id,
                approvals.c.digest == digest,
                fresh | (approvals.c.state == "claimed"),
            )
            .values(state="claimed", attempts=approvals.c.attempts + 1)
            .returning(approvals)
        )
        async with self._engine.begin() as db:
            row = (await db.execute(statement)).one_or_none()
        if row is None:
            raise _why_not(await self.case(case_id), digest)
        return read_approval(row)

    async def void(self, case_id: str, digest: str, status: Status, reason: str) -> None:
        """Make an approval worthless and say why."""
        async with self._engine.begin() as db:
            await end_approval(db, case_id, digest, "void")
            await set_status(db, case_id, status, reason)

    async def resolve(self, case_id: str, digest: str, resolution: Resolution) -> None:
        """Record what happened and use the approval up, in one transaction."""
        async with self._engine.begin() as db:
            case = await read_one(db, case_id)
            await save_row(db, case_id, case.revision, "resolution", resolution)
            ended = "void" if resolution.outcome == "refused" else "done"
            await end_approval(db, case_id, digest, ended)
            await set_status(db, case_id, resolution.outcome, resolution.detail)


def _why_not(case: Case, digest: str) -> Refused:
    approval = case.approval
    if approval is None or approval.digest != digest or approval.state == "void":
        return NotApproved(f"case {case.id} has no approval for digest {digest[:12]}…")
    if approval.state == "done":
        return AlreadyDecided(f"the approval of case {case.id} has been used")
    return ApprovalExpired(
        f"the approval of case {case.id} expired at {approval.expires_at:%Y-%m-%d %H:%M} UTC; "
        f"run `resolveflow resume {case.id}` and approve again"
    )
