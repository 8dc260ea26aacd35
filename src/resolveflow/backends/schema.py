"""The tables of the case store; the migrations under `migrations/` create and change them."""

from datetime import UTC, datetime

import sqlalchemy as sa
from sqlalchemy.engine import Dialect


class UtcTime(sa.TypeDecorator[datetime]):
    """A UTC time as ISO 8601 text of fixed width, so that text order is time order."""

    impl = sa.String(32)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:
        """Write the time in UTC."""
        del dialect
        return None if value is None else value.astimezone(UTC).isoformat(timespec="microseconds")

    def process_result_value(self, value: str | None, dialect: Dialect) -> datetime | None:
        """Read it back."""
        del dialect
        return None if value is None else datetime.fromisoformat(value)


metadata = sa.MetaData()

cases = sa.Table(
    "cases",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Column("status", sa.String(20), nullable=False, index=True),
    sa.Column("note", sa.Text),
    sa.Column("created_at", UtcTime, nullable=False),
    sa.Column("updated_at", UtcTime, nullable=False),
    sa.Column("report", sa.Text, nullable=False),
)

# One row a stage: the exact JSON that was stored first is what is shown, approved and posted.
stages = sa.Table(
    "stages",
    metadata,
    sa.Column("case_id", sa.String(32), sa.ForeignKey("cases.id"), primary_key=True),
    sa.Column("revision", sa.Integer, primary_key=True),
    sa.Column("name", sa.String(32), primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
    sa.Column("created_at", UtcTime, nullable=False),
)

approvals = sa.Table(
    "approvals",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("case_id", sa.String(32), sa.ForeignKey("cases.id"), nullable=False),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("approver", sa.Text, nullable=False),
    sa.Column("state", sa.String(8), nullable=False),
    sa.Column("granted_at", UtcTime, nullable=False),
    sa.Column("expires_at", UtcTime, nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False, default=0),
    # The database itself holds "one approval per case": a second one needs the first to be void.
    sa.Index(
        "one_live_approval",
        "case_id",
        unique=True,
        sqlite_where=sa.text("state <> 'void'"),
        postgresql_where=sa.text("state <> 'void'"),
    ),
)

events = sa.Table(
    "events",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("case_id", sa.String(32), sa.ForeignKey("cases.id"), nullable=False, index=True),
    sa.Column("at", UtcTime, nullable=False),
    sa.Column("what", sa.String(32), nullable=False),
    sa.Column("detail", sa.Text, nullable=False),
)
