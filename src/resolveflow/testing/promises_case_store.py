"""What every case store promises; each function is one promise, given an empty store."""

import asyncio
import re
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from resolveflow.domain.case import Case
from resolveflow.domain.errors import (
    AlreadyDecided,
    ApprovalExpired,
    CaseBusy,
    NotApproved,
    ResolveFlowError,
    UnknownCase,
)
from resolveflow.domain.github import Account
from resolveflow.domain.proposal import Approval, ProposedAction, Resolution
from resolveflow.domain.report import IssueRef, Report
from resolveflow.domain.triage import Route, Triage
from resolveflow.ports import CaseStore

E = TypeVar("E", bound=ResolveFlowError)
REPORT = Report(kind="issue", source="o/r#1", ref=IssueRef(owner="o", repo="r", number=1))
PERSON = Account(id=7, login="mona")
POSTED = Resolution(outcome="posted", detail="posted", comment_id=1)


def proposal(case_id: str, text: str = "Found it.", *, issue: str = "o/r#1") -> ProposedAction:
    """Make a proposal for `case_id`."""
    marker = f"<!-- resolveflow:{case_id} -->"
    owner, repo, number = re.split("[/#]", issue)
    target = IssueRef(owner=owner, repo=repo, number=int(number))
    comment = f"{text}\n\n{marker}"
    return ProposedAction.propose(target, comment, ("bug",), marker=marker, snapshot="0" * 64)


def approval(case: Case, *, seconds: float = 60, person: Account = PERSON) -> Approval:
    """Make a yes to what `case` proposes, valid for `seconds`."""
    now = datetime.now(UTC)
    assert case.proposed_action is not None
    return Approval(
        case_id=case.id,
        digest=case.proposed_action.digest,
        approver=person,
        state="granted",
        granted_at=now,
        expires_at=now + timedelta(seconds=seconds),
    )


async def waiting(
    store: CaseStore, issue: str = "o/r#1", route: Route = "ai_investigation"
) -> Case:
    """Make a case that waits for an approval."""
    case = await store.create(REPORT)
    triage = Triage(kind="bug", route=route, rule="a", reason="b")
    await store.save(case.id, 1, "triage", triage)
    await store.save(case.id, 1, "proposed_action", proposal(case.id, issue=issue))
    await store.set_status(case.id, "awaiting_approval")
    return await store.case(case.id)


async def raises(kind: type[E], attempt: object) -> E:
    """Await something that has to fail with `kind`."""
    try:
        await attempt  # type: ignore[misc]
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} was not raised")


async def _claimed(store: CaseStore, case: Case, digest: str | None = None) -> Approval:
    async with store.claim(case.id, digest or approval(case).digest) as claimed:
        return claimed


async def finds_a_case_by_a_unique_prefix(store: CaseStore) -> None:
    """An id, or its beginning, names a case; nothing else does."""
    case = await store.create(REPORT)
    assert await store.case(case.id) == case
    assert (await store.case(case.id[:11])).id == case.id
    for unknown in ("", "zzz", "%", "_" * 12):
        await raises(UnknownCase, store.case(unknown))


async def keeps_the_first_row_of_a_stage(store: CaseStore) -> None:
    """What was shown stays what is stored."""
    case = await store.create(REPORT)
    first = Triage(kind="bug", route="human_review", rule="a", reason="first")
    await store.save(case.id, 1, "triage", first)
    await store.save(case.id, 1, "triage", first.model_copy(update={"reason": "second"}))
    assert (await store.case(case.id)).triage == first


async def lists_by_status_oldest_first(store: CaseStore) -> None:
    """The inbox is a query over statuses."""
    first, second = await store.create(REPORT), await store.create(REPORT)
    await store.set_status(second.id, "human_review", "why")
    assert [case.id for case in await store.cases()] == [first.id, second.id]
    assert [case.note for case in await store.cases(["human_review"])] == ["why"]


async def revises_without_the_old_rows(store: CaseStore) -> None:
    """A new revision starts empty, and an approval of the old one is worthless."""
    case = await waiting(store)
    await store.grant(approval(case))
    await store.void(case.id, approval(case).digest, "superseded", "edited")
    revised = await store.revise(case.id)
    assert (revised.revision, revised.status, revised.proposed_action) == (2, "running", None)
    await raises(NotApproved, _claimed(store, case))


