"""What a git repository's reader may expect of it that its objects do not have."""

from __future__ import annotations

import asyncio
import shutil
import stat
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from resolveflow.backends.git import GitFailed

if TYPE_CHECKING:
    from resolveflow.backends.git import Git, ObjectStore

_SECONDS = 20.0
_MOST_PATHS = 3
_LARGEST_INDEX = 512 * 1024 * 1024  # bytes; a million files need a fifth of it
SHALLOW = "Commits older than this shallow clone: `git fetch --unshallow` brings them"
_UNKNOWN = "Whether the work tree has uncommitted changes: git could not tell"


async def gaps(git: Git, directory: Path, objects: ObjectStore, *, asked: bool) -> tuple[str, ...]:
    """Sentences on older commits, and on the work tree unless a commit was `asked` for by name."""
    found = [SHALLOW] if objects.shallow else []
    if not asked and await asyncio.to_thread((directory / ".git").exists):
        try:
            changed = await _uncommitted(git, directory, objects)
        except (GitFailed, OSError):
            found.append(_UNKNOWN)
        else:
            found += [_told(changed)] if changed else []
    return tuple(found)


async def _uncommitted(git: Git, directory: Path, objects: ObjectStore) -> list[str]:
    """The tracked files whose content is not that of HEAD.

    Git compares them in our empty git directory, so that no filter, monitor or hook of the
    repository is in force, and with a copy of the index, because it would write to it.
    """
    named = await git.names(
        directory, "rev-parse", "--path-format=absolute", "HEAD", "--git-path", "index"
    )
    head, index = named.split("\n")[:2]
    with TemporaryDirectory() as folder:
        copy = Path(folder, "index")
        await asyncio.to_thread(_copy, Path(index), copy)
        out = await git.run(
            *("-C", str(directory), "diff", "--name-only", "-z", "--no-renames"),
            *("--no-ext-diff", "--no-textconv", "--ignore-submodules=all", head, "--"),
            environment={
                **objects.environment,
                "GIT_WORK_TREE": str(directory),
                "GIT_INDEX_FILE": str(copy),
            },
            seconds=_SECONDS,
        )
    return [path.decode("utf-8", "surrogateescape") for path in out.split(b"\0") if path]


def _copy(index: Path, copy: Path) -> None:
    status = index.lstat()
    if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST_INDEX:
        raise OSError(f"{index} is no index")  # but a link to what has no end, say
    shutil.copy2(index, copy)  # with its time: git compares that


def _told(changed: list[str]) -> str:
    shown = [path for path in changed if path.isprintable()][:_MOST_PATHS]
    rest = len(changed) - len(shown)
    listed = ", ".join([*shown, *([f"{rest} more"] if rest else [])])
    return f"Uncommitted changes of the work tree, no part of this commit: {listed}"
