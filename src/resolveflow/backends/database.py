"""Opens the case database and brings its schema up to date."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry

from resolveflow.backends.locks import waiting_lock
from resolveflow.domain.errors import InvalidSettings, StoreUnavailable

HEAD = "0001"
BUSY_TIMEOUT_MS = 20_000


def _on_connect(connection: sa.engine.interfaces.DBAPIConnection, _: ConnectionPoolEntry) -> None:
    cursor = connection.cursor()
    for pragma in (
        f"busy_timeout={BUSY_TIMEOUT_MS}",
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


@asynccontextmanager
async def open_database(home: Path) -> AsyncIterator[AsyncEngine]:
    """Open `home/cases.db`, migrated to the newest schema.

    Raises:
        InvalidSettings: the folder cannot be written, or the file is no database of ours.
        StoreUnavailable: later, whenever the database cannot do its work.
    """
    path = home / "cases.db"
    _make_home(home)
    engine = create_async_engine(f"sqlite+aiosqlite:///{path}")
    sa.event.listen(engine.sync_engine, "connect", _on_connect)
    try:
        await _migrate(engine, home)
        sa.event.listen(engine.sync_engine, "handle_error", _translate)
        yield engine
    finally:
        await engine.dispose()


def _translate(context: sa.engine.ExceptionContext) -> None:
    """Tell what the database says as one of our errors; broken constraints stay what they are."""
    error = context.original_exception
    if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.IntegrityError):
        raise StoreUnavailable(
            f"the case database does not work: {error}; mend that and resume the case"
        ) from None


def _make_home(home: Path) -> None:
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise InvalidSettings(
            f"cannot create the state folder {home}: {error.strerror}; set RESOLVEFLOW_HOME"
        ) from None


async def _migrate(engine: AsyncEngine, home: Path) -> None:
    try:
        async with engine.connect() as connection:
            current = await connection.run_sync(_version)
        if current == HEAD:
            return
        async with waiting_lock(home / "locks" / "migrate"), engine.begin() as connection:
            await connection.run_sync(_upgrade)
    except sa.exc.DatabaseError as error:
        raise InvalidSettings(
            f"{home / 'cases.db'} cannot be used as the case database: {error.orig}; "
            "move it away or set RESOLVEFLOW_HOME"
        ) from None


def _version(connection: sa.Connection) -> str | None:
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    version: str | None = connection.execute(
        sa.select(sa.column("version_num")).select_from(sa.table("alembic_version"))
    ).scalar()
    if version is not None and version > HEAD:
        raise InvalidSettings(
            f"the case database was written by a newer ResolveFlow (schema {version}, "
            f"this one knows {HEAD}); upgrade ResolveFlow"
        )
    return version


def _upgrade(connection: sa.Connection) -> None:
    if _version(connection) == HEAD:
        return
    # Alembic costs 0.2 s of start-up and is needed once per schema change.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "resolveflow.backends:migrations")
    config.attributes["connection"] = connection
    command.upgrade(config, HEAD)
