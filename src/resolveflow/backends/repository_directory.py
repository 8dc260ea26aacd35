"""A source tree in a plain directory, pinned by a digest of its content."""

from __future__ import annotations

import asyncio
import hashlib
import os
import stat
from collections import deque
from typing import TYPE_CHECKING

from resolveflow.codebase.git_objects import blob_id, line_count, path_key, tree_digest
from resolveflow.domain.errors import RepositoryError
from resolveflow.domain.report import TreeRef
from resolveflow.ports import Commit, Entry

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
    from pathlib import Path

MAX_FILES = 1_000_000
MAX_BYTES = 32 * 1024**3  # of all files together
MAX_FILE = 512 * 1024 * 1024
_NOT_SOURCE = frozenset({".git", ".hg", ".svn", ".bzr"})
_CHUNK = 1024 * 1024
_BATCH = 8 * 1024 * 1024


class DirectoryRepository:
    """The regular files and links below `root` as they were when it was opened.

    Links are listed and never followed. FIFOs, sockets, devices, and files and folders that may
    not be opened are listed as unreadable. A file that has changed since then, or is larger than
    `MAX_FILE`, cannot be read.
    """

    def __init__(self, root: Path, entries: Sequence[Entry], ref: TreeRef) -> None:
        self._root = root
        self._entries = tuple(entries)
        self._ref = ref
        self._by_path = {entry.path: entry for entry in entries}

    @property
    def ref(self) -> TreeRef:
        """The tree this is."""
        return self._ref

    async def entries(self) -> Sequence[Entry]:
        """Every path of the tree, sorted."""
        return self._entries

    async def read(self, path: str) -> bytes:
        """The content of a file, or the target of a link.

        Raises:
            RepositoryError: no such path, it is too large, or its content has changed since the
                tree was pinned.
        """
        entry = self._by_path.get(path)
        if entry is None or entry.kind == "unreadable":
            raise RepositoryError(f"{path!r} is no file of {self._ref.location}.")
        if entry.size > MAX_FILE:
            raise RepositoryError(f"{path!r} is larger than {MAX_FILE:,} bytes: it is not read.")
        data = await asyncio.to_thread(self._content, entry, {})
        if data is None:
            raise RepositoryError(f"{path!r} has changed since it was first read: start again.")
        return data

    async def blobs(self, ids: Iterable[str]) -> AsyncIterator[tuple[str, bytes]]:
        """The contents of `ids`, in that order, without those that are not here any more."""
        by_blob = {entry.blob: entry for entry in self._entries}
        waiting = deque(by_blob[wanted] for wanted in ids if wanted in by_blob)
        while waiting:
            for item in await asyncio.to_thread(self._some, waiting):
                yield item

    async def history(self, limit: int) -> Sequence[Commit]:
        """None: a directory has no history."""
        return ()

    async def blame(self, path: str, start: int, end: int) -> Sequence[Commit]:
        """None: a directory has no history."""
        if not 1 <= start <= end <= line_count(await self.read(path)):
            raise RepositoryError(f"{path!r} has no lines {start}-{end}.")
        return ()

    def _some(self, waiting: deque[Entry]) -> list[tuple[str, bytes]]:
        """The contents of the next few megabytes of files."""
        found: list[tuple[str, bytes]] = []
        size = 0
        folders: dict[str, bool] = {}
        while waiting and size < _BATCH:
            entry = waiting.popleft()
            data = self._content(entry, folders)
            if data is not None:
                found.append((entry.blob, data))
                size += len(data)
        return found

    def _content(self, entry: Entry, folders: dict[str, bool]) -> bytes | None:
        """What was pinned, if it is still there; `folders` keeps which of them are no links."""
        try:
            data = self._bytes(entry, folders)
        except OSError:
            return None
        return data if blob_id(data) == entry.blob else None

    def _bytes(self, entry: Entry, folders: dict[str, bool]) -> bytes:
        path = f"{self._root}/{entry.path}"
        if not self._is_folder(entry.path.rpartition("/")[0], folders):
            raise OSError("a folder of the path is a link now")
        if entry.kind == "symlink":
            return os.fsencode(os.readlink(path))  # noqa: PTH115 - a Path is slow to make
        with open(path, "rb", opener=_no_follow) as file:
            return file.read(min(entry.size, MAX_FILE) + 1)

    def _is_folder(self, name: str, known: dict[str, bool]) -> bool:
        """Whether no part of the folder's path below the root is a link."""
        unknown = []
        while name and name not in known:
            unknown.append(name)
            name = name.rpartition("/")[0]
        real = known.get(name, True)
        for name in reversed(unknown):
            real = real and stat.S_ISDIR(os.lstat(f"{self._root}/{name}").st_mode)
            known[name] = real
        return real


