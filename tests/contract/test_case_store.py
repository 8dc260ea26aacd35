"""Every case store keeps every promise; the SQL one also keeps its file in order."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import sqlalchemy as sa

from resolveflow.backends.case_store import SqlCaseStore
from resolveflow.backends.database import HEAD, open_database
from resolveflow.backends.schema import metadata
from resolveflow.domain.errors import AlreadyDecided, InvalidSettings, StoreUnavailable
from resolveflow.ports import CaseStore
from resolveflow.testing.memory_case_store import MemoryCaseStore
from resolveflow.testing.promises_case_store import PROMISES, REPORT, approval, waiting


@pytest.fixture(params=["sqlite", "memory"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[CaseStore]:
    if request.param == "memory":
        yield MemoryCaseStore()
        return
    async with open_database(tmp_path) as engine:
        yield SqlCaseStore(engine, tmp_path)


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.__name__)
async def test_promise(promise: Callable[[CaseStore], Awaitable[None]], store: CaseStore) -> None:
    await promise(store)


async def test_migrations_make_the_declared_schema(tmp_path: Path) -> None:
    async with open_database(tmp_path) as engine, engine.connect() as connection:
        made = await connection.run_sync(_shape)
    declared = sa.create_engine("sqlite://")
    metadata.create_all(declared)
    with declared.connect() as connection:
        assert made == _shape(connection)
    declared.dispose()


def _shape(connection: sa.Connection) -> dict[str, object]:
    inspector = sa.inspect(connection)
    return {
        table: (
            sorted((column["name"], column["nullable"]) for column in inspector.get_columns(table)),
            sorted(str(index["name"]) for index in inspector.get_indexes(table)),
            inspector.get_pk_constraint(table)["constrained_columns"],
        )
        for table in metadata.tables
    }


async def test_two_opens_at_once_migrate_once(tmp_path: Path) -> None:
    async def use() -> str:
        async with open_database(tmp_path) as engine:
            return (await SqlCaseStore(engine, tmp_path).create(REPORT)).id

    ids = await asyncio.gather(*[use() for _ in range(4)])
    async with open_database(tmp_path) as engine:
        assert {case.id for case in await SqlCaseStore(engine, tmp_path).cases()} == set(ids)


async def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "cases.db").write_bytes(b"not a database" * 100)
    with pytest.raises(InvalidSettings, match=r"cases\.db cannot be used"):
        async with open_database(tmp_path):
            pass


async def test_a_newer_database_is_refused(tmp_path: Path) -> None:
    async with open_database(tmp_path):
        pass
    with sqlite3.connect(tmp_path / "cases.db") as db:
        db.execute("UPDATE alembic_version SET version_num = '9999'")
    db.close()
    with pytest.raises(InvalidSettings, match=f"9999.*{HEAD}.*upgrade"):
        async with open_database(tmp_path):
            pass


async def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InvalidSettings, match="RESOLVEFLOW_HOME"):
        async with open_database(tmp_path / "file" / "home"):
            pass


async def test_a_database_that_stops_working_is_one_of_our_errors(tmp_path: Path) -> None:
    async with open_database(tmp_path) as engine:
        store = SqlCaseStore(engine, tmp_path)
        await store.create(REPORT)
        with sqlite3.connect(tmp_path / "cases.db") as db:
            db.execute("DROP TABLE events")
        db.close()
        with pytest.raises(StoreUnavailable, match="no such table"):
            await store.create(REPORT)


async def test_a_failed_approval_cannot_be_rejected_away(tmp_path: Path) -> None:
    async with open_database(tmp_path) as engine:
        store = SqlCaseStore(engine, tmp_path)
        case = await waiting(store)
        await store.grant(approval(case))
        await store.set_status(case.id, "failed", "no connection")
        with pytest.raises(AlreadyDecided):
            await store.reject(case.id, "too late")
        assert (await store.case(case.id)).status == "failed"
