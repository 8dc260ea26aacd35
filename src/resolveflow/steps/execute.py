"""The only function that writes to the outside world."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from resolveflow.domain.errors import (
    ApprovalExpired,
    GitHubRefused,
    GitHubUnavailable,
    NotApproved,
    OutcomeUnknown,
    Superseded,
)
from resolveflow.domain.github import Comment
from resolveflow.domain.proposal import Approval, ProposedAction, Resolution, issue_hash
from resolveflow.ports import GitHubWriter, OpenWriter, TokenVault

# How often one approval may send its comment: the second time only after the first is known to
# have left nothing behind.
POST_TRIES = 2


async def execute(
    action: ProposedAction,
    approval: Approval,
    *,
    vault: TokenVault,
    open_writer: OpenWriter,
    settle: float,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> Resolution:
    """Post the approved bytes once, as the approver, then add the labels.

    `approval` has to be claimed by this case. A comment by the approver with these very bytes is
    taken for our own from an earlier try and is never repeated. `settle` is how many seconds
    GitHub may still be working on a request whose answer was lost (GitHub ends a request after
    10 seconds, says its REST troubleshooting page); only then is the comment sent again.

    Raises:
        NotApproved: no claimed approval for these bytes, or the token is somebody else's.
        ApprovalExpired: the approval ran out before anything was posted.
        Superseded: title, body, state or lock of the issue changed since it was read.
        GitHubUnavailable: GitHub did not answer; nothing is lost, it may be tried again.
    """
    _require_claim(action, approval)
    token = await vault.token(approval.approver.id)
    async with open_writer(token) as writer:
        await _require_person(approval, writer)
        comment = await _own_comment(action, approval, writer)
        if comment is None and approval.attempts > 1:
            comment = await _late_comment(action, approval, writer, settle=settle, sleep=sleep)
        if comment is None:
            _require_time(approval)
            await _require_unchanged(action, writer)
            try:
                comment = await _post(action, approval, writer, settle=settle, sleep=sleep)
            except GitHubRefused as error:
                return Resolution(outcome="refused", detail=str(error), approver=approval.approver)
        return await _label(action, approval, writer, comment)


def _require_claim(action: ProposedAction, approval: Approval) -> None:
    if not action.intact:
        raise NotApproved("the stored proposal does not match its own digest; nothing was posted")
    if approval.digest != action.digest or approval.state != "claimed":
        raise NotApproved("there is no claimed approval for these bytes; nothing was posted")


def _require_time(approval: Approval) -> None:
    if datetime.now(UTC) > approval.expires_at:
        raise ApprovalExpired(
            f"the approval of case {approval.case_id} expired before anything was posted; "
            f"run `resolveflow resume {approval.case_id}` and approve again"
        )


async def _require_person(approval: Approval, writer: GitHubWriter) -> None:
    account = await writer.viewer()
    if account.id != approval.approver.id:
        raise NotApproved(
            f"approved by {approval.approver.login}, but the token belongs to {account.login}; "
            "nothing was posted"
        )
    if account.type != "User":
        raise NotApproved(f"{account.login} is a {account.type.lower()}; only a person may approve")


async def _require_unchanged(action: ProposedAction, writer: GitHubWriter) -> None:
    issue = await writer.issue(action.target)
    now = issue_hash(issue.title, issue.body, issue.state, locked=issue.locked)
    if now != action.issue_hash:
        raise Superseded(
            f"{action.target} was edited, closed or locked since it was read; nothing was posted"
        )


async def _own_comment(
    action: ProposedAction, approval: Approval, writer: GitHubWriter
) -> Comment | None:
    """Find our comment by author and bytes: a marker that somebody pasted does not count."""
    wanted = _same_lines(action.comment)
    for comment in await writer.comments(action.target):
        if comment.user is None or comment.user.id != approval.approver.id:
            continue
        if _same_lines(comment.body or "") == wanted:
            return comment
    return None


def _same_lines(text: str) -> str:
    return text.replace("\r\n", "\n")


async def _late_comment(
    action: ProposedAction,
    approval: Approval,
    writer: GitHubWriter,
    *,
    settle: float,
    sleep: Callable[[float], Awaitable[None]],
) -> Comment | None:
    """Look twice more for a comment whose answer was lost, until GitHub must be done with it."""
    for wait in (settle / 4, settle * 3 / 4):
        await sleep(wait)
        comment = await _own_comment(action, approval, writer)
        if comment is not None:
            return comment
    return None


async def _post(
    action: ProposedAction,
    approval: Approval,
    writer: GitHubWriter,
    *,
    settle: float,
    sleep: Callable[[float], Awaitable[None]],
) -> Comment:
    for last in (*[False] * (POST_TRIES - 1), True):
        try:
            return await writer.post_comment(action.target, action.comment)
        except OutcomeUnknown:
            comment = await _late_comment(action, approval, writer, settle=settle, sleep=sleep)
            if comment is not None:
                return comment
            if last:
                raise
            _require_time(approval)
            await _require_unchanged(action, writer)
    raise AssertionError("unreachable: the last try returns or raises")


async def _label(
    action: ProposedAction, approval: Approval, writer: GitHubWriter, comment: Comment
) -> Resolution:
    outcome = Resolution(
        outcome="posted",
        detail=f"posted to {action.target} as {approval.approver.login}",
        comment_url=comment.html_url,
        comment_id=comment.id,
        approver=approval.approver,
    )
    if not action.labels:
        return outcome
    try:
        await writer.add_labels(action.target, action.labels)
    except (GitHubRefused, GitHubUnavailable) as error:
        said = error.detail if isinstance(error, GitHubRefused) and error.detail else str(error)
        detail = f"{outcome.detail}; labels {', '.join(action.labels)} not added: {said}"
        return outcome.model_copy(update={"outcome": "partial", "detail": detail})
    return outcome
