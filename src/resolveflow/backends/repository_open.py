"""Opening a source tree wherever it is: a working tree, a git directory, a URL, an sdist."""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from resolveflow.backends.git import find_git, moment, open_objects
from resolveflow.backends.mirrors import Mirror, Mirrors, is_url
from resolveflow.backends.repository_git import GitRepository
from resolveflow.backends.repository_pin import Wanted, pin
from resolveflow.backends.work_tree import gaps
from resolveflow.domain.errors import RepositoryError
from resolveflow.domain.report import TreeRef

if TYPE_CHECKING:
    from collections.abc import Iterable

    from resolveflow.backends.git import Git, ObjectStore
    from resolveflow.ports import Repository

_UNPRINTABLE = re.compile(r"[\0-\x1f\x7f\ud800-\udfff]")
_OBJECT_ID = re.compile(r"[0-9a-f]{7,64}")


class RepositoryOpener:
    """Opens trees; clones and git's own empty directory are kept below `home`.

    `tell_gaps` compares a work tree with its commit to say what is not in it, which costs more
    than all else here.
    """

    def __init__(self, home: Path, *, tell_gaps: bool = True) -> None:
        self._home = home
        self._tell_gaps = tell_gaps

    async def __call__(
        self,
        location: str,
        *,
        commit: str | None = None,
        version: str | None = None,
        date: datetime | None = None,
    ) -> Repository:
        """The tree at `location`, pinned by `commit`, else `version`, else `date`, else HEAD.

        Raises:
            RepositoryError: nothing there that can be read, or no such commit.
            RepositoryUnavailable: the host of a clone URL did not answer.
            MissingProgram: git is not installed and the tree is in a git repository.
        """
        wanted = Wanted(commit, version, date and _utc(date))
        try:
            return await self._opened(location, wanted)
        except OSError as error:
            raise RepositoryError(
                f"{location[:200]!r} cannot be opened: {error.strerror} ({error.filename!r})."
            ) from None

    async def _opened(self, location: str, wanted: Wanted) -> Repository:
        if is_url(location):
            return await self._mirrored(location, wanted)
        path = await asyncio.to_thread(_resolved, location)
        if await asyncio.to_thread(_is_git, path):
            return await self._git(path, str(path), wanted)
        return _unversioned(await _open_files(path), wanted.commit)

    async def _mirrored(self, url: str, wanted: Wanted) -> Repository:
        git = find_git(self._home / "git")
        mirrors = Mirrors(self._home / "mirrors", git)
        now = datetime.now(UTC)
        newest = wanted == Wanted() or (wanted.commit and not _OBJECT_ID.fullmatch(wanted.commit))
        mirror = await mirrors.mirror(url, newer_than=now if newest else None)
        if not newest and mirror.refreshed < now and not await self._answers(mirror, url, wanted):
            mirror = await mirrors.mirror(url, newer_than=now)
        if mirror.problem is None:
            return await self._git(mirror.directory, url, wanted)
        told = f"the mirror was last updated at {mirror.refreshed:%Y-%m-%d %H:%M} UTC"
        lacks = [f"Later commits: {told}, and its host does not answer"]
        try:
            return await self._git(mirror.directory, url, wanted, lacks=lacks)
        except RepositoryError:  # it may be there by now
            raise mirror.problem from None

    async def _answers(self, mirror: Mirror, url: str, wanted: Wanted) -> bool:
        git = find_git(self._home / "git")
        objects = await open_objects(git, mirror.directory, location=url)
        try:
            pinned = await pin(git, mirror.directory, objects, wanted)
        except RepositoryError:
            return False
        return pinned.met and (wanted.date is None or wanted.date < mirror.refreshed)

    async def _git(
        self, directory: Path, location: str, wanted: Wanted, *, lacks: Iterable[str] = ()
    ) -> GitRepository:
        git = find_git(self._home / "git")
        objects = await open_objects(git, directory, location=location)
        pinned = await pin(git, directory, objects, wanted)
        ref = TreeRef(
            location=location,
            kind="git",
            commit=pinned.commit,
            reason=pinned.reason,
            gaps=(*lacks, *await self._gaps(git, directory, objects, wanted)),
        )
        return GitRepository(objects, ref)

    async def _gaps(
        self, git: Git, directory: Path, objects: ObjectStore, wanted: Wanted
    ) -> tuple[str, ...]:
        if not self._tell_gaps:
            return ()
        return await gaps(git, directory, objects, asked=wanted.commit is not None)


async def _open_files(path: Path) -> Repository:
    from resolveflow.backends.repository_directory import open_directory
    from resolveflow.backends.repository_sdist import open_sdist

    is_file = await asyncio.to_thread(path.is_file)
    return await (open_sdist(path) if is_file else open_directory(path))


def _unversioned(repository: Repository, commit: str | None) -> Repository:
    if commit not in (None, repository.ref.commit):
        raise RepositoryError(
            f"{repository.ref.location} has no commits, only its content "
            f"{repository.ref.short}…: leave the commit out."
        )
    return repository


def _resolved(location: str) -> Path:
    if not location.strip():
        raise RepositoryError("The repository's location is empty.")
    if _UNPRINTABLE.search(location):
        raise RepositoryError(f"{location[:200]!r} holds a character that no location may have.")
    try:
        path = Path(location).expanduser().resolve()
        path.stat()
    except (OSError, RuntimeError):
        raise RepositoryError(f"{location[:200]} does not exist or cannot be read.") from None
    if _UNPRINTABLE.search(str(path)):
        raise RepositoryError(f"{str(path)[:200]!r} cannot be named in a report: rename it.")
    return path


def _utc(date: datetime) -> datetime:
    return moment((date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp())


def _is_git(path: Path) -> bool:
    bare = (path / "HEAD").is_file() and (path / "objects").is_dir() and (path / "refs").is_dir()
    return bare or (path / ".git").exists()
