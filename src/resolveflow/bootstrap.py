"""Reads the settings once, loads backends by entry-point name and binds the graph."""

import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import SecretStr

from resolveflow.backends.github_http import Patience
from resolveflow.backends.github_reader import open_reader
from resolveflow.backends.repository_open import RepositoryOpener
from resolveflow.backends.token_vault import OneTokenVault
from resolveflow.domain.case import Case
from resolveflow.domain.diagnosis import Investigation
from resolveflow.domain.errors import InvalidSettings, StateLost, UnknownName
from resolveflow.domain.proposal import Approval, ProposedAction, Resolution
from resolveflow.domain.report import Fetched, IssueEvidence, Report
from resolveflow.domain.review import Review, Verification
from resolveflow.domain.triage import Triage
from resolveflow.intake.policy import NO_POLICY, Policy, parse_policy
from resolveflow.ports import (
    CodeIndex,
    Explorer,
    GitHubReader,
    Model,
    OpenRepository,
    OpenWriter,
    TokenVault,
)
from resolveflow.settings import ApproverSettings, Settings
from resolveflow.steps.check_input import check_input
from resolveflow.steps.classify import classify
from resolveflow.steps.draft_proposal import draft_proposal
from resolveflow.steps.execute import execute
from resolveflow.steps.fetch_evidence import fetch_evidence
from resolveflow.steps.generate_diagnosis import generate_diagnosis
from resolveflow.steps.independent_review import independent_review
from resolveflow.steps.normalize_evidence import normalize_evidence
from resolveflow.steps.verify_diagnosis import verify_diagnosis

if TYPE_CHECKING:
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    from resolveflow.service import Service

T = TypeVar("T")
Notice = Callable[[float, str], Awaitable[None]]


def load(group: str, name: str) -> Any:  # noqa: ANN401 - what an entry point is, only its group says
    """Load the backend registered as `name`.

    Raises:
        UnknownName: nothing is; the message lists the names.
    """
    found = {point.name: point for point in entry_points(group=f"resolveflow.{group}")}
    if name not in found:
        names = ", ".join(sorted(found)) or "none is installed"
        raise UnknownName(f"{name!r} is none of the {group.replace('_', ' ')}: {names}")
    return found[name].load()


@asynccontextmanager
async def open_service(
    settings: Settings, *, approver: ApproverSettings | None = None, on_wait: Notice
) -> AsyncIterator["Service"]:
    """Build the service on the embedded backends; `on_wait` hears of every wait for GitHub.

    `approver` is given by the door that decides, and by no other.

    Raises:
        InvalidSettings: a setting that cannot be used.
    """
    # Imported here: LangGraph and SQLAlchemy take seconds, and doors that only read need neither.
    from resolveflow.backends.case_store import SqlCaseStore
    from resolveflow.backends.database import open_database
    from resolveflow.graph import CaseGraph
    from resolveflow.service import Service

    token = approver.approver_token if approver else None
    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        engine = await enter(open_database(settings.home))
        saver = await enter(open_checkpoints(settings.home))
        patience = Patience(max_wait=settings.github_max_wait, on_wait=on_wait)
        reader = await enter(open_github(settings, settings.github_token, patience))
        store = SqlCaseStore(engine, settings.home)
        policy = read_policy(settings.policy)
        steps = bind_steps(settings, reader=reader, policy=policy, approver_token=token)
        person = await enter(open_github(settings, token, patience)) if token else None
        yield Service(
            store=store,
            graph=CaseGraph(steps, store=store, checkpointer=saver),
            check_input=steps.check_input,
            reader=reader,
            approver=person,
            approval_ttl=settings.approval_ttl,
            new_comments_void=policy.new_comments_void_approval,
        )


def open_github(
    settings: Settings, token: SecretStr | None, patience: Patience
) -> AbstractAsyncContextManager[GitHubReader]:
    """Open a reader that acts with one token and sends GET and HEAD only."""
    return open_reader(
        token, api_url=str(settings.github_api_url), home=settings.home, patience=patience
    )


