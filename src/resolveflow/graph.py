"""The order of the steps and the durable pause.

The checkpoint holds `{case_id, revision}` only; what the steps made lives in the case store. Node
names are a public contract: a renamed node would lose every case that waits at it.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

from resolveflow.domain.case import Case
from resolveflow.domain.diagnosis import Investigation
from resolveflow.domain.errors import ApprovalExpired, NotApproved, Refused, StateLost, Superseded
from resolveflow.domain.proposal import Approval, ProposedAction, Resolution
from resolveflow.domain.report import Fetched, IssueEvidence
from resolveflow.domain.review import Review, Verification
from resolveflow.domain.triage import Triage
from resolveflow.ports import CaseStore, Row

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.base import BaseCheckpointSaver


class State(TypedDict):
    """All that a checkpoint keeps."""

    case_id: str
    revision: int


class Node(Protocol):
    """A node of the graph: it reads the case by its id and leaves the state as it is."""

    async def __call__(self, state: State) -> dict[str, Any]: ...


class Steps(Protocol):
    """The steps with their ports bound; each reads what earlier stages found from the case."""

    async def fetch_evidence(self, case: Case) -> Fetched: ...
    async def normalize_evidence(self, case: Case) -> IssueEvidence: ...
    async def classify(self, case: Case) -> Triage: ...
    async def generate_diagnosis(self, case: Case) -> Investigation: ...
    async def verify_diagnosis(self, case: Case) -> Verification: ...
    async def independent_review(self, case: Case) -> Review: ...
    async def draft_proposal(self, case: Case) -> ProposedAction | None: ...
    async def execute(self, action: ProposedAction, approval: Approval) -> Resolution: ...


@dataclass(frozen=True)
class Position:
    """Where a case's thread stands: its unfinished nodes, and the interrupt it waits at.

    A node that has its result but whose step was never committed counts as unfinished.
    """

    unfinished: tuple[str, ...]
    interrupt_id: str | None


def after_classify(case: Case) -> str:
    """Choose the way on from the triage alone."""
    route = case.triage.route if case.triage else "human_review"
    if route == "deterministic":
        return "draft_proposal" if case.evidence and case.evidence.target else END
    return "generate_diagnosis" if route == "ai_investigation" else END


def after_review(case: Case) -> str:
    """Draft only what the gates approved and an issue can receive."""
    approved = case.review is not None and case.review.outcome == "approve"
    return "draft_proposal" if approved and case.evidence and case.evidence.target else END


def after_draft(case: Case) -> str:
    """Wait for a person where there is something to approve."""
    return "await_approval" if case.proposed_action else END


class CaseGraph:
    """The compiled graph of a case; one thread a case, `durability="sync"`."""

    def __init__(
        self, steps: Steps, *, store: CaseStore, checkpointer: "BaseCheckpointSaver[str]"
    ) -> None:
        self._steps = steps
        self._store = store
        self._graph = self._build().compile(checkpointer=checkpointer)

    @property
    def nodes(self) -> tuple[str, ...]:
        """The names that checkpoints refer to, in order."""
        return tuple(name for name in self._graph.nodes if name != START)

    async def position(self, case: Case) -> Position | None:
        """Tell where the thread of this revision stands, or None where it never began."""
        snapshot = await self._graph.aget_state(_config(case))
        if snapshot.values.get("revision") != case.revision:
            return None
        pending = [wait.id for task in snapshot.tasks for wait in task.interrupts]
        return Position(
            unfinished=tuple(task.name for task in snapshot.tasks),
            interrupt_id=pending[0] if pending else None,
        )

    def start(self, case: Case) -> AsyncIterator[str]:
        """Run a revision from its first step; yields the name of each stage when it is done."""
        return self._run(case, State(case_id=case.id, revision=case.revision))

    def go_on(self, case: Case) -> AsyncIterator[str]:
        """Go on after a kill or a failure, from the last checkpoint."""
        return self._run(case, None)

    async def approve(self, case: Case) -> AsyncIterator[str]:
        """Answer the interrupt that the case waits at, or go on where that had been answered.

        Raises:
            StateLost: it waits at none; an approval must never be answered to nothing.
        """
        position = await self.position(case)
        if position is not None and position.interrupt_id is not None:
            start: Command[str] | None = Command(resume={position.interrupt_id: case.id})
        elif position is not None and position.unfinished:
            start = None
        else:
            raise StateLost(
                f"case {case.id} is approved but has no checkpoint to go on from; nothing was "
                f"posted; run `resolveflow resume {case.id}` to investigate it anew"
            )
        async for stage in self._run(case, start):
            yield stage

    async def _run(self, case: Case, start: "State | Command[str] | None") -> AsyncIterator[str]:
        events = self._graph.astream(start, _config(case), stream_mode="tasks", durability="sync")
        async for event in events:
            if "result" in event and not event["error"] and not event["interrupts"]:
                yield event["name"]

    def _build(self) -> "StateGraph[State]":
        graph = StateGraph(State)
        steps = self._steps
        stages: tuple[tuple[str, str, Callable[[Case], Awaitable[Row | None]]], ...] = (
            ("fetch_evidence", "fetched", steps.fetch_evidence),
            ("normalize_evidence", "evidence", steps.normalize_evidence),
            ("classify", "triage", steps.classify),
            ("generate_diagnosis", "investigation", steps.generate_diagnosis),
            ("verify_diagnosis", "verification", steps.verify_diagnosis),
            ("independent_review", "review", steps.independent_review),
            ("draft_proposal", "proposed_action", steps.draft_proposal),
        )
        for name, field, step in stages:
            graph.add_node(name, self._stage(field, step))
        graph.add_node("await_approval", _await_approval)
        graph.add_node("execute", self._execute)
        graph.add_edge(START, "fetch_evidence")
        graph.add_edge("fetch_evidence", "normalize_evidence")
        graph.add_edge("normalize_evidence", "classify")
        graph.add_conditional_edges("classify", self._choose(after_classify))
        graph.add_edge("generate_diagnosis", "verify_diagnosis")
        graph.add_edge("verify_diagnosis", "independent_review")
        graph.add_conditional_edges("independent_review", self._choose(after_review))
        graph.add_conditional_edges("draft_proposal", self._choose(after_draft))
        graph.add_edge("await_approval", "execute")
        graph.add_edge("execute", END)
        return graph

    def _stage(self, field: str, step: Callable[[Case], Awaitable[Row | None]]) -> Node:
        async def node(state: State) -> dict[str, Any]:
            case = await self._case(state)
            if getattr(case, field) is None:
                row = await step(case)
                if row is not None:
                    await self._store.save(case.id, case.revision, field, row)
            return {}

        return node

    def _choose(self, rule: Callable[[Case], str]) -> Callable[[State], Awaitable[str]]:
        async def choose(state: State) -> str:
            return rule(await self._case(state))

        return choose

    async def _case(self, state: State) -> Case:
        case = await self._store.case(state["case_id"])
        if case.revision != state["revision"]:
            raise StateLost(
                f"case {case.id} is at revision {case.revision}, its checkpoint at "
                f"{state['revision']}; run `resolveflow resume {case.id}`"
            )
        return case

    async def _execute(self, state: State) -> dict[str, Any]:
        case = await self._case(state)
        action = case.proposed_action
        if action is None:
            raise NotApproved(f"case {case.id} has nothing to post")
        try:
            async with self._store.claim(case.id, action.digest) as approval:
                resolution = await self._steps.execute(action, approval)
                await self._store.resolve(case.id, action.digest, resolution)
        except Superseded as error:
            await self._store.void(case.id, action.digest, "superseded", str(error))
        except ApprovalExpired as error:
            await self._store.void(case.id, action.digest, "expired", str(error))
        except Refused as error:
            await self._store.void(case.id, action.digest, "refused", str(error))
        return {}


def _await_approval(state: State) -> dict[str, Any]:
    # Nothing may stand before the interrupt: the node runs again from its top on resume.
    interrupt(state["case_id"])
    return {}


def _config(case: Case) -> "RunnableConfig":
    return {"configurable": {"thread_id": case.id}}
