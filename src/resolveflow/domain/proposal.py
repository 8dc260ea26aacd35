"""The one write: what is proposed, who approved it, what became of it."""

import hashlib
import json
from datetime import datetime
from typing import Literal

from resolveflow.domain.github import Account
from resolveflow.domain.report import IssueRef
from resolveflow.domain.value import Value


def issue_hash(title: str, body: str | None, state: str, *, locked: bool) -> str:
    """Hash what an approver relies on (SHA-256, hexadecimal).

    `updated_at` and comments are left out: any bystander's comment would void an approval.
    """
    text = json.dumps([title, body or "", state, locked], ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


class ProposedAction(Value):
    """A comment and labels for one issue, as the exact text that would be posted.

    `marker` is the hidden line inside `comment` by which a retry finds its own post.
    """

    target: IssueRef
    comment: str
    labels: tuple[str, ...] = ()
    marker: str
    issue_hash: str
    digest: str

    @staticmethod
    def digest_of(target: IssueRef, comment: str, labels: tuple[str, ...], snapshot: str) -> str:
        """Digest everything that an approval binds to (SHA-256, hexadecimal)."""
        parts = [target.owner, target.repo, target.number, comment, list(labels), snapshot]
        text = json.dumps(parts, ensure_ascii=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    @classmethod
    def propose(
        cls, target: IssueRef, comment: str, labels: tuple[str, ...], *, marker: str, snapshot: str
    ) -> "ProposedAction":
        """Make an action whose digest covers exactly these bytes."""
        digest = cls.digest_of(target, comment, labels, snapshot)
        return cls(
            target=target,
            comment=comment,
            labels=labels,
            marker=marker,
            issue_hash=snapshot,
            digest=digest,
        )

    @property
    def intact(self) -> bool:
        """Whether the stored digest still covers the stored bytes."""
        return self.digest == self.digest_of(
            self.target, self.comment, self.labels, self.issue_hash
        )


class Approval(Value):
    """A person's yes to one digest, usable once: granted → claimed → done (or void)."""

    case_id: str
    digest: str
    approver: Account
    state: Literal["granted", "claimed", "done", "void"]
    granted_at: datetime
    expires_at: datetime
    attempts: int = 0


class Resolution(Value):
    """What happened at GitHub; `partial` is a posted comment whose labels were refused."""

    outcome: Literal["posted", "partial", "refused"]
    detail: str
    comment_url: str | None = None
    comment_id: int | None = None
    approver: Account | None = None