@asynccontextmanager
async def open_checkpoints(home: Path) -> AsyncIterator["AsyncSqliteSaver"]:
    """Open LangGraph's own saver; only plain data may be read back from it.

    Raises:
        InvalidSettings: the file is no database.
    """
    import aiosqlite
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    from resolveflow.backends.database import BUSY_TIMEOUT_MS

    path = home / "checkpoints.db"
    async with aiosqlite.connect(path) as connection:
        try:
            await connection.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}")
            await connection.execute_fetchall("SELECT count(*) FROM sqlite_master")
        except sqlite3.DatabaseError as error:
            raise InvalidSettings(
                f"{path} cannot be used: {error}; move it away, "
                "then `resolveflow resume` investigates waiting cases anew"
            ) from None
        yield AsyncSqliteSaver(connection, serde=JsonPlusSerializer(allowed_msgpack_modules=None))


def read_policy(path: Path | None) -> Policy:
    """Read the maintainer's policy file.

    Raises:
        InvalidSettings: it cannot be read, or it is not a policy.
    """
    if path is None:
        return NO_POLICY
    try:
        return parse_policy(path.read_bytes())
    except OSError as error:
        raise InvalidSettings(f"cannot read the policy file {path}: {error.strerror}") from None


def choose_model(settings: Settings, spec: str | None) -> Model | None:
    """Describe the model that a setting names; nothing is contacted yet."""
    from resolveflow.backends.model_pydantic_ai import open_model

    return open_model(
        spec,
        base_url=str(settings.model_base_url) if settings.model_base_url else None,
        api_key=settings.model_api_key,
        temperature=settings.temperature,
    )


@dataclass(frozen=True)
class BoundSteps:
    """The steps with their ports: each is handed what its signature asks for and no more."""

    reader: GitHubReader
    open_repository: OpenRepository
    index: CodeIndex
    explorer: Explorer
    model: Model | None
    critic: Model | None
    policy: Policy
    vault: TokenVault
    open_writer: OpenWriter
    settle: float

    async def check_input(self, report: Report) -> None:
        """Try what the caller and the settings name, before a case is made of it."""
        models = [model for model in (self.model, self.critic) if model is not None]
        await check_input(report, open_repository=self.open_repository, models=models)

    async def fetch_evidence(self, case: Case) -> Fetched:
        """Read the report's sources."""
        return await fetch_evidence(case.report, reader=self.reader)

    async def normalize_evidence(self, case: Case) -> IssueEvidence:
        """Parse them, and pin the tree."""
        return await normalize_evidence(_has(case.fetched), open_repository=self.open_repository)

    async def classify(self, case: Case) -> Triage:
        """Sort by rules."""
        return classify(_has(case.evidence), self.policy)

    async def generate_diagnosis(self, case: Case) -> Investigation:
        """Investigate the tree."""
        return await generate_diagnosis(
            _has(case.evidence),
            open_repository=self.open_repository,
            index=self.index,
            explorer=self.explorer,
            model=self.model,
        )

    async def verify_diagnosis(self, case: Case) -> Verification:
        """Prove what can be proven."""
        return await verify_diagnosis(_has(case.evidence), _has(case.investigation))

    async def independent_review(self, case: Case) -> Review:
        """Compute the gates."""
        return await independent_review(
            _has(case.evidence),
            _has(case.investigation),
            _has(case.verification),
            model=self.critic,
        )

    async def draft_proposal(self, case: Case) -> ProposedAction | None:
        """Write the exact bytes."""
        return draft_proposal(
            _has(case.evidence),
            _has(case.triage),
            case.investigation,
            case.verification,
            case.review,
            case_id=case.id,
        )

    async def execute(self, action: ProposedAction, approval: Approval) -> Resolution:
        """Post them."""
        return await execute(
            action,
            approval,
            vault=self.vault,
            open_writer=self.open_writer,
            settle=self.settle,
        )


def _has(row: T | None) -> T:
    """Insist on a row that the graph's order has put there."""
    if row is None:
        raise StateLost("a stage ran before the stage that it rests on; the case cannot go on")
    return row


def bind_steps(
    settings: Settings, *, reader: GitHubReader, policy: Policy, approver_token: SecretStr | None
) -> BoundSteps:
    """Choose the backends that the settings name.

    Raises:
        UnknownName: a name that no entry point has.
    """
    return BoundSteps(
        reader=reader,
        open_repository=RepositoryOpener(settings.home),
        index=load("code_indexes", settings.code_index)(settings.home),
        explorer=load("explorers", settings.explorer)(),
        model=choose_model(settings, settings.model),
        critic=choose_model(settings, settings.review_model or settings.model),
        policy=policy,
        vault=OneTokenVault(approver_token),
        open_writer=load("github_writers", "rest")(str(settings.github_api_url)),
        settle=settings.github_settle,
    )
