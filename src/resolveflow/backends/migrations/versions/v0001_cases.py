"""Cases, their stages, approvals and history."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision: str | None = None


def upgrade() -> None:
    """Create the first tables."""
    op.create_table(
        "cases",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("status", sa.String(20), nullable=False),
        sa.Column("note", sa.Text),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.Column("updated_at", sa.String(32), nullable=False),
        sa.Column("report", sa.Text, nullable=False),
    )
    op.create_index("ix_cases_status", "cases", ["status"])
    op.create_table(
        "stages",
        sa.Column("case_id", sa.String(32), sa.ForeignKey("cases.id"), primary_key=True),
        sa.Column("revision", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(32), primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
    )
    _create_approvals_and_events()


def _create_approvals_and_events() -> None:
    op.create_table(
        "approvals",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("case_id", sa.String(32), sa.ForeignKey("cases.id"), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("approver", sa.Text, nullable=False),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("granted_at", sa.String(32), nullable=False),
        sa.Column("expires_at", sa.String(32), nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
    )
    live = sa.text("state <> 'void'")
    op.create_index(
        "one_live_approval",
        "approvals",
        ["case_id"],
        unique=True,
        sqlite_where=live,
        postgresql_where=live,
    )
    op.create_table(
        "events",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("case_id", sa.String(32), sa.ForeignKey("cases.id"), nullable=False),
        sa.Column("at", sa.String(32), nullable=False),
        sa.Column("what", sa.String(32), nullable=False),
        sa.Column("detail", sa.Text, nullable=False),
    )
    op.create_index("ix_events_case_id", "events", ["case_id"])


def downgrade() -> None:
    """Drop everything."""
    for table in ("events", "approvals", "stages", "cases"):
        op.drop_table(table)
