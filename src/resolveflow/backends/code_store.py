"""Where what is known of a repository's code is kept: one SQLite file, a cache never trusted."""

from __future__ import annotations

import sqlite3
import time
import zlib
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Merge = Callable[[Sequence[bytes], Sequence[bytes]], bytes]

FILES, HISTORY = "files", "history"  # questions whose answers are kept with their tree
MOST_TREES = 8
MOST_PACKS = 24
MOST_ANSWERS = 64
MOST_BYTES = 4 * 1024**3  # of all stores in the folder together
_BUSY_SECONDS = 60
_SCHEMA = Path(__file__).with_suffix(".sql")
_HERE = Path(__file__).parent
_EXTRACTING = (*sorted((_HERE.parent / "codebase").glob("*.py")), *sorted(_HERE.glob("code_*")))
# What stores are marked with: older ones hold what another extraction or another map gave.
FORMAT = 1 + zlib.crc32(b"".join(source.read_bytes() for source in _EXTRACTING)) // 4
_HOUR = 3600.0
_ENCODING = ("utf-8", "surrogateescape")

T = TypeVar("T")


class CodeStore:
    """Packs of what is known of files, trees and answers by commit; safe with several processes.

    What cannot be read is dropped, to be made anew; what cannot be written is not kept.
    """

    def __init__(self, path: Path, *, most_bytes: int = MOST_BYTES) -> None:
        self._path = path
        self._most_bytes = most_bytes

    def tree(self, commit: str) -> bytes | None:
        """The tree of a commit, if it is kept."""

        def read(database: sqlite3.Connection) -> bytes | None:
            row = database.execute(
                "SELECT t.crc, t.data, u.used FROM tree t JOIN tree_use u USING (commit_id)"
                " WHERE commit_id = ?",
                (commit,),
            ).fetchone()
            if row is None:
                return None
            data = _checked(row[0], row[1])
            if _is_long_ago(row[2]):
                _mark_used(database, commit)
            return data

        return self._run(read, None)

    def packs(self, kind: str) -> list[bytes]:
        """All packs of a kind, in the order they were added."""
        return self._run(lambda database: _packs(database, kind), [])

    def answer(self, commit: str, question: str) -> str | None:
        """What was answered to this question about this commit."""

        def read(database: sqlite3.Connection) -> str | None:
            row = database.execute(
                "SELECT crc, data FROM answer WHERE commit_id = ? AND question = ?",
                (commit, question),
            ).fetchone()
            used = database.execute("SELECT used FROM tree_use WHERE commit_id = ?", (commit,))
            if any(_is_long_ago(at) for (at,) in used):
                _mark_used(database, commit)
            return zlib.decompress(_checked(*row)).decode(*_ENCODING) if row else None

        return self._run(read, None)

    def add_pack(self, kind: str, data: bytes) -> None:
        """Keep what was read of files that were not known."""

        def write(database: sqlite3.Connection) -> None:
            database.execute("BEGIN IMMEDIATE")
            _insert_pack(database, kind, data)
            database.execute("COMMIT")

        self._run(write, None)

    def add_tree(self, commit: str, data: bytes) -> None:
        """Keep the tree of a commit; those used least recently make room."""

        def write(database: sqlite3.Connection) -> None:
            database.execute("BEGIN IMMEDIATE")
            row = database.execute(
                "INSERT OR REPLACE INTO tree (commit_id, crc, data) VALUES (?, ?, zeroblob(?))",
                (commit, zlib.crc32(data), len(data)),
            )
            _fill(database, "tree", row.lastrowid, data)
            _mark_used(database, commit)
            _forget_trees(database)
            database.execute("COMMIT")

        self._run(write, None)
        _evict(self._path, self._most_bytes)

    def tidy(self, kind: str, merge: Merge) -> None:
        """Once there are many packs of a kind, make one of what the kept trees need.

        `merge` does so, given the packs and the trees.
        """

        def write(database: sqlite3.Connection) -> None:
            database.execute("BEGIN IMMEDIATE")
            _merge_packs(database, kind, merge)
            database.execute("COMMIT")

        self._run(write, None)

    def add_answer(self, commit: str, question: str, text: str) -> None:
        """Keep an answer about a commit; the oldest make room, but for those kept with trees."""
        data = zlib.compress(text.encode(*_ENCODING), 1)

        def write(database: sqlite3.Connection) -> None:
            database.execute(
                "INSERT OR REPLACE INTO answer (commit_id, question, crc, data)"
                " VALUES (?, ?, ?, ?)",
                (commit, question, zlib.crc32(data), data),
            )
            database.execute(
                "DELETE FROM answer WHERE question NOT IN (?, ?) AND rowid NOT IN (SELECT rowid"
                " FROM answer WHERE question NOT IN (?, ?) ORDER BY rowid DESC LIMIT ?)",
                (FILES, HISTORY, FILES, HISTORY, MOST_ANSWERS),
            )

        self._run(write, None)

    def _run(self, work: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        try:
            with closing(self._opened()) as database:
                return work(database)
        except (sqlite3.Error, OSError, ValueError) as error:
            if not _passes(error):
                self._drop()
            return otherwise

    def _opened(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        database = self._connected()
        version = _version(database)
        if version not in (0, FORMAT):
            database.close()
            self._drop()
            database, version = self._connected(), 0
        if version == 0:
            _create(database)
        return database

    def _connected(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, timeout=_BUSY_SECONDS, isolation_level=None)

    def _drop(self) -> None:
        for path in (self._path, self._path.with_name(f"{self._path.name}-journal")):
            with suppress(OSError):
                path.unlink(missing_ok=True)


def _passes(error: Exception) -> bool:
    """Whether it says nothing against what is kept: locked for long, read-only, full, too large."""
    if isinstance(error, sqlite3.OperationalError):  # without a code: a text that is not UTF-8
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        return code != sqlite3.SQLITE_ERROR  # which is: no such table or column
    return isinstance(error, sqlite3.DataError | OSError)


def _version(database: sqlite3.Connection) -> int:
    (version,) = database.execute("PRAGMA user_version").fetchone()
    return int(version)


def _create(database: sqlite3.Connection) -> None:
    """Make the tables, unless another process was faster."""
    database.execute("BEGIN IMMEDIATE")
    if _version(database) == 0:
        for statement in _SCHEMA.read_text(encoding="utf-8").split(";"):
            database.execute(statement)
        database.execute(f"PRAGMA user_version = {FORMAT}")
    database.execute("COMMIT")


def _packs(database: sqlite3.Connection, kind: str) -> list[bytes]:
    rows = database.execute("SELECT crc, data FROM pack WHERE kind = ? ORDER BY id", (kind,))
    return [_checked(*row) for row in rows]


def _insert_pack(database: sqlite3.Connection, kind: str, data: bytes) -> None:
    row = database.execute(
        "INSERT INTO pack (kind, crc, data) VALUES (?, ?, zeroblob(?))",
        (kind, zlib.crc32(data), len(data)),
    )
    _fill(database, "pack", row.lastrowid, data)


def _fill(database: sqlite3.Connection, table: str, row: int | None, data: bytes) -> None:
    """Write a blob in place: a bound value would be copied twice, and may be hundreds of MB."""
    if data and row is not None:
        with database.blobopen(table, "data", row) as blob:
            blob.write(data)


def _mark_used(database: sqlite3.Connection, commit: str) -> None:
    database.execute(
        "INSERT OR REPLACE INTO tree_use (commit_id, used) VALUES (?, ?)", (commit, time.time())
    )


def _forget_trees(database: sqlite3.Connection) -> None:
    database.execute(
        "DELETE FROM tree_use WHERE commit_id NOT IN"
        " (SELECT commit_id FROM tree_use ORDER BY used DESC, commit_id LIMIT ?)",
        (MOST_TREES,),
    )
    for table in ("tree", "answer"):
        database.execute(
            f"DELETE FROM {table} WHERE commit_id NOT IN (SELECT commit_id FROM tree_use)"  # noqa: S608
        )


def _merge_packs(database: sqlite3.Connection, kind: str, merge: Merge) -> None:
    (packs,) = database.execute("SELECT count(*) FROM pack WHERE kind = ?", (kind,)).fetchone()
    if packs <= MOST_PACKS:
        return
    trees = [_checked(*row) for row in database.execute("SELECT crc, data FROM tree")]
    merged = merge(_packs(database, kind), trees)
    database.execute("DELETE FROM pack WHERE kind = ?", (kind,))
    _insert_pack(database, kind, merged)


def _is_long_ago(used: object) -> bool:
    """Whether it is time to mark a use anew; also where the time of the last is damaged."""
    return not isinstance(used, float) or used < time.time() - _HOUR


def _checked(crc: object, data: object) -> bytes:
    if not isinstance(data, bytes) or zlib.crc32(data) != crc:
        raise ValueError("a row is not what was written")
    return data


def _evict(path: Path, most_bytes: int) -> None:
    """Delete the stores used least recently until the others fit; never the one at `path`."""
    stores = []
    for store in path.parent.glob("*.db"):
        try:
            stat = store.stat()
        except OSError:
            continue
        stores.append((store == path, stat.st_mtime, store, stat.st_size))
    total = sum(size for *_, size in stores)
    for ours, _, store, size in sorted(stores):
        if total <= most_bytes or ours:
            return
        store.unlink(missing_ok=True)
        total -= size


def store_path(home: Path, location: str) -> Path:
    """Where the store of a repository lies; all worktrees of a repository have the same one."""
    place = location if "://" in location else _common_directory(Path(location))
    told = "".join(c if c.isascii() and c.isalnum() else "-" for c in place).strip("-")[-60:]
    return home / "indexes" / f"{told}-{zlib.crc32(place.encode('utf-8', 'replace')):08x}.db"


def _common_directory(directory: Path) -> str:
    link = directory / ".git"
    if not link.is_file():
        return str(directory)
    target = link.read_text(encoding="utf-8", errors="replace")[:4096].strip()
    git = directory / target.removeprefix("gitdir: ")
    shared = git.parent.parent if git.parent.name == "worktrees" else git
    return str(shared.parent if shared.name == ".git" else shared)