async def grants_once(store: CaseStore) -> None:
    """Only a waiting case takes an approval, and only one."""
    case = await waiting(store)
    await store.grant(approval(case))
    await raises(AlreadyDecided, store.grant(approval(case)))
    await store.set_status(case.id, "awaiting_approval")
    await raises(AlreadyDecided, store.grant(approval(case)))


async def refuses_a_wrong_digest_and_stays_open(store: CaseStore) -> None:
    """A wrong approval leaves no trace that a right one could stumble over."""
    case = await waiting(store)
    wrong = approval(case).model_copy(update={"digest": "f" * 64})
    await raises(NotApproved, store.grant(wrong))
    await store.grant(approval(case))
    assert (await _claimed(store, case)).state == "claimed"


async def answers_an_issue_once_a_route(store: CaseStore) -> None:
    """Of two cases of one issue, the second is refused while the first is live or was used."""
    first, second, third = [await waiting(store, issue) for issue in ("o/r#1", "O/R#1", "o/r#1")]
    others = await waiting(store, "o/r#2"), await waiting(store, route="deterministic")
    await store.grant(approval(first))
    refused = await raises(AlreadyDecided, store.grant(approval(second)))
    assert f"case {first.id} has already been approved for o/r#1" in str(refused)
    assert (await store.case(second.id)).status == "awaiting_approval"
    await store.void(first.id, approval(first).digest, "expired", "too late")
    await store.grant(approval(second))
    await _claimed(store, second)
    await store.resolve(second.id, approval(second).digest, POSTED)
    refused = await raises(AlreadyDecided, store.grant(approval(third)))
    assert f"case {second.id} has already been posted for O/R#1" in str(refused)
    for other in others:
        await store.grant(approval(other))


async def claims_one_at_a_time(store: CaseStore) -> None:
    """While one holds the claim nobody else gets it; afterwards it can be taken up again."""
    case = await waiting(store)
    await store.grant(approval(case))
    async with store.claim(case.id, approval(case).digest) as first:
        await raises(CaseBusy, _claimed(store, case))
    again = await _claimed(store, case)
    assert (first.attempts, again.attempts) == (1, 2)


async def refuses_unapproved_claims(store: CaseStore) -> None:
    """No approval, another digest, an expired or a used one: nothing to claim."""
    case = await waiting(store)
    await raises(NotApproved, _claimed(store, case))
    await store.grant(approval(case, seconds=-1))
    await raises(NotApproved, _claimed(store, case, "f" * 64))
    await raises(ApprovalExpired, _claimed(store, case))


async def resolves_once(store: CaseStore) -> None:
    """The outcome is final and uses the approval up."""
    case = await waiting(store)
    await store.grant(approval(case))
    await _claimed(store, case)
    await store.resolve(case.id, approval(case).digest, POSTED)
    posted = await store.case(case.id)
    assert (posted.status, posted.resolution) == ("posted", POSTED)
    assert posted.approval is not None
    assert posted.approval.state == "done"
    await raises(AlreadyDecided, _claimed(store, case))
    await store.set_status(case.id, "failed", "too late")
    assert (await store.revise(case.id)).status == "posted"


async def rejects_what_is_not_decided(store: CaseStore) -> None:
    """A rejection closes a case; it cannot overtake an approval."""
    case, other = await waiting(store), await waiting(store)
    assert (await store.reject(case.id, "wrong")).status == "rejected"
    await raises(AlreadyDecided, store.grant(approval(case)))
    await store.grant(approval(other))
    await raises(AlreadyDecided, store.reject(other.id, "too late"))
    assert [event.what for event in await store.history(case.id)][-1] == "rejected"


async def works_on_a_case_alone(store: CaseStore) -> None:
    """One process advances a case, and cases do not block each other."""
    case, other = await store.create(REPORT), await store.create(REPORT)

    async def work(case_id: str) -> None:
        async with store.working(case_id):
            await asyncio.sleep(0)

    async with store.working(case.id):
        await raises(CaseBusy, work(case.id))
        await work(other.id)
    await work(case.id)


PROMISES = (
    finds_a_case_by_a_unique_prefix,
    keeps_the_first_row_of_a_stage,
    lists_by_status_oldest_first,
    revises_without_the_old_rows,
    grants_once,
    refuses_a_wrong_digest_and_stays_open,
    answers_an_issue_once_a_route,
    claims_one_at_a_time,
    refuses_unapproved_claims,
    resolves_once,
    rejects_what_is_not_decided,
    works_on_a_case_alone,
)
