"""The one writer: every refusal, every lost answer, and the bytes that arrive."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest
from pydantic import SecretStr

from resolveflow.backends.token_vault import OneTokenVault
from resolveflow.domain.errors import (
    ApprovalExpired,
    GitHubRefused,
    GitHubUnavailable,
    NotApproved,
    OutcomeUnknown,
    Superseded,
)
from resolveflow.domain.github import Account, Comment, Issue
from resolveflow.domain.proposal import Approval, ProposedAction, Resolution, issue_hash
from resolveflow.domain.report import IssueRef
from resolveflow.steps.execute import execute

REF = IssueRef(owner="o", repo="r", number=1)
MONA = Account(id=7, login="mona")
EVE = Account(id=8, login="eve")
ISSUE = Issue(title="Boom", body="It broke")
ACTION = ProposedAction.propose(
    REF,
    "Found it.\n\n<!-- resolveflow:c1 -->",
    ("bug",),
    marker="<!-- resolveflow:c1 -->",
    snapshot=issue_hash("Boom", "It broke", "open", locked=False),
)


class Writer:
    """GitHub as one person sees it, with faults in the order given."""

    def __init__(self, *, viewer: Account = MONA, issue: Issue = ISSUE) -> None:
        self.account = viewer
        self.now = issue
        self.posted: list[Comment] = []
        self.labels: list[str] = []
        self.posts = 0
        self.lost: list[bool] = []  # per post: was the comment kept before the answer was lost?
        self.refusal: GitHubRefused | None = None
        self.label_refusal: Exception | None = None

    @asynccontextmanager
    async def open(self, token: SecretStr) -> AsyncIterator["Writer"]:
        assert token.get_secret_value() == "t0ken"
        yield self

    async def viewer(self) -> Account:
        return self.account

    async def issue(self, ref: IssueRef) -> Issue:
        assert ref == REF
        return self.now

    async def comments(self, ref: IssueRef) -> tuple[Comment, ...]:
        assert ref == REF
        return tuple(self.posted)

    async def post_comment(self, ref: IssueRef, body: str) -> Comment:
        self.posts += 1
        if self.refusal:
            raise self.refusal
        kept = not self.lost or self.lost.pop(0)
        comment = self.add(body, self.account)
        if not kept:
            self.posted.remove(comment)
        if self.lost or not kept:
            raise OutcomeUnknown("the answer was lost")
        return comment

    async def add_labels(self, ref: IssueRef, labels: Sequence[str]) -> None:
        if self.label_refusal:
            raise self.label_refusal
        self.labels += labels

    def add(self, body: str, user: Account) -> Comment:
        comment = Comment(id=len(self.posted) + 100, body=body, user=user, html_url="https://x/1")
        self.posted.append(comment)
        return comment


def approval(**changes: object) -> Approval:
    now = datetime.now(UTC)
    values = {
        "case_id": "c1",
        "digest": ACTION.digest,
        "approver": MONA,
        "state": "claimed",
        "granted_at": now,
        "expires_at": now + timedelta(minutes=5),
        "attempts": 1,
    }
    return Approval.model_validate({**values, **changes})


async def run(
    writer: Writer, given: Approval | None = None, action: ProposedAction = ACTION
) -> tuple[Resolution, list[float]]:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    resolution = await execute(
        action,
        given or approval(),
        vault=OneTokenVault(SecretStr("t0ken")),
        open_writer=writer.open,
        settle=12,
        sleep=sleep,
    )
    return resolution, waits


async def test_posts_the_exact_bytes_once_as_the_approver() -> None:
    writer = Writer()
    resolution, waits = await run(writer)
    assert [comment.body for comment in writer.posted] == [ACTION.comment]
    assert writer.labels == ["bug"]
    assert (resolution.outcome, resolution.comment_id, waits) == ("posted", 100, [])
    assert resolution.approver == MONA


@pytest.mark.parametrize(
    ("given", "action"),
    [
        (approval(state="granted"), ACTION),
        (approval(state="done"), ACTION),
        (approval(state="void"), ACTION),
        (approval(digest="f" * 64), ACTION),
        (approval(), ACTION.model_copy(update={"comment": "Other bytes"})),
        (approval(), ACTION.model_copy(update={"labels": ("security",)})),
        (approval(), ACTION.model_copy(update={"target": REF.model_copy(update={"number": 2})})),
    ],
)
async def test_refuses_without_a_claim_on_these_bytes(
    given: Approval, action: ProposedAction
) -> None:
    writer = Writer()
    with pytest.raises(NotApproved):
        await run(writer, given, action)
    assert writer.posts == 0


async def test_refusals_are_permission_errors() -> None:
    with pytest.raises(PermissionError):
        await run(Writer(), approval(state="granted"))


@pytest.mark.parametrize(
    "viewer", [EVE, MONA.model_copy(update={"type": "Bot"})], ids=["somebody-else", "bot"]
)
async def test_refuses_another_principal(viewer: Account) -> None:
    writer = Writer(viewer=viewer)
    with pytest.raises(NotApproved):
        await run(writer)
    assert writer.posts == 0


async def test_refuses_without_a_token() -> None:
    writer = Writer()
    with pytest.raises(NotApproved, match="RESOLVEFLOW_APPROVER_TOKEN"):
        await execute(
            ACTION, approval(), vault=OneTokenVault(None), open_writer=writer.open, settle=0
        )
    assert writer.posts == 0


@pytest.mark.parametrize(
    "change",
    [{"title": "Boom!"}, {"body": None}, {"state": "closed"}, {"locked": True}],
    ids=["title", "body", "closed", "locked"],
)
async def test_refuses_a_changed_issue(change: dict[str, object]) -> None:
    writer = Writer(issue=ISSUE.model_copy(update=change))
    with pytest.raises(Superseded):
        await run(writer)
    assert writer.posts == 0


async def test_refuses_an_expired_approval() -> None:
    writer = Writer()
    with pytest.raises(ApprovalExpired):
        await run(writer, approval(expires_at=datetime.now(UTC) - timedelta(seconds=1)))
    assert writer.posts == 0


async def test_an_earlier_post_is_found_even_after_edits_and_expiry() -> None:
    writer = Writer(issue=ISSUE.model_copy(update={"title": "Edited since"}))
    writer.add(ACTION.comment.replace("\n", "\r\n"), MONA)
    late = approval(attempts=2, expires_at=datetime.now(UTC) - timedelta(days=7))
    resolution, _ = await run(writer, late)
    assert (resolution.outcome, writer.posts) == ("posted", 0)


async def test_a_marker_that_somebody_pasted_does_not_count() -> None:
    writer = Writer()
    writer.add(ACTION.comment, EVE)
    writer.add(f"quoting {ACTION.comment}", MONA)
    writer.posted.append(Comment(id=99, body=ACTION.comment, user=None))
    await run(writer)
    assert writer.posts == 1


@pytest.mark.parametrize(
    ("lost", "posts", "waits"),
    [([True, True], 1, [3.0]), ([False, True], 2, [3.0, 9.0])],
    ids=["kept", "not-kept"],
)
async def test_a_lost_answer_is_looked_for_before_a_second_try(
    lost: list[bool], posts: int, waits: list[float]
) -> None:
    writer = Writer()
    writer.lost = lost
    resolution, slept = await run(writer)
    assert (resolution.outcome, len(writer.posted), writer.posts) == ("posted", 1, posts)
    assert slept == waits


async def test_two_lost_answers_stop_the_tries() -> None:
    writer = Writer()
    writer.lost = [False, False, False]
    with pytest.raises(OutcomeUnknown):
        await run(writer)
    assert writer.posts == 2


async def test_a_recovery_waits_for_a_comment_under_way() -> None:
    writer = Writer()
    _, slept = await run(writer, approval(attempts=2))
    assert (writer.posts, slept) == (1, [3.0, 9.0])


@pytest.mark.parametrize(
    ("refusal", "said"),
    [
        (GitHubRefused("refused", status=403, detail="Must have triage rights"), "triage rights"),
        (GitHubUnavailable("GitHub answered 502"), "502"),
    ],
)
async def test_refused_labels_leave_a_partial_success(refusal: Exception, said: str) -> None:
    writer = Writer()
    writer.label_refusal = refusal
    resolution, _ = await run(writer)
    assert resolution.outcome == "partial"
    assert said in resolution.detail
    assert len(writer.posted) == 1


async def test_a_refused_comment_is_a_refusal() -> None:
    writer = Writer()
    writer.refusal = GitHubRefused("o/r#1 is locked", status=403)
    resolution, _ = await run(writer)
    assert (resolution.outcome, resolution.detail) == ("refused", "o/r#1 is locked")
    assert writer.labels == []


async def test_no_labels_no_request() -> None:
    writer = Writer()
    writer.label_refusal = GitHubUnavailable("must not be asked")
    action = ProposedAction.propose(
        REF, ACTION.comment, (), marker=ACTION.marker, snapshot=ACTION.issue_hash
    )
    resolution, _ = await run(writer, approval(digest=action.digest), action)
    assert resolution.outcome == "posted"
