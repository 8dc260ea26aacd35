"""The statements that the case store's transitions are made of, each on a given connection."""

from collections.abc import Sequence
from datetime import UTC, datetime

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from resolveflow.backends.schema import approvals, cases, events, stages
from resolveflow.domain.case import FINAL, Case, Status
from resolveflow.domain.diagnosis import Investigation
from resolveflow.domain.errors import UnknownCase
from resolveflow.domain.github import Account
from resolveflow.domain.proposal import Approval, ProposedAction, Resolution
from resolveflow.domain.report import Fetched, IssueEvidence, Report
from resolveflow.domain.review import Review, Verification
from resolveflow.domain.triage import Triage
from resolveflow.ports import Row

# The row of every stage, named as the field of Case that holds it.
STAGES: dict[str, type[Row]] = {
    "fetched": Fetched,
    "evidence": IssueEvidence,
    "triage": Triage,
    "investigation": Investigation,
    "verification": Verification,
    "review": Review,
    "proposed_action": ProposedAction,
    "resolution": Resolution,
}


def utc_now() -> datetime:
    """The time now."""
    return datetime.now(UTC)


def is_approved() -> sa.ColumnElement[bool]:
    """Whether the case of an enclosing statement has an approval that is granted or in use."""
    live = approvals.c.state.in_(("granted", "claimed"))
    return sa.exists().where(approvals.c.case_id == cases.c.id, live)


async def log(db: AsyncConnection, case_id: str, what: str, detail: str) -> None:
    """Add a line to a case's history."""
    await db.execute(
        events.insert().values(case_id=case_id, at=utc_now(), what=what, detail=detail)
    )


async def save_row(db: AsyncConnection, case_id: str, revision: int, stage: str, row: Row) -> None:
    """Keep the first row of a stage."""
    await db.execute(
        insert(stages)
        .values(
            case_id=case_id,
            revision=revision,
            name=stage,
            value=row.model_dump_json(),
            created_at=utc_now(),
        )
        .on_conflict_do_nothing()
    )


async def leave(
    db: AsyncConnection,
    case_id: str,
    statuses: Sequence[Status],
    status: Status,
    note: str | None = None,
) -> bool:
    """Move a case on if its status is one of `statuses`; tells whether it was."""
    result = await db.execute(
        cases.update()
        .where(cases.c.id == case_id, cases.c.status.in_(statuses))
        .values(status=status, note=note, updated_at=utc_now())
        .returning(cases.c.id)
    )
    return result.one_or_none() is not None


async def set_status(db: AsyncConnection, case_id: str, status: Status, note: str | None) -> None:
    """Move a case on, unless it has come to its end."""
    changed = await db.execute(
        cases.update()
        .where(cases.c.id == case_id, cases.c.status.not_in(FINAL))
        .values(status=status, note=note, updated_at=utc_now())
        .returning(cases.c.id)
    )
    if changed.one_or_none() is not None:
        await log(db, case_id, status, note or "")


async def answered_by(db: AsyncConnection, case: Case) -> Case | None:
    """Find another case with an approval, live or used, for the same issue by the same route."""
    if case.proposed_action is None or case.triage is None:
        return None
    target, route = case.proposed_action.target, case.triage.route
    owner, repo, number = (
        sa.type_coerce(stages.c.value, sa.JSON)[("target", key)]
        for key in ("owner", "repo", "number")
    )
    query = (
        sa.select(approvals.c.case_id)
        .distinct()
        .join(cases, cases.c.id == approvals.c.case_id)
        .join(
            stages, sa.and_(stages.c.case_id == cases.c.id, stages.c.revision == cases.c.revision)
        )
        .where(
            approvals.c.state != "void",
            cases.c.id != case.id,
            stages.c.name == "proposed_action",
            sa.func.lower(owner.as_string()) == target.owner.lower(),
            sa.func.lower(repo.as_string()) == target.repo.lower(),
            number.as_integer() == target.number,
        )
    )
    for (case_id,) in (await db.execute(query)).all():
        other = await read_one(db, case_id)
        if other.triage is not None and other.triage.route == route:
            return other
    return None


async def end_approval(db: AsyncConnection, case_id: str, digest: str, state: str) -> None:
    """Take a live approval out of use."""
    await db.execute(
        approvals.update()
        .where(
            approvals.c.case_id == case_id,
            approvals.c.digest == digest,
            approvals.c.state.in_(("granted", "claimed")),
        )
        .values(state=state)
    )


async def read_one(db: AsyncConnection, case_id: str) -> Case:
    """Read a case by its full id.

    Raises:
        UnknownCase: there is none.
    """
    row = (await db.execute(cases.select().where(cases.c.id == case_id))).one_or_none()
    if row is None:
        raise UnknownCase(f"the case {case_id!r} is not known; `resolveflow inbox` lists them")
    return await read(db, row)


async def read(db: AsyncConnection, row: sa.Row[tuple[object, ...]]) -> Case:
    """Build a case from its row, its stages and its newest approval."""
    mapping = dict(row._mapping)
    rows = await db.execute(
        sa.select(stages.c.name, stages.c.value).where(
            stages.c.case_id == mapping["id"], stages.c.revision == mapping["revision"]
        )
    )
    found = {name: STAGES[name].model_validate_json(value) for name, value in rows}
    newest = approvals.select().where(approvals.c.case_id == mapping["id"])
    approval = (await db.execute(newest.order_by(approvals.c.id.desc()).limit(1))).one_or_none()
    report = Report.model_validate_json(str(mapping.pop("report")))
    return Case.model_validate(
        {**mapping, **found, "report": report, "approval": approval and read_approval(approval)}
    )


def read_approval(row: sa.Row[tuple[object, ...]]) -> Approval:
    """Build an approval from its row."""
    fields = {name: value for name, value in row._mapping.items() if name != "id"}
    approver = Account.model_validate_json(str(fields.pop("approver")))
    return Approval.model_validate({**fields, "approver": approver})
