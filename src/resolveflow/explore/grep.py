"""Searching the text files of a tree for a pattern that nobody vouches for."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from time import monotonic

import regex

from resolveflow.codebase.languages import as_utf8
from resolveflow.explore.shown import code, long_name
from resolveflow.explore.sources import LARGEST_FILE
from resolveflow.ports import Entry, Repository

MOST_SECONDS = 10.0  # of one search, with what it reads
MATCH_SECONDS = 2.0  # of processor time, in one file
MOST_KEPT = 64_000_000  # characters of texts that stay in memory between searches
_BATCH = 200  # files
_PROBE = 8_000
_META = frozenset(r".^$*+?{}[]\|()")


class Texts:
    """A tree's text files, decoded; those that were read stay in memory up to MOST_KEPT."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._kept: dict[str, str | None] = {}
        self._size = 0

    async def batches(
        self, entries: Sequence[Entry]
    ) -> AsyncIterator[list[tuple[str, str | None]]]:
        """The paths with their texts, in order; None for what is binary, missing or too large."""
        for first in range(0, len(entries), _BATCH):
            part = entries[first : first + _BATCH]
            wanted = {e.blob for e in part if e.size <= LARGEST_FILE} - self._kept.keys()
            read = {
                blob: text_of(data)
                async for blob, data in self._repository.blobs(sorted(wanted))
                if len(data) <= LARGEST_FILE
            }
            yield [(e.path, read.get(e.blob, self._kept.get(e.blob))) for e in part]
            for blob, text in read.items():
                if self._size < MOST_KEPT:
                    self._kept[blob] = text
                    self._size += len(text or "")


def text_of(data: bytes) -> str | None:
    """The text with `\\n` line ends; None where it is binary."""
    text = as_utf8(data)
    return None if text.find(b"\0", 0, _PROBE) >= 0 else text.decode("utf-8", "replace")


@dataclass
class Found:
    """What a search found: `lines` as they are shown, and what was or was not searched."""

    lines: list[str] = field(default_factory=list)
    shown: int = 0  # matching lines among them
    matches: int = 0  # matching lines in all
    in_files: int = 0
    searched: int = 0
    unread: int = 0  # binary, missing or too large
    stopped: str = ""  # why it did not get to the end


class Pattern:
    """A regular expression, or plain text where it has none of its characters or is not valid."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.problem = ""
        self._compiled: regex.Pattern[str] | None = None
        if _META & set(text):
            try:
                compiled = regex.compile(text, regex.MULTILINE, cache_pattern=False)
            except (regex.error, RecursionError) as error:
                self.problem = str(error)
                return
            if compiled.flags & regex.REVERSE:
                self.problem = "searching backwards is not offered"
            else:
                self._compiled = compiled

    def starts(self, text: str, seconds: float) -> Iterator[int]:
        """Where the matches begin.

        Raises:
            TimeoutError: it took that much processor time.
        """
        if self._compiled is None:
            at = text.find(self.text)
            while at >= 0:
                yield at
                at = text.find(self.text, at + len(self.text))
        else:
            for match in self._compiled.finditer(text, timeout=seconds, concurrent=True):
                yield match.start()


async def grep(
    pattern: Pattern,
    texts: Texts,
    entries: Sequence[Entry],
    *,
    context: int,
    limit: int,
    seconds: float = MOST_SECONDS,
) -> Found:
    """Search the files in order for so long; every match is counted, `limit` are shown."""
    found = Found()
    until = monotonic() + seconds
    async for batch in texts.batches(entries):
        await asyncio.to_thread(_search, pattern, batch, found, context, limit, until)
        if found.stopped:
            break
    return found


def _search(
    pattern: Pattern,
    batch: Sequence[tuple[str, str | None]],
    found: Found,
    context: int,
    limit: int,
    until: float,
) -> None:
    for path, text in batch:
        if monotonic() >= until:
            found.stopped = f"its time was up before {long_name(path)}"
        if found.stopped:
            return
        if text is None:
            found.unread += 1
            continue
        found.searched += 1
        hits: dict[int, int] = {}
        try:
            for line, column in _places(pattern.starts(text, MATCH_SECONDS), text):
                hits.setdefault(line, column)
        except TimeoutError:
            found.stopped = f"the expression took {MATCH_SECONDS:.0f} seconds in {long_name(path)}"
        _add(found, path, text, hits, context, limit)


def _places(starts: Iterator[int], text: str) -> Iterator[tuple[int, int]]:
    """Each place as a 1-based line and a column; places are in order."""
    line, begin, counted = 1, 0, 0
    for at in starts:
        if at == len(text) and (not text or text.endswith("\n")):
            return  # what follows the last line end is no line
        passed = text.count("\n", counted, at)
        if passed:
            line += passed
            begin = text.rfind("\n", counted, at) + 1
        counted = at
        yield line, at - begin


def _add(
    found: Found, path: str, text: str, hits: dict[int, int], context: int, limit: int
) -> None:
    if not hits:
        return
    found.matches += len(hits)
    found.in_files += 1
    chosen = dict(list(hits.items())[: limit - found.shown])
    found.shown += len(chosen)
    if not chosen:
        return
    lines = text.removesuffix("\n").split("\n")
    spread = sorted(
        {n for hit in chosen for n in range(hit - context, hit + context + 1)}
        & set(range(1, len(lines) + 1))
    )
    previous = None
    for number in spread:
        if context and found.lines and number - 1 != previous:
            found.lines.append("--")
        mark = ":" if number in hits else "-"
        shown = code(lines[number - 1], hits.get(number, 0))
        found.lines.append(f"{long_name(path)}{mark}{number}{mark} {shown}")
        previous = number
