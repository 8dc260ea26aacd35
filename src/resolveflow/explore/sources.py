"""Reading files of a pinned tree as lines, within a budget, and keeping account of it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from time import monotonic

from resolveflow.domain.errors import RepositoryError
from resolveflow.domain.exploration import Budget, Symbol
from resolveflow.explore.functions import enclosing, functions
from resolveflow.ports import Entry, Repository

LARGEST_FILE = 1_000_000  # bytes; what is larger is data or generated

_BREAK = re.compile(r"\r\n|\r|\n")
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_KEYWORDS = (
    "and as async await bool break case catch char class const continue def default do double else"
    " end enum except export extends false final finally float for from func function if import in"
    " int is let long new nil none not null object or pass private protected public raise return"
    " self static str string struct super switch this throw throws true try type undefined until"
    " var void while with yield"
)
_COMMON = frozenset(_KEYWORDS.split())
_FEWEST_LETTERS = 4


@dataclass(frozen=True)
class Source:
    """A file's lines; numbers are 1-based."""

    path: str
    lines: tuple[str, ...]

    @cached_property
    def functions(self) -> tuple[Symbol, ...]:
        """Its definitions with their exact lines."""
        return functions(self.path, self.lines)

    def line(self, number: int) -> str:
        """The text of a line, empty where there is no such line."""
        return self.lines[number - 1] if 1 <= number <= len(self.lines) else ""

    def function_at(self, line: int) -> Symbol | None:
        """The innermost definition around a line."""
        return enclosing(self.functions, line)

    def header(self, symbol: Symbol) -> int:
        """The line of a definition that bears its name: decorators and comments come before it."""
        numbers = range(symbol.start_line, symbol.end_line + 1)
        return next((n for n in numbers if symbol.name in self.line(n)), symbol.start_line)

    def defined(self, name: str) -> tuple[Symbol, ...]:
        """The definitions of that name."""
        return tuple(symbol for symbol in self.functions if symbol.name == name)


def lines_of(data: bytes) -> tuple[str, ...]:
    """A file's lines without their ends, as editors and stack traces count them."""
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    lines = _BREAK.split(data.decode(encoding, errors="replace"))
    return tuple(lines[:-1] if lines[-1] == "" else lines)


def words_of(code: str) -> list[str]:
    """The names in a piece of code that are its own, not its language's."""
    return [word for word in _WORD.findall(code) if word.lower() not in _COMMON]


def is_telling(code: str) -> bool:
    """Whether a quote of this code says where it is from: `return None` and `}` do not."""
    return sum(map(len, set(words_of(code)))) >= _FEWEST_LETTERS


class Sources:
    """The files of one tree, read at most once each; `skipped` says why one was not."""

    def __init__(self, tree: Repository, budget: Budget) -> None:
        self._tree = tree
        self._left = budget.calls
        self._until = monotonic() + budget.seconds
        self._entries: dict[str, Entry] | None = None
        self._read: dict[str, Source | None] = {}
        self.skipped: dict[str, str] = {}

    @property
    def read(self) -> tuple[Source, ...]:
        """What was read so far, in order."""
        return tuple(source for source in self._read.values() if source is not None)

    async def open(self, path: str) -> Source | None:
        """The file, or None where it cannot be read."""
        if path not in self._read:
            self._read[path] = await self._open(path)
        return self._read[path]

    async def open_all(self, paths: Iterable[str]) -> list[Source]:
        """Those of the files that can be read."""
        opened = [await self.open(path) for path in dict.fromkeys(paths)]
        return [source for source in opened if source is not None]

    async def _open(self, path: str) -> Source | None:
        if self._entries is None:
            entries = await self._tree.entries()
            self._entries = {entry.path: entry for entry in entries if entry.kind == "file"}
        reason = self._refusal(path, self._entries.get(path))
        if reason is None:
            self._left -= 1
            try:
                return Source(path, lines_of(await self._tree.read(path)))
            except RepositoryError as error:
                reason = str(error)
        self.skipped[path] = reason
        return None

    def _refusal(self, path: str, entry: Entry | None) -> str | None:
        if entry is None:
            return "is no file of this tree"
        if not path.isprintable():
            return "has a name that cannot be shown"
        if entry.size > LARGEST_FILE:
            return f"has {entry.size:,} bytes"
        if self._left <= 0 or monotonic() > self._until:
            return "was not read: the budget is spent"
        return None
