"""A source tree in a git repository, read from its objects at a pinned commit."""

from __future__ import annotations

import asyncio
import re
import secrets
import subprocess
import tempfile
from collections import Counter
from contextlib import closing
from typing import IO, TYPE_CHECKING, Literal

from resolveflow.backends.git import moment
from resolveflow.codebase.git_objects import line_count, path_key
from resolveflow.domain.errors import RepositoryError
from resolveflow.ports import Commit, Entry

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Sequence
    from datetime import datetime

    from resolveflow.backends.git import ObjectStore
    from resolveflow.domain.report import TreeRef

MAX_FILES = 1_000_000
MAX_BLOB = 512 * 1024 * 1024
_BATCH = 8 * 1024 * 1024
_OBJECT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_LONGEST_PATH = 4096  # bytes; no system can check a longer one out
_KINDS: dict[bytes, Literal["file", "symlink", "submodule"]] = {
    b"120000": "symlink",
    b"160000": "submodule",
}
_NOT_READ = {"submodule": "a submodule", "unreadable": "longer than a path may be"}


class GitRepository:
    """Reads blobs, history and blame of one commit; never a work tree, never a later commit.

    An entry whose blob is missing (a partial clone) has size 0 and cannot be read.
    """

    def __init__(
        self,
        objects: ObjectStore,
        ref: TreeRef,
        *,
        max_files: int = MAX_FILES,
        max_blob: int = MAX_BLOB,
    ) -> None:
        self._objects = objects
        self._ref = ref
        self._max_files = max_files
        self._max_blob = max_blob
        self._entries: tuple[Entry, ...] | None = None
        self._by_path: dict[str, Entry] = {}

    @property
    def ref(self) -> TreeRef:
        """The tree this is."""
        return self._ref

    async def entries(self) -> Sequence[Entry]:
        """Every path of the tree, sorted; submodules are listed and never entered.

        Of several entries with one path, which git itself would not write, the first counts, as it
        does for git.

        Raises:
            RepositoryError: a folder is missing here, or there are too many files.
        """
        if self._entries is None:
            out = await self._objects.run("ls-tree", "-r", "-z", "-l", self._ref.commit)
            if out.count(b"\0") > self._max_files:
                raise RepositoryError(
                    f"{self._ref.location} holds more than {self._max_files:,} files: too many."
                )
            self._entries = _in_order(_entry(line) for line in out.split(b"\0") if line)
            self._by_path = {entry.path: entry for entry in self._entries}
        return self._entries

    async def read(self, path: str) -> bytes:
        """The content of a file, or the target of a link.

        Raises:
            RepositoryError: no such path, a submodule, or the blob is missing here.
        """
        entry = await self._entry(path)
        async for _, data in self.blobs((entry.blob,)):
            return data
        raise RepositoryError(
            f"The content of {path!r} is missing from {self._ref.location} (a partial clone?) or "
            f"larger than {self._max_blob:,} bytes: fetch it with git, or do without it."
        )

    async def blobs(self, ids: Iterable[str]) -> AsyncIterator[tuple[str, bytes]]:
        """The contents of `ids`, in that order, without those that are missing or too large."""
        wanted = [wanted for wanted in ids if _OBJECT_ID.fullmatch(wanted)]
        if not wanted:
            return
        batch = await asyncio.to_thread(_Batch, self._objects, wanted, self._max_blob)
        with closing(batch):
            while found := await asyncio.to_thread(batch.take):
                for item in found:
                    yield item

    async def history(self, limit: int) -> Sequence[Commit]:
        """The last `limit` commits up to the pinned one that are no merges, newest first.

        Where a shallow clone ends, a commit seems to have made everything: it is left out.
        """
        if limit < 1:
            return ()
        known = ("--min-parents=1",) if self._objects.shallow else ()
        mark = secrets.token_hex(16)
        out = await self._objects.run(
            *("log", f"--max-count={limit}", "--no-merges", "--no-renames", "--name-only", "-z"),
            *(*known, "--no-ext-diff", "--no-textconv", f"--format={mark}%x00%H%x00%ct%x00%s%x00"),
            *(self._ref.commit, "--"),
        )
        return [_commit(record) for record in out.split(f"{mark}\0".encode())[1:]]

    async def blame(self, path: str, start: int, end: int) -> Sequence[Commit]:
        """The commits that last touched these lines, the one with most of them first.

        Lines older than a shallow clone are nobody's.

        Raises:
            RepositoryError: no such file, or no such lines in it.
        """
        # Git itself would cut a range that runs past the end.
        if not 1 <= start <= end <= line_count(await self.read(path)):
            raise RepositoryError(f"{path!r} has no lines {start}-{end}.")
        out = await self._objects.run(
            *("blame", "--porcelain", "--no-textconv", "-L", f"{start},{end}"),
            *(self._ref.commit, "--", path),
        )
        return _blamed(out.split(b"\n"), path, bounded=self._objects.shallow)

    async def _entry(self, path: str) -> Entry:
        await self.entries()
        entry = self._by_path.get(path)
        if entry is None:
            raise RepositoryError(f"{path!r} is no file of {self._ref.location}.")
        if entry.kind in {"submodule", "unreadable"}:
            raise RepositoryError(f"{path[:200]!r} is {_NOT_READ[entry.kind]}, which is not read.")
        return entry


