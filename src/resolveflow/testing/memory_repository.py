"""A source tree in memory, and an opener of such trees."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from resolveflow.codebase.git_objects import blob_id, line_count, path_key, tree_digest
from resolveflow.domain.errors import RepositoryError
from resolveflow.domain.report import TreeRef
from resolveflow.ports import Commit, Entry

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
    from datetime import datetime


class MemoryRepository:
    """A tree of `files` whose history, newest first, and blame are what the test says.

    `blamed` maps a path to the commits that last touched its lines, one for each line.
    """

    def __init__(
        self,
        files: Mapping[str, bytes],
        *,
        ref: TreeRef | None = None,
        links: Mapping[str, bytes] | None = None,
        submodules: Mapping[str, str] | None = None,
        commits: Sequence[Commit] = (),
        blamed: Mapping[str, Sequence[Commit]] | None = None,
    ) -> None:
        self._content = {**files, **(links or {})}
        self._entries = sorted(
            [_entry(path, "file", data) for path, data in files.items()]
            + [_entry(path, "symlink", data) for path, data in (links or {}).items()]
            + [
                Entry(path=path, kind="submodule", blob=commit, size=0)
                for path, commit in (submodules or {}).items()
            ],
            key=path_key,
        )
        self._ref = ref or TreeRef(
            location="memory",
            kind="directory",
            commit=tree_digest(self._entries),
            reason="the files as given",
        )
        self._commits = tuple(commits)
        self._blamed = dict(blamed or {})

    @property
    def ref(self) -> TreeRef:
        """The tree this is."""
        return self._ref

    async def entries(self) -> Sequence[Entry]:
        """Every path of the tree, sorted."""
        return self._entries

    async def read(self, path: str) -> bytes:
        """The content of a file, or the target of a link."""
        if path not in self._content:
            raise RepositoryError(f"{path!r} is no file of {self._ref.location}.")
        return self._content[path]

    async def blobs(self, ids: Iterable[str]) -> AsyncIterator[tuple[str, bytes]]:
        """The contents of those of `ids` that the tree has."""
        content = {blob_id(data): data for data in self._content.values()}
        for wanted in ids:
            if wanted in content:
                yield wanted, content[wanted]

    async def history(self, limit: int) -> Sequence[Commit]:
        """The last `limit` commits, newest first."""
        return self._commits[: max(limit, 0)]

    async def blame(self, path: str, start: int, end: int) -> Sequence[Commit]:
        """The commits that last touched these lines, the one with most of them first."""
        if not 1 <= start <= end <= line_count(await self.read(path)):
            raise RepositoryError(f"{path!r} has no lines {start}-{end}.")
        lines = Counter(self._blamed.get(path, ())[start - 1 : end])
        return [commit for commit, _ in lines.most_common()]


class MemoryOpener:
    """Opens the repositories it was given, by location; `asked` keeps what was asked for."""

    def __init__(self, repositories: Mapping[str, MemoryRepository]) -> None:
        self._repositories = dict(repositories)
        self.asked: list[tuple[str, str | None, str | None, datetime | None]] = []

    async def __call__(
        self,
        location: str,
        *,
        commit: str | None = None,
        version: str | None = None,
        date: datetime | None = None,
    ) -> MemoryRepository:
        """The repository at `location`.

        Raises:
            RepositoryError: there is none, or `commit` is not the one it is pinned to.
        """
        self.asked.append((location, commit, version, date))
        repository = self._repositories.get(location)
        if repository is None:
            raise RepositoryError(f"{location} is no repository.")
        if commit not in (None, repository.ref.commit):
            raise RepositoryError(f"{location} has no commit {commit}.")
        return repository


def _entry(path: str, kind: str, data: bytes) -> Entry:
    return Entry.model_validate(
        {"path": path, "kind": kind, "blob": blob_id(data), "size": len(data)}
    )
