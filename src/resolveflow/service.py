"""The use cases that every door calls."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from resolveflow.domain.case import FINAL, Case, Event, Status, did, summary
from resolveflow.domain.errors import (
    AlreadyDecided,
    CaseBusy,
    CaseFailed,
    NotApproved,
    ResolveFlowError,
    StateLost,
    Superseded,
    Unavailable,
)
from resolveflow.domain.github import Account, Comment
from resolveflow.domain.proposal import Approval, ProposedAction, issue_hash
from resolveflow.domain.report import Report
from resolveflow.graph import CaseGraph
from resolveflow.ports import CaseStore, GitHubReader, Progress

# What waits for a person or for a restart.
OPEN: tuple[Status, ...] = (
    "running",
    "awaiting_approval",
    "human_review",
    "failed",
    "expired",
    "superseded",
    "refused",
)
# Investigated anew on `resume`: what they rest on is gone or may have changed.
REVISED: frozenset[Status] = frozenset({"human_review", "expired", "superseded", "refused"})


@dataclass(frozen=True)
class Preview:
    """A waiting case as it stands now, and the comments that came after it was read."""

    case: Case
    new_comments: tuple[Comment, ...]


class Service:
    """Submit, look, decide, resume.

    `check_input` tells what of a report cannot be used before any work is done on it; `approver`
    reads GitHub as the person who decides.
    """

    def __init__(
        self,
        *,
        store: CaseStore,
        graph: CaseGraph,
        check_input: Callable[[Report], Awaitable[None]],
        reader: GitHubReader,
        approver: GitHubReader | None = None,
        approval_ttl: float,
        new_comments_void: bool = False,
    ) -> None:
        self._store = store
        self._graph = graph
        self._check_input = check_input
        self._reader = reader
        self._approver = approver
        self._approval_ttl = timedelta(seconds=approval_ttl)
        self._new_comments_void = new_comments_void

    async def submit(self, report: Report, *, progress: Progress) -> Case:
        """Take a report in and work on it until the case rests.

        Raises:
            BadInput, Unavailable: what it names cannot be used; there is no case.
            ResolveFlowError: a stage could not do its work; the case is kept as `failed`.
        """
        await self._check_input(report)
        case = await self._store.create(report)
        async with self._store.working(case.id):
            return await self._drive(case, self._graph.start, progress)

    async def case(self, case_id: str) -> Case:
        """Read a case by its id or a unique prefix of it."""
        return await self._store.case(case_id)

    async def inbox(self) -> tuple[Case, ...]:
        """List what is not finished, the oldest first."""
        return await self._store.cases(OPEN)

    async def history(self, case_id: str) -> tuple[Event, ...]:
        """Tell what happened to a case."""
        return await self._store.history((await self._store.case(case_id)).id)

    async def preview(self, case_id: str) -> Preview:
        """Read a waiting case, and GitHub for comments that came since."""
        case = await self._store.case(case_id)
        if case.proposed_action is None:
            return Preview(case, ())
        return Preview(case, await self._new_comments(case, case.proposed_action))

    async def approve(self, case_id: str, *, digest: str, progress: Progress) -> Case:
        """Approve these bytes as the person behind the approver's token, and post them.

        An approval by the same person that was cut short (a kill, no connection) is finished.

        Raises:
            NotApproved: a wrong digest, no token, or the token of a bot.
            AlreadyDecided: the case does not wait for an approval.
            Superseded: the issue changed since it was read.
            StateLost: the case waits, but its checkpoint is gone.
        """
        case = await self._store.case(case_id)
        async with self._store.working(case.id):
            case = await self._store.case(case.id)
            action = _waiting_action(case, digest)
            approver = await self._person()
            if case.approval is None or case.approval.state == "void":
                await self._require_unchanged(case, action)
                await self._require_checkpoint(case)
                await self._grant(case, action, approver)
            elif case.approval.approver.id != approver.id:
                raise AlreadyDecided(
                    f"case {case.id} was approved by {case.approval.approver.login}, "
                    "who has to finish it"
                )
            return await self._drive(case, self._graph.approve, progress)

    async def reject(self, case_id: str, *, reason: str) -> Case:
        """Close a case without a write."""
        return await self._store.reject((await self._store.case(case_id)).id, reason)

    async def resume(self, case_id: str, *, progress: Progress) -> Case:
        """Go on with a case that was cut short, or investigate it anew where its issue changed.

        Raises:
            AlreadyDecided: it is finished, or it is approved and its approver has to finish it.
            BadInput, Unavailable: what it names cannot be used; the case stays as it is.
        """
        case = await self._store.case(case_id)
        async with self._store.working(case.id):
            case = await self._store.case(case.id)
            _require_open(case)
            position = await self._graph.position(case)
            if case.status not in REVISED and position and position.interrupt_id:
                await self._rest(case.id)
                return await self._store.case(case.id)
            await self._check_input(case.report)
            if case.status in (*REVISED, "awaiting_approval"):
                case, position = await self._store.revise(case.id), None
            begin = self._graph.start if position is None else self._graph.go_on
            return await self._drive(case, begin, progress)

    async def _person(self) -> Account:
        if self._approver is None:
            raise NotApproved(
                "approving needs your own GitHub token in RESOLVEFLOW_APPROVER_TOKEN: "
                "the comment is posted as you"
            )
        account = await self._approver.viewer()
        if account.type != "User":
            raise NotApproved(
                f"{account.login} is a {account.type.lower()}; only a person approves"
            )
        return account

    async def _require_unchanged(self, case: Case, action: ProposedAction) -> None:
        issue = await self._reader.issue(action.target)
        reason = None
        if issue_hash(issue.title, issue.body, issue.state, locked=issue.locked) != (
            action.issue_hash
        ):
            reason = f"{action.target} was edited, closed or locked since it was read"
        elif self._new_comments_void and await self._new_comments(case, action):
            reason = f"{action.target} has new comments since it was read"
        if reason is not None:
            reason = (
                f"{reason}; nothing was posted; "
                f"run `resolveflow resume {case.id}` to investigate it anew"
            )
            await self._store.set_status(case.id, "superseded", reason)
            raise Superseded(reason)

    async def _require_checkpoint(self, case: Case) -> None:
        position = await self._graph.position(case)
        if position is None or position.interrupt_id is None:
            raise StateLost(
                f"case {case.id} waits for an approval but its checkpoint is gone; nothing was "
                f"posted; run `resolveflow resume {case.id}` to investigate it anew"
            )

    async def _new_comments(self, case: Case, action: ProposedAction) -> tuple[Comment, ...]:
        known = {comment.id for comment in case.evidence.comments} if case.evidence else set()
        comments = await self._reader.comments(action.target)
        return tuple(comment for comment in comments if comment.id not in known)

    async def _grant(self, case: Case, action: ProposedAction, approver: Account) -> None:
        now = datetime.now(UTC)
        await self._store.grant(
            Approval(
                case_id=case.id,
                digest=action.digest,
                approver=approver,
                state="granted",
                granted_at=now,
                expires_at=now + self._approval_ttl,
            )
        )

    async def _drive(
        self, case: Case, begin: Callable[[Case], AsyncIterator[str]], progress: Progress
    ) -> Case:
        try:
            async for stage in begin(case):
                case = await self._store.case(case.id)
                await progress(stage, summary(case, stage), did(case, stage))
        except CaseBusy:
            raise
        except ResolveFlowError as error:
            await self._store.set_status(case.id, "failed", str(error))
            # Whoever reads the one line has to be able to find the case again.
            error.args = (f"{error}{_kept(case.id, error)}",)
            raise
        except Exception as error:
            # The outermost loop of a case: whatever broke, the case stays resumable.
            reason = f"{type(error).__name__}: {error}"
            await self._store.set_status(case.id, "failed", reason)
            raise CaseFailed(
                f"case {case.id} failed ({reason}); it is kept: `resolveflow resume {case.id}`"
            ) from error
        await self._rest(case.id)
        return await self._store.case(case.id)

    async def _rest(self, case_id: str) -> None:
        """Give a case that came to rest its status, unless the write path has given it one."""
        case = await self._store.case(case_id)
        if case.status not in ("running", "failed"):
            return
        if case.proposed_action is not None:
            await self._store.set_status(case_id, "awaiting_approval")
        else:
            await self._store.set_status(case_id, "human_review", _why_human(case))


def _waiting_action(case: Case, digest: str) -> ProposedAction:
    live = case.approval is not None and case.approval.state in ("granted", "claimed")
    if case.proposed_action is None or not (case.status == "awaiting_approval" or live):
        raise AlreadyDecided(f"case {case.id} is {case.status}: it does not wait for an approval")
    if digest != case.proposed_action.digest:
        raise NotApproved(
            f"case {case.id} waits for digest {case.proposed_action.digest}, not {digest}; "
            f"look again with `resolveflow show {case.id}`"
        )
    return case.proposed_action


def _require_open(case: Case) -> None:
    if case.approval is not None and case.approval.state in ("granted", "claimed"):
        raise AlreadyDecided(
            f"case {case.id} was approved by {case.approval.approver.login} but not yet posted; "
            f"finish it with `resolveflow approve {case.id} --digest {case.approval.digest}`"
        )
    if case.status in FINAL:
        raise AlreadyDecided(f"case {case.id} is {case.status}: there is nothing to resume")


def _kept(case_id: str, error: ResolveFlowError) -> str:
    """Say how to find the case again, and how to go on where nothing has to be mended for it."""
    if isinstance(error, Unavailable):
        return f" [the case is kept: `resolveflow resume {case_id}` goes on]"
    return f" [case {case_id}]"


def _why_human(case: Case) -> str:
    if case.review is not None and case.review.outcome == "escalate_to_human":
        return case.review.reasoning
    if case.triage is not None and case.triage.route == "human_review":
        return case.triage.reason
    if case.evidence is not None and case.evidence.target is None:
        return "the report is no issue: `--issue URL` says where it may be answered"
    return "nothing could be proposed"
