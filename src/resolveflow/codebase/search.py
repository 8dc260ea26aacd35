"""Exact and regular-expression search over a tree's source, held in memory as one text."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np

from resolveflow.domain.code import Match

LONGEST_LINE = 300  # bytes of a matching line that are given
_WORD = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$")


class SourcePack:
    """The texts of a tree's files, in order of path; a match never spans two files."""

    def __init__(self, files: Iterable[tuple[str, bytes]]) -> None:
        self._paths: list[str] = []
        self._starts: list[int] = []
        parts: list[bytes] = []
        size = 0
        for path, data in files:
            self._paths.append(path)
            self._starts.append(size)
            end = b"\0\n" if data.endswith(b"\n") or not data else b"\n\0\n"
            parts += [data, end]
            size += len(data) + len(end)
        self._text = b"".join(parts)
        self._newlines = np.flatnonzero(np.frombuffer(self._text, np.uint8) == 10)
        self._folded: bytes | None = None

    def literal(
        self, text: str, *, limit: int = 1000, fold: bool = False, word: bool = False
    ) -> tuple[Match, ...]:
        """The first `limit` lines that hold `text`.

        `fold` ignores the case of ASCII letters; `word` wants no letter, digit or underscore
        right before or after.
        """
        wanted = text.encode("utf-8", "surrogateescape")
        if not wanted or b"\n" in wanted:
            return ()
        places = (
            self._places(wanted.lower(), self._lower())
            if fold
            else self._places(wanted, self._text)
        )
        if word:
            places = (at for at in places if self._alone(at, at + len(wanted)))
        return self._matches(places, limit)

    def regex(self, pattern: "re.Pattern[bytes]", *, limit: int = 1000) -> tuple[Match, ...]:
        """The first `limit` lines in which a match begins.

        The time is the pattern's own: who takes patterns from others has to bound them.
        """
        return self._matches((match.start() for match in pattern.finditer(self._text)), limit)

    def _places(self, wanted: bytes, text: bytes) -> Iterator[int]:
        at = text.find(wanted)
        while at >= 0:
            yield at
            at = text.find(wanted, at + len(wanted))

    def _lower(self) -> bytes:
        if self._folded is None:
            self._folded = self._text.lower()
        return self._folded

    def _alone(self, begin: int, end: int) -> bool:
        before = self._text[begin - 1] if begin else 0
        after = self._text[end] if end < len(self._text) else 0
        return before not in _WORD and after not in _WORD

    def _matches(self, places: Iterator[int], limit: int) -> tuple[Match, ...]:
        return tuple(islice(self._lines(places), limit))

    def _lines(self, places: Iterator[int]) -> Iterator[Match]:
        """Each matching line once."""
        last = -1
        for at in places:
            row = int(np.searchsorted(self._newlines, at))
            if row == last or row == len(self._newlines):
                continue
            last = row
            file = bisect_right(self._starts, at) - 1
            first = int(np.searchsorted(self._newlines, self._starts[file]))
            begin = int(self._newlines[row - 1]) + 1 if row else 0
            shown = self._text[begin : int(self._newlines[row])].rstrip(b"\r\0")[:LONGEST_LINE]
            yield Match(
                path=self._paths[file],
                line=row - first + 1,
                text=shown.decode("utf-8", "replace"),
            )
