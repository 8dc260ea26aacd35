"""Where the repositories of the measured reports are: a directory, and a host for the others."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from resolveflow.backends.mirrors import Mirrors
from resolveflow.domain.errors import RepositoryError, RepositoryUnavailable
from resolveflow.ports import OpenRepository, Repository


class Repositories:
    """Opens OWNER/NAME from `directory/OWNER__NAME`; else from its clone, if `mirrors` is given.

    A clone that failed is not tried again: many reports are of the same repository.
    """

    def __init__(
        self,
        directory: Path,
        *,
        open_repository: OpenRepository,
        web_url: str = "https://github.com",
        mirrors: Mirrors | None = None,
        tell: Callable[[str], Awaitable[None]] | None = None,
    ) -> None:
        self._directory = directory
        self._open = open_repository
        self._web_url = web_url.rstrip("/")
        self._mirrors = mirrors
        self._tell = tell
        self._asked: dict[str, str | None] = {}  # by URL: why it could not be cloned

    async def open(self, repo: str, commit: str) -> Repository:
        """The tree of `repo` (OWNER/NAME) at `commit`.

        Raises:
            RepositoryError: there is no such repository or commit, or it could not be cloned.
            MissingProgram: git is not installed.
        """
        place = self._directory / repo.replace("/", "__")
        if await asyncio.to_thread(place.exists):
            return await self._open(str(place), commit=commit)
        if self._mirrors is None:
            raise RepositoryError(
                f"{place} does not exist: put a git directory of {repo} there, or add --fetch."
            )
        url = f"{self._web_url}/{repo}"
        await self._clone(url, self._mirrors)
        try:
            return await self._open(url, commit=commit)
        except RepositoryUnavailable as error:
            raise RepositoryError(str(error)) from None

    async def _clone(self, url: str, mirrors: Mirrors) -> None:
        if url not in self._asked:
            if self._tell is not None:
                await self._tell(f"cloning {url}, unless it is there already")
            try:
                await mirrors.mirror(url, newer_than=None)
                self._asked[url] = None
            except (RepositoryError, RepositoryUnavailable) as error:
                self._asked[url] = str(error)
        failed = self._asked[url]
        if failed is not None:
            raise RepositoryError(failed)
