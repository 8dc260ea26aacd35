"""Which commit of a git repository a report is about, and why that one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from resolveflow.backends.git import GitFailed
from resolveflow.codebase.versions import matching_tags
from resolveflow.domain.errors import RepositoryError

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from resolveflow.backends.git import Git, ObjectStore

_COMMIT_NAME = re.compile(r"[A-Za-z0-9_][\w./@^~+-]{0,250}")
_DEFAULT_BRANCH = "refs/remotes/origin/HEAD"


@dataclass(frozen=True)
class Wanted:
    """What the caller knows about the commit: the first that is set decides; `date` is in UTC."""

    commit: str | None = None
    version: str | None = None
    date: datetime | None = None


@dataclass(frozen=True)
class Pin:
    """A commit's full object id, why it was chosen, and whether it is what was wanted."""

    commit: str
    reason: str
    met: bool = True


async def pin(git: Git, directory: Path, objects: ObjectStore, wanted: Wanted) -> Pin:
    """The commit that `wanted` means in the repository at `directory`.

    Raises:
        RepositoryError: the commit does not exist there, or the repository has no commit at all.
    """
    if wanted.commit is not None:
        return await _named(git, directory, objects, wanted.commit)
    notes = []
    if wanted.version is not None:
        tagged = await _tagged(git, directory, wanted.version)
        if tagged is not None:
            return tagged
        notes.append(f"no tag matches the reported version {_told(wanted.version)}")
    if wanted.date is not None:
        dated = await _dated(git, directory, objects, wanted.date)
        if dated is not None:
            return _noted(dated, notes)
        shallow = " of this shallow clone" if objects.shallow else ""
        notes.append(f"no commit{shallow} is as old as {wanted.date:%Y-%m-%d}")
    head = await _resolved(git, directory, "HEAD")
    if head is None:
        raise RepositoryError(await _headless(git, directory, objects.location))
    return _noted(Pin(head, "HEAD"), notes)


async def _headless(git: Git, directory: Path, location: str) -> str:
    try:
        lost = await git.names(directory, "rev-parse", "--verify", "--quiet", "HEAD")
    except GitFailed:
        return f"{location} has no commit yet: nothing can be read."
    return f"{location} is at {lost[:12]}, which is missing there: fetch it, or name a commit."


def _told(version: str) -> str:
    return " ".join(version.split())[:60]


def _noted(pinned: Pin, notes: list[str]) -> Pin:
    if not notes:
        return pinned
    return Pin(pinned.commit, f"{pinned.reason}: {' and '.join(notes)}", met=False)


async def _named(git: Git, directory: Path, objects: ObjectStore, name: str) -> Pin:
    found = await _resolved(git, directory, name) if _COMMIT_NAME.fullmatch(name) else None
    if found is None:
        hint = (
            "it is a shallow clone: run `git fetch --unshallow` there"
            if objects.shallow
            else "check the name, or fetch it first"
        )
        raise RepositoryError(f"{objects.location} has no commit {name[:80]!r}; {hint}.")
    return Pin(found, f"commit {name} as asked")


async def _resolved(git: Git, directory: Path, name: str) -> str | None:
    try:
        return await git.names(
            directory,
            *("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"),
        )
    except GitFailed:
        return None


async def _tagged(git: Git, directory: Path, version: str) -> Pin | None:
    listed = await git.names(
        directory, "for-each-ref", "--format=%(refname:strip=2)%00%(objectname)", "refs/tags"
    )
    tags = dict(line.split("\0", 1) for line in listed.splitlines() if "\0" in line)
    names = matching_tags(tags, version)
    for name in names:
        commit = await _resolved(git, directory, tags[name])
        if commit is not None:
            reason = f"tag {name} matches the reported version {_told(version)}"
            if len(names) > 1:
                reason += f" (so do {', '.join(n for n in names[:6] if n != name)})"
            return Pin(commit, reason)
    return None


async def _dated(git: Git, directory: Path, objects: ObjectStore, date: datetime) -> Pin | None:
    branch = await _resolved(git, directory, _DEFAULT_BRANCH)
    branch = branch or await _resolved(git, directory, "HEAD")
    if branch is None:
        return None
    found = await objects.run(
        *("rev-list", "--max-count=1", "--first-parent"),
        *(f"--before=@{int(date.timestamp())} +0000", branch, "--"),
    )
    commit = found.decode().strip()
    if not commit:
        return None
    return Pin(commit, f"the default branch's last commit at {date:%Y-%m-%d %H:%M} UTC")
