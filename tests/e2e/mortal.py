"""A process that approves a case and may be killed at any boundary on the way."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import wraps
from inspect import isawaitable
from pathlib import Path
from typing import Any

import aiosqlite
import httpx
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from pydantic import HttpUrl, SecretStr

from resolveflow.backends.case_store import SqlCaseStore
from resolveflow.backends.database import open_database
from resolveflow.backends.github_reader import open_reader
from resolveflow.bootstrap import bind_steps
from resolveflow.domain.case import Case
from resolveflow.domain.errors import ResolveFlowError
from resolveflow.domain.report import IssueRef, Report
from resolveflow.graph import CaseGraph
from resolveflow.intake.policy import NO_POLICY
from resolveflow.service import Service
from resolveflow.settings import Settings
from tests.scripted_steps import ScriptedSteps

TOKEN = "mona-writes"


@dataclass
class Fate:
    """Kills this process with SIGKILL at the given boundary, counted from 1; 0 is never."""

    die_at: int = 0
    passed: int = 0

    def boundary(self) -> None:
        self.passed += 1
        if self.passed == self.die_at:
            os.kill(os.getpid(), signal.SIGKILL)


class Mortal:
    """Wraps a port: a boundary before and after each of its calls."""

    def __init__(self, target: object, fate: Fate) -> None:
        self._target = target
        self._fate = fate

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._target, name)

        @wraps(method)
        def call(*args: Any, **kwargs: Any) -> Any:
            self._fate.boundary()
            result = method(*args, **kwargs)
            return self._after(result) if isawaitable(result) else self._around(result)

        return call

    async def _after(self, pending: Any) -> Any:
        result = await pending
        self._fate.boundary()
        return result

    @asynccontextmanager
    async def _around(self, context: Any) -> AsyncIterator[Any]:
        async with context as value:
            self._fate.boundary()
            yield value
        self._fate.boundary()


class MortalSaver(AsyncSqliteSaver):
    """LangGraph's saver with a boundary before and after each write."""

    fate: Fate

    async def aput(self, *args: Any, **kwargs: Any) -> Any:
        self.fate.boundary()
        result = await super().aput(*args, **kwargs)
        self.fate.boundary()
        return result

    async def aput_writes(self, *args: Any, **kwargs: Any) -> None:
        self.fate.boundary()
        await super().aput_writes(*args, **kwargs)
        self.fate.boundary()


async def quiet(stage: str, line: str, did: bool | None) -> None:
    del stage, line, did


async def _no_wait(seconds: float, why: str) -> None:
    del seconds, why


@asynccontextmanager
async def mortal_service(home: Path, url: str, fate: Fate) -> AsyncIterator[Service]:
    """The real store, saver, graph, execute and writer; the stages before them scripted."""
    settings = Settings(home=home, github_api_url=HttpUrl(url), github_settle=0.2)
    token = SecretStr(TOKEN)
    async with (
        open_database(home) as engine,
        aiosqlite.connect(home / "checkpoints.db") as connection,
        open_reader(token, api_url=url, home=home) as reader,
    ):
        saver = MortalSaver(connection)
        saver.fate = fate
        real = bind_steps(settings, reader=reader, policy=NO_POLICY, approver_token=token)

        @asynccontextmanager
        async def open_writer(secret: SecretStr) -> AsyncIterator[Any]:
            async with real.open_writer(secret) as writer:
                yield Mortal(writer, fate)

        steps = ScriptedSteps(reader)
        steps.execute = replace(real, open_writer=open_writer).execute  # type: ignore[method-assign]
        store: Any = Mortal(SqlCaseStore(engine, home), fate)
        yield Service(
            store=store,
            graph=CaseGraph(steps, store=store, checkpointer=saver),
            check_input=steps.check_input,
            reader=reader,
            approver=reader,
            approval_ttl=60,
        )


async def submit(home: Path, url: str, numbers: Sequence[int]) -> list[Case]:
    """Make a waiting case of each issue."""
    async with mortal_service(home, url, Fate()) as service:
        return [await service.submit(_report(number), progress=quiet) for number in numbers]


def _report(number: int) -> Report:
    ref = IssueRef(owner="octo", repo="hello", number=number)
    return Report(kind="issue", source=str(ref), ref=ref, target=ref)


def approve(home: Path, url: str, case_id: str, digest: str, die_at: int) -> None:
    """Approve in this process: exit code 0 = done, 1 = refused, −9 = killed on the way."""

    async def work() -> None:
        fate = Fate()
        async with mortal_service(home, url, fate) as service:
            fate.die_at = die_at
            await service.approve(case_id, digest=digest, progress=quiet)

    try:
        asyncio.run(work())
    except ResolveFlowError as error:
        raise SystemExit(1) from error


async def look(home: Path, url: str, case_id: str) -> Case:
    """Read a case."""
    async with mortal_service(home, url, Fate()) as service:
        return await service.case(case_id)


def comments(url: str, case: Case) -> list[str]:
    """Read what was posted to the case's issue, past every layer of ours."""
    ref = case.report.ref
    assert ref is not None
    path = f"/repos/{ref.owner}/{ref.repo}/issues/{ref.number}/comments"
    answer = httpx.get(url + path, headers={"Authorization": f"Bearer {TOKEN}"})
    return [comment["body"] for comment in answer.raise_for_status().json()]
