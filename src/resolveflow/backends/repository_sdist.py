"""A source tree in an sdist, read in memory: nothing of the archive is ever unpacked to a disk."""

from __future__ import annotations

import asyncio
import bz2
import gzip
import io
import posixpath
import tarfile
import zipfile
import zlib
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Literal

from resolveflow.codebase.git_objects import blob_id, line_count, path_key, tree_digest
from resolveflow.domain.errors import RepositoryError
from resolveflow.domain.report import TreeRef
from resolveflow.ports import Commit, Entry

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Sequence
    from pathlib import Path

    from typing_extensions import Buffer

MAX_BYTES = 512 * 1024 * 1024
MAX_MEMBERS = 200_000
_MAX_PATH = 4096
_BUFFER = 256 * 1024
_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2)
_LINK = 0o120000
_BROKEN = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    LookupError,
    OSError,
    NotImplementedError,
    RuntimeError,
    ValueError,
)


class SdistRepository:
    """The files of an archive; the archive's own top folder is taken off their paths."""

    def __init__(self, content: dict[str, bytes], entries: Sequence[Entry], ref: TreeRef) -> None:
        self._content = content
        self._entries = tuple(entries)
        self._ref = ref

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
            RepositoryError: no such path.
        """
        if path not in self._content:
            raise RepositoryError(f"{path!r} is no file of {self._ref.location}.")
        return self._content[path]

    async def blobs(self, ids: Iterable[str]) -> AsyncIterator[tuple[str, bytes]]:
        """The contents of those of `ids` that the archive has, in that order."""
        by_blob = {entry.blob: entry.path for entry in self._entries}
        for wanted in ids:
            if wanted in by_blob:
                yield wanted, self._content[by_blob[wanted]]

    async def history(self, limit: int) -> Sequence[Commit]:
        """None: an sdist has no history."""
        return ()

    async def blame(self, path: str, start: int, end: int) -> Sequence[Commit]:
        """None: an sdist has no history."""
        if not 1 <= start <= end <= line_count(await self.read(path)):
            raise RepositoryError(f"{path!r} has no lines {start}-{end}.")
        return ()


async def open_sdist(
    archive: Path, *, max_bytes: int = MAX_BYTES, max_members: int = MAX_MEMBERS
) -> SdistRepository:
    """Read an sdist (tar, tar.gz, tar.bz2, zip).

    Raises:
        RepositoryError: it is no archive, a broken one, a hostile one, or it holds more than
            `max_bytes` or `max_members`.
    """
    try:
        members = await asyncio.to_thread(_members, archive, max_bytes, max_members)
    except _BROKEN as error:
        why = " ".join(str(error).split())[:200] or type(error).__name__
        raise RepositoryError(f"{archive} is no sdist that can be read: {why}.") from None
    top = _top_folder(members.kinds)
    content = {path.removeprefix(top): data for path, data in members.content.items()}
    entries = sorted(
        (
            Entry(path=path.removeprefix(top), kind=kind, blob=blob_id(data), size=len(data))
            for path, kind in members.kinds.items()
            for data in (members.content[path],)
        ),
        key=path_key,
    )
    if not entries:
        raise RepositoryError(f"{archive} holds no file.")
    ref = TreeRef(
        location=str(archive),
        kind="sdist",
        commit=tree_digest(entries),
        reason="the sdist as it is",
    )
    return SdistRepository(content, entries, ref)


@dataclass
class _Members:
    archive: Path
    max_bytes: int
    max_members: int
    content: dict[str, bytes] = field(default_factory=dict)
    kinds: dict[str, Literal["file", "symlink"]] = field(default_factory=dict)
    size: int = 0
    count: int = 0

    def add(self, name: str, kind: Literal["file", "symlink"], data: bytes) -> None:
        self.size += len(data)
        path = posixpath.normpath(name)
        if path.startswith(("/", "../")) or path in {"..", "."} or len(path) > _MAX_PATH:
            raise RepositoryError(
                f"{self.archive} is refused: the path {name[:100]!r} leads out of it."
            )
        if "\0" in path or "\\" in path:
            raise RepositoryError(f"{self.archive} is refused: the path {name[:100]!r} is unsafe.")
        self.content[path] = data
        self.kinds[path] = kind

    def expect(self, size: int) -> None:
        """Count one more member, which says that it has `size` bytes."""
        self.count += 1
        self.check(self.size + size)

    def check(self, size: int) -> None:
        if size > self.max_bytes or self.count > self.max_members:
            raise RepositoryError(
                f"{self.archive} is refused: it holds more than {self.max_bytes:,} bytes or "
                f"{self.max_members:,} files. Unpack it yourself and give the directory."
            )


class _Capped(io.RawIOBase):
    """A stream of decompressed bytes that ends with an error before it fills the memory."""

    def __init__(self, stream: IO[bytes] | gzip.GzipFile, members: _Members) -> None:
        self._stream = stream
        self._members = members
        self._read = 0

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Buffer) -> int:
        """Fill `buffer`; RepositoryError once the archive's members and headers are too many."""
        view = memoryview(buffer)
        data = self._stream.read(len(view))
        view[: len(data)] = data
        self._read += len(data)
        self._members.check(self._read // 2)
        return len(data)


def _members(archive: Path, max_bytes: int, max_members: int) -> _Members:
    members = _Members(archive, max_bytes, max_members)
    with archive.open("rb") as file:
        start = file.read(6)
        file.seek(0)
        if start.startswith(b"PK"):
            _read_zip(file, members)
        else:
            _read_tar(_decompressed(start, file), members)
    return members


def _decompressed(start: bytes, file: IO[bytes]) -> IO[bytes] | gzip.GzipFile:
    if start.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=file)
    if start.startswith(b"BZh"):
        return bz2.BZ2File(file)
    return file


def _read_tar(stream: IO[bytes] | gzip.GzipFile, members: _Members) -> None:
    capped = io.BufferedReader(_Capped(stream, members), _BUFFER)
    with tarfile.open(fileobj=capped, mode="r|") as tar:
        for member in tar:
            members.expect(member.size)
            if member.isreg():
                file = tar.extractfile(member)
                members.add(member.name, "file", file.read() if file else b"")
            elif member.issym():
                members.add(
                    member.name, "symlink", member.linkname.encode("utf-8", "surrogateescape")
                )
            elif member.islnk():
                members.add(member.name, "file", _linked(members, member.linkname))


def _linked(members: _Members, name: str) -> bytes:
    return members.content.get(posixpath.normpath(name), b"")


def _read_zip(file: IO[bytes], members: _Members) -> None:
    with zipfile.ZipFile(file) as archive:
        for info in archive.infolist():
            members.expect(info.file_size)
            if info.is_dir():
                continue
            if info.compress_type not in _COMPRESSIONS:
                raise zipfile.BadZipFile(f"{info.filename[:100]!r} has an unusual compression")
            with archive.open(info) as member:
                data = member.read(members.max_bytes + 1)
            is_link = (info.external_attr >> 16) & 0o170000 == _LINK
            members.add(info.filename, "symlink" if is_link else "file", data)


def _top_folder(paths: Iterable[str]) -> str:
    tops = {path.partition("/")[0] if "/" in path else "" for path in paths}
    only = tops.pop() if len(tops) == 1 else ""
    return f"{only}/" if only else ""