class _Batch:
    """One `git cat-file --batch`, read a few megabytes at a time."""

    def __init__(self, objects: ObjectStore, ids: Sequence[str], max_blob: int) -> None:
        self._max_blob = max_blob
        with tempfile.TemporaryFile() as asked:
            asked.write("\n".join((*ids, "")).encode())
            asked.seek(0)
            self._process = subprocess.Popen(  # noqa: S603 - our own git, our own arguments
                objects.git.command("cat-file", "--batch", "--buffer"),
                stdin=asked,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=dict(objects.environment),
            )

    def take(self) -> list[tuple[str, bytes]]:
        """The next contents; none at the end."""
        stream = self._process.stdout
        assert stream is not None  # noqa: S101 - stdout=PIPE
        found: list[tuple[str, bytes]] = []
        size = 0
        while size < _BATCH and (header := stream.readline()):
            blob = _body(stream, header, self._max_blob)
            if blob is not None:
                found.append(blob)
                size += len(blob[1])
        return found

    def close(self) -> None:
        """End the process, whether or not all was read."""
        self._process.kill()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._process.wait()


def _body(stream: IO[bytes], header: bytes, max_blob: int) -> tuple[str, bytes] | None:
    name, _, rest = header.rstrip(b"\n").partition(b" ")
    kind, _, size = rest.partition(b" ")
    if not size.isdigit():
        return None
    if int(size) > max_blob:
        _skip(stream, int(size) + 1)
        return None
    data = stream.read(int(size) + 1)
    return (name.decode(), data[:-1]) if kind == b"blob" else None


def _skip(stream: IO[bytes], size: int) -> None:
    while size > 0 and (chunk := stream.read(min(size, _BATCH))):
        size -= len(chunk)


def _entry(line: bytes) -> Entry:
    meta, _, path = line.partition(b"\t")
    mode, _, blob, size = meta.split()
    return Entry(
        path=path.decode("utf-8", "surrogateescape"),
        kind=_KINDS.get(mode, "file") if len(path) <= _LONGEST_PATH else "unreadable",
        blob=blob.decode(),
        size=int(size) if size.isdigit() else 0,
    )


def _in_order(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    first: dict[str, Entry] = {}
    for entry in entries:
        first.setdefault(entry.path, entry)
    return tuple(sorted(first.values(), key=path_key))


def _commit(record: bytes) -> Commit:
    sha, time, subject, names = record.split(b"\0", 3)
    paths = (name.lstrip(b"\n") for name in names.split(b"\0"))
    return Commit(
        sha=sha.decode(),
        time=_time(time),
        subject=subject.decode("utf-8", "replace"),
        paths=tuple(path.decode("utf-8", "surrogateescape") for path in paths if path),
    )


def _time(seconds: bytes) -> datetime:
    return moment(int(seconds) if seconds.isdigit() else 0)


def _blamed(lines: Sequence[bytes], path: str, *, bounded: bool) -> list[Commit]:
    touched: Counter[str] = Counter()
    told: dict[str, dict[bytes, bytes]] = {}
    sha = ""
    for line in lines:
        if line.startswith(b"\t"):
            touched[sha] += 1
            sha = ""
        elif not sha:
            sha = line.split(b" ", 1)[0].decode()
            told.setdefault(sha, {})
        else:
            key, _, value = line.partition(b" ")
            told[sha].setdefault(key, value)
    return [
        Commit(
            sha=sha,
            time=_time(told[sha][b"committer-time"]),
            subject=told[sha].get(b"summary", b"").decode("utf-8", "replace"),
            paths=(path,),
        )
        for sha, _ in touched.most_common()
        if not (bounded and b"boundary" in told[sha])
    ]
