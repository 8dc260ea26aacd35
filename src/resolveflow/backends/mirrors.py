"""Clones of remote repositories, kept below the home directory and shared by processes."""

from __future__ import annotations

import asyncio
import hashlib
import re
import shutil
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from resolveflow.backends.git import GitFailed
from resolveflow.backends.locks import waiting_lock
from resolveflow.domain.errors import RepositoryError, RepositoryUnavailable

if TYPE_CHECKING:
    from resolveflow.backends.git import Git

_SECONDS = 3600.0
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_TRANSFER = (
    *("-c", "http.lowSpeedLimit=1000"),
    *("-c", "http.lowSpeedTime=60"),
    *("-c", "gc.auto=0"),
    *("-c", "maintenance.auto=false"),
)
# What git says where the host answered and said no; anything else is a host that is away.
_ANSWERED_NO = re.compile(
    r"' not found|Authentication failed|could not read (?:Username|Password)"
    r"|returned error: 4(?!08|29)\d\d|not valid: is this a git repository"
)


@dataclass(frozen=True)
class Mirror:
    """A complete clone: when it was last refreshed, and why it is no newer than that."""

    directory: Path
    refreshed: datetime
    problem: RepositoryUnavailable | None = None


class Mirrors:
    """Bare clones by URL: made once, refreshed on demand, one process at a time."""

    def __init__(self, home: Path, git: Git) -> None:
        self._home = home
        self._git = git

    async def mirror(self, url: str, *, newer_than: datetime | None) -> Mirror:
        """A complete clone of `url`, refreshed first where that was before `newer_than`.

        Where the host does not answer, it is the clone as it was, with the problem.

        Raises:
            RepositoryError: the URL may not be cloned, or its host said no.
            RepositoryUnavailable: its host did not answer, and there is no clone yet.
        """
        problem = None
        protocol = _allowed(url)
        target = self._home / _name(url)
        async with waiting_lock(target.with_suffix(".lock")):
            if not await asyncio.to_thread((target / "HEAD").is_file):
                await self._clone(url, target, protocol)
            elif newer_than and await asyncio.to_thread(_refreshed, target) < newer_than:
                try:
                    await self._fetch(url, target, protocol)
                except RepositoryUnavailable as error:
                    problem = error
            return Mirror(target, await asyncio.to_thread(_refreshed, target), problem)

    async def _clone(self, url: str, target: Path, protocol: str) -> None:
        await asyncio.to_thread(_remove, target)
        for left in await asyncio.to_thread(lambda: list(target.parent.glob(f"{target.name}.*-"))):
            await asyncio.to_thread(_remove, left)
        unfinished = Path(
            await asyncio.to_thread(
                tempfile.mkdtemp, suffix="-", prefix=f"{target.name}.", dir=target.parent
            )
        )
        try:
            await self._online(
                *("clone", "--quiet", "--bare", "--template=", "--no-recurse-submodules"),
                *("--", url, str(unfinished)),
                url=url,
                protocol=protocol,
            )
            await asyncio.to_thread(unfinished.rename, target)
        finally:
            await asyncio.to_thread(_remove, unfinished)

    async def _fetch(self, url: str, target: Path, protocol: str) -> None:
        await asyncio.to_thread(_unlock, target)
        await self._online(
            *("--git-dir", str(target), "fetch", "--quiet", "--prune", "--no-recurse-submodules"),
            *("--force", "--", url, "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"),
            url=url,
            protocol=protocol,
        )
        try:
            await self._git.names(target, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        except GitFailed:
            await self._clone(url, target, protocol)
            return
        await asyncio.to_thread((target / "HEAD").touch)

    async def _online(self, *arguments: str, url: str, protocol: str) -> None:
        try:
            await self._git.run(
                *_TRANSFER,
                *("-c", f"protocol.{protocol}.allow=always"),
                *arguments,
                environment=self._git.online(protocol),
                seconds=_SECONDS,
            )
        except GitFailed as error:
            message = f"{url} could not be cloned: {error}."
            if _ANSWERED_NO.search(str(error)):
                raise RepositoryError(message) from None
            raise RepositoryUnavailable(message) from None


def is_url(location: str) -> bool:
    """Whether `location` is meant as a URL and not as a path."""
    return "://" in location or bool(re.match(r"[\w.-]+@[\w.-]+:|\w+::", location))


def _allowed(url: str) -> str:
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        raise RepositoryError(f"{url[:200]!r} is no URL that can be cloned.") from None
    if parts.username or parts.password:
        raise RepositoryError("A clone URL must not hold a user name or a password.")
    if (
        any(ord(letter) <= 32 for letter in url)
        or parts.scheme not in {"https", "http"}
        or not host
    ):
        raise RepositoryError(
            f"{url[:200]!r} cannot be cloned: only https URLs are; clone it yourself and give "
            f"the path."
        )
    if parts.scheme == "http" and host not in _LOOPBACK:
        raise RepositoryError(f"{url[:200]} is not encrypted: use https.")
    return parts.scheme


def _name(url: str) -> str:
    parts = urlsplit(url)
    told = re.sub(r"[^A-Za-z0-9.]+", "-", f"{parts.hostname}{parts.path}").strip("-.")[-80:]
    return f"{told.removesuffix('.git')}-{hashlib.sha256(url.encode()).hexdigest()[:16]}.git"


def _refreshed(directory: Path) -> datetime:
    return datetime.fromtimestamp((directory / "HEAD").stat().st_mtime, UTC)


def _unlock(mirror: Path) -> None:
    """Remove git's own locks: we hold the mirror's, so they are of a process that was killed."""
    for place in (mirror, mirror / "objects", mirror / "refs"):
        for lock in place.glob("**/*.lock" if place.name == "refs" else "*.lock"):
            lock.unlink(missing_ok=True)


def _remove(path: Path) -> None:
    shutil.rmtree(path, ignore_errors=True)