async def open_directory(
    root: Path, *, max_files: int = MAX_FILES, max_bytes: int = MAX_BYTES
) -> DirectoryRepository:
    """Pin the content of `root`.

    Raises:
        RepositoryError: it cannot be opened, holds no file, or more than `max_files` or
            `max_bytes`.
    """
    entries = await asyncio.to_thread(_listed, root, max_files, max_bytes)
    if all(entry.kind == "unreadable" for entry in entries):
        raise RepositoryError(f"{root} holds no file to read: give a directory with sources.")
    ref = TreeRef(
        location=str(root),
        kind="directory",
        commit=tree_digest(entries),
        reason="the directory's content as it is now",
    )
    return DirectoryRepository(root, entries, ref)


def _listed(root: Path, max_files: int, max_bytes: int) -> list[Entry]:
    found: list[tuple[str, os.stat_result | None]] = []
    total = 0
    for name, status in _walk(root):
        found.append((name, status))
        total += status.st_size if status and status.st_size <= MAX_FILE else 0
        if len(found) > max_files:
            raise RepositoryError(f"{root} holds more than {max_files:,} files: give a part.")
        if total > max_bytes:
            raise RepositoryError(f"{root} holds more than {max_bytes:,} bytes: give a part.")
    return sorted((_entry(root, name, status) for name, status in found), key=path_key)


def _walk(root: Path) -> Iterator[tuple[str, os.stat_result | None]]:
    """Every name below `root` that is no folder, and its status; None where that is refused."""
    folders = [""]
    while folders:
        folder = folders.pop()
        try:
            with os.scandir(f"{root}/{folder}") as found:
                children = list(found)
        except OSError as error:  # not ours to read, or deeper than the system can name
            if not folder:
                raise RepositoryError(f"{root} cannot be read: {error.strerror}.") from None
            yield folder.rstrip("/"), None
            continue
        for child in children:
            if not child.is_dir(follow_symlinks=False):
                yield folder + child.name, _status(child)
            elif child.name not in _NOT_SOURCE:
                folders.append(f"{folder}{child.name}/")


def _status(child: os.DirEntry[str]) -> os.stat_result | None:
    try:
        return child.stat(follow_symlinks=False)
    except OSError:
        return None


def _entry(root: Path, name: str, status: os.stat_result | None) -> Entry:
    mode = status.st_mode if status else 0
    path = f"{root}/{name}"
    try:
        if status and stat.S_ISLNK(mode):
            target = os.fsencode(os.readlink(path))  # noqa: PTH115 - a Path is slow to make
            return Entry(path=name, kind="symlink", blob=blob_id(target), size=len(target))
        if status and stat.S_ISREG(mode):
            blob, size = _hashed(path)
            return Entry(path=name, kind="file", blob=blob, size=size)
    except OSError:
        pass
    return Entry(path=name, kind="unreadable", blob=blob_id(b""), size=0)


def _hashed(path: str) -> tuple[str, int]:
    """The git id of what is there now, and its size; of huge files that of size and time."""
    with open(path, "rb", opener=_no_follow) as file:
        status = os.fstat(file.fileno())
        left = size = status.st_size
        if size > MAX_FILE:
            return blob_id(b"%d %d" % (size, status.st_mtime_ns)), size
        digest = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
        while left > 0 and (chunk := file.read(min(left, _CHUNK))):  # it may grow as it is read
            digest.update(chunk)
            left -= len(chunk)
    return digest.hexdigest(), size


def _no_follow(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
