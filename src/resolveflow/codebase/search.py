"""Exact and regular-expression search over a tree's source, held in memory as one text."""

from collections.abc import Iterable, Iterator
from itertools import islice
from time import process_time

import numpy as np
from numpy.typing import NDArray
from regex import Match as Held
from regex import Pattern

from resolveflow.domain.code import Match

MATCH_SECONDS = 10.0  # of processor time, for one expression
LONGEST_LINE = 300  # bytes of a matching line that are given
_BATCH = 4096  # places whose lines are found at once


class SourcePack:
    """The texts of a tree's files, in order of path; a match never spans two files."""

    def __init__(self, files: Iterable[tuple[str, bytes]]) -> None:
        self._paths: list[str] = []
        starts: list[int] = []
        parts: list[bytes] = []
        size = 0
        for path, data in files:
            self._paths.append(path)
            starts.append(size)
            end = b"\0\n" if data.endswith(b"\n") or not data else b"\n\0\n"
            parts += [data, end]
            size += len(data) + len(end)
        self._text = b"".join(parts)
        self._starts = np.array(starts, np.int64)
        self._newlines = np.flatnonzero(np.frombuffer(self._text, np.uint8) == 10)

    def literal(self, text: str, *, limit: int = 1000) -> tuple[Match, ...]:
        """The first `limit` lines that hold `text`."""
        wanted = text.encode("utf-8", "surrogateescape")
        if not wanted or b"\n" in wanted:
            return ()
        return self._matches(self._places(wanted), limit)

    def expression(
        self, pattern: Pattern[bytes], *, limit: int = 1000, seconds: float = MATCH_SECONDS
    ) -> tuple[Match, ...]:
        """The first `limit` lines that hold a match; it never goes on into the next line.

        Raises:
            TimeoutError: matching took `seconds` of processor time.
        """
        return self._matches(self._matching(pattern, process_time() + seconds), limit)

    def _matching(self, pattern: Pattern[bytes], until: float) -> Iterator[int]:
        """Where matches begin. The whole text is searched first: most lines hold none."""

        def search(begin: int, end: int) -> Held[bytes] | None:
            left = max(until - process_time(), 0.001)
            return pattern.search(self._text, begin, end, concurrent=True, timeout=left)

        at = 0
        while found := search(at, len(self._text)):
            row = int(np.searchsorted(self._newlines, found.start()))
            if row == len(self._newlines):
                return
            begin = int(self._newlines[row - 1]) + 1 if row else 0
            end = int(self._newlines[row])
            held = search(begin, end)
            if held is not None:
                yield held.start()
            at = end + 1

    def _places(self, wanted: bytes) -> Iterator[int]:
        at = self._text.find(wanted)
        while at >= 0:
            yield at
            at = self._text.find(wanted, at + len(wanted))

    def _matches(self, places: Iterator[int], limit: int) -> tuple[Match, ...]:
        """The line of each place, once, a batch at a time."""
        found: list[Match] = []
        last = -1
        while len(found) < limit:
            size = min(limit - len(found), _BATCH)
            at = np.fromiter(islice(places, size), np.int64)
            rows = np.searchsorted(self._newlines, at)
            first = (np.diff(rows, prepend=last) > 0) & (rows < len(self._newlines))
            found += self._lines(at[first], rows[first])
            if len(at) < size:
                break
            last = int(rows[-1])
        return tuple(found)

    def _lines(self, at: NDArray[np.int64], rows: NDArray[np.intp]) -> Iterator[Match]:
        """The lines of these rows, each with a place in it."""
        files = np.searchsorted(self._starts, at, side="right") - 1
        numbers = rows - np.searchsorted(self._newlines, self._starts[files]) + 1
        begins = np.where(rows > 0, self._newlines[rows - 1] + 1, 0)
        columns = (files, numbers, begins, self._newlines[rows])
        for file, line, begin, end in zip(*(column.tolist() for column in columns), strict=True):
            shown = self._text[begin:end].rstrip(b"\r\0")[:LONGEST_LINE]
            yield Match(path=self._paths[file], line=line, text=shown.decode("utf-8", "replace"))
