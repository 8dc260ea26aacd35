"""A source tree in a plain directory, pinned by a digest of its content."""

from __future__ import annotations

import asyncio
import hashlib
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from resolveflow.codebase.git_objects import blob_id, line_count, path_key, tree_digest
from resolveflow.domain.errors import RepositoryError
from resolveflow.domain.report import TreeRef
from resolveflow.ports import Commit, Entry

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator, Sequence

MAX_FILES = 1_000_000
_NOT_SOURCE = frozenset({".git", ".hg", ".svn", ".bzr"})
_CHUNK = 1024 * 1024


class DirectoryRepository:
    """The regular files and links below `root` as they were when it was opened.

    Links are listed and never followed; FIFOs, sockets and devices are left out. A file that has
    changed since then cannot be read any more.
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
            RepositoryError: no such path, or its content has changed since the tree was pinned.
        """
        entry = self._by_path.get(path)
        if entry is None:
            raise RepositoryError(f"{path!r} is no file of {self._ref.location}.")
        data = await asyncio.to_thread(self._content, entry)
        if data is None:
            raise RepositoryError(f"{path!r} has changed since it was first read: start again.")
        return data

    async def blobs(self, ids: Iterable[str]) -> AsyncIterator[tuple[str, bytes]]:
        """The contents of `ids`, in that order, without those that are not here any more."""
        by_blob = {entry.blob: entry for entry in self._entries}
        for wanted in ids:
            entry = by_blob.get(wanted)
            data = await asyncio.to_thread(self._content, entry) if entry else None
            if data is not None:
                yield wanted, data

    async def history(self, limit: int) -> Sequence[Commit]:
        """None: a directory has no history."""
        return ()

    async def blame(self, path: str, start: int, end: int) -> Sequence[Commit]:
        """None: a directory has no history."""
        if not 1 <= start <= end <= line_count(await self.read(path)):
            raise RepositoryError(f"{path!r} has no lines {start}-{end}.")
        return ()

    def _content(self, entry: Entry) -> bytes | None:
        try:
            data = _bytes(self._root, entry)
        except OSError:
            return None
        return data if blob_id(data) == entry.blob else None


async def open_directory(root: Path, *, max_files: int = MAX_FILES) -> DirectoryRepository:
    """Pin the content of `root`.

    Raises:
        RepositoryError: it holds no file, or more than `max_files`.
    """
    entries = await asyncio.to_thread(lambda: sorted(_walk(root, max_files), key=path_key))
    if not entries:
        raise RepositoryError(f"{root} holds no file to read: give a directory with sources.")
    ref = TreeRef(
        location=str(root),
        kind="directory",
        commit=tree_digest(entries),
        reason="the directory's content as it is now",
    )
    return DirectoryRepository(root, entries, ref)


def _walk(root: Path, max_files: int) -> Iterator[Entry]:
    count = 0
    folders = [root]
    while folders:
        for path, is_folder in _children(folders.pop()):
            if is_folder:
                if path.name not in _NOT_SOURCE:
                    folders.append(path)
                continue
            entry = _listed(root, path)
            if entry is None:
                continue
            count += 1
            if count > max_files:
                raise RepositoryError(f"{root} holds more than {max_files:,} files: give a part.")
            yield entry


def _children(folder: Path) -> list[tuple[Path, bool]]:
    """What is in `folder`, and whether it is a folder itself; a link to one is not."""
    try:
        with os.scandir(folder) as found:
            return [(Path(one.path), one.is_dir(follow_symlinks=False)) for one in found]
    except OSError:  # not ours to read, removed meanwhile, or deeper than the system can name
        return []


def _listed(root: Path, path: Path) -> Entry | None:
    name = path.relative_to(root).as_posix()
    try:
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            target = os.fsencode(path.readlink())
            return Entry(path=name, kind="symlink", blob=blob_id(target), size=len(target))
        if stat.S_ISREG(mode):
            blob, size = _hashed(path)
            return Entry(path=name, kind="file", blob=blob, size=size)
    except OSError:
        return None
    return None


def _hashed(path: Path) -> tuple[str, int]:
    with open(path, "rb", opener=_no_follow) as file:
        size = os.fstat(file.fileno()).st_size
        digest = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest(), size


def _bytes(root: Path, entry: Entry) -> bytes:
    path = root / entry.path
    if entry.kind == "symlink":
        return os.fsencode(path.readlink())
    if not path.parent.resolve().is_relative_to(root.resolve()):
        raise OSError("a folder of the path is a link out of the tree now")
    with open(path, "rb", opener=_no_follow) as file:
        return file.read()


def _no_follow(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
