"""The full text of source files: their regions, and how often each holds each term.

Like facts, it depends on a file's bytes alone.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from resolveflow.codebase.columns import joined_starts, ranges
from resolveflow.codebase.languages import as_utf8
from resolveflow.codebase.regions import regions
from resolveflow.codebase.text import terms

if TYPE_CHECKING:
    from collections.abc import Sequence, Set

    from numpy.typing import NDArray

MOST = 255  # what a count ends at; BM25 has long stopped growing there


@dataclass(frozen=True)
class SourceTerms:
    """File `f` (`keys[f]`) has the regions `region_starts[f]:region_starts[f + 1]`.

    A region has lines (1-based, inclusive), a name, and the terms
    `terms[term_starts[r]:term_starts[r + 1]]`, `counts` times each. Names and terms are positions
    in `strings`.
    """

    keys: tuple[bytes, ...]
    strings: tuple[str, ...]
    region_starts: NDArray[np.uint32]
    first_lines: NDArray[np.uint32]
    last_lines: NDArray[np.uint32]
    names: NDArray[np.uint32]
    term_starts: NDArray[np.uint32]
    terms: NDArray[np.uint32]
    counts: NDArray[np.uint8]


def read_terms(keys: Sequence[bytes], contents: Sequence[bytes]) -> SourceTerms:
    """Count the terms of the files with these keys."""
    reader = _Reader()
    for content in contents:
        reader.add(as_utf8(content).decode("utf-8", "replace"))
    return reader.read(keys)


def join_terms(parts: Sequence[SourceTerms]) -> SourceTerms:
    """The files of all parts, in order, over one list of strings."""
    if len(parts) == 1:
        return parts[0]
    numbers: dict[str, int] = {}
    renumbered = [
        np.array([numbers.setdefault(one, len(numbers)) for one in part.strings], np.uint32)
        for part in parts
    ]
    numbering = list(zip(parts, renumbered, strict=True))
    return SourceTerms(
        keys=tuple(key for part in parts for key in part.keys),
        strings=tuple(numbers),
        region_starts=joined_starts([part.region_starts for part in parts]),
        first_lines=_joined([part.first_lines for part in parts]),
        last_lines=_joined([part.last_lines for part in parts]),
        names=_joined([new[part.names] for part, new in numbering]),
        term_starts=joined_starts([part.term_starts for part in parts]),
        terms=_joined([new[part.terms] for part, new in numbering]),
        counts=_joined([part.counts for part in parts]).astype(np.uint8),
    )


def take_terms(all_terms: SourceTerms, files: NDArray[np.int64]) -> SourceTerms:
    """The files in the order given; one may be taken several times."""
    if len(files) == len(all_terms.keys) and bool((files == np.arange(len(files))).all()):
        return all_terms
    starts = all_terms.region_starts
    of_file, region_starts = ranges(starts[:-1][files], starts[1:][files])
    starts = all_terms.term_starts
    of_region, term_starts = ranges(starts[:-1][of_file], starts[1:][of_file])
    return SourceTerms(
        keys=tuple(all_terms.keys[file] for file in files),
        strings=all_terms.strings,
        region_starts=region_starts,
        first_lines=all_terms.first_lines[of_file],
        last_lines=all_terms.last_lines[of_file],
        names=all_terms.names[of_file],
        term_starts=term_starts,
        terms=all_terms.terms[of_region],
        counts=all_terms.counts[of_region],
    )


def keep_terms(all_terms: SourceTerms, keys: Set[bytes]) -> SourceTerms:
    """The files with these keys, each once, and only the strings that they need."""
    files = {key: file for file, key in enumerate(all_terms.keys) if key in keys}
    taken = take_terms(all_terms, np.array(sorted(files.values()), np.int64))
    used = np.union1d(taken.names, taken.terms)
    new = np.zeros(len(taken.strings), np.uint32)
    new[used] = np.arange(len(used), dtype=np.uint32)
    return replace(
        taken,
        strings=tuple(taken.strings[number] for number in used),
        names=new[taken.names],
        terms=new[taken.terms],
    )


class _Reader:
    """Collects the columns of many files."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._region_starts = [0]
        self._lines: list[tuple[int, int]] = []
        self._names: list[int] = []
        self._term_starts = [0]
        self._terms: list[int] = []
        self._counts: list[int] = []

    def add(self, text: str) -> None:
        """Read one more file."""
        lines = text.split("\n")
        for region in regions(text):
            counted = terms("\n".join(lines[region.start_line - 1 : region.end_line]))
            self._lines.append((region.start_line, region.end_line))
            self._names.append(self._number(region.name))
            self._add_terms(counted)
        self._region_starts.append(len(self._lines))

    def read(self, keys: Sequence[bytes]) -> SourceTerms:
        """All that was added; one file a key."""
        lines = np.array(self._lines, np.uint32).reshape(-1, 2)
        return SourceTerms(
            keys=tuple(keys),
            strings=tuple(self._numbers),
            region_starts=np.array(self._region_starts, np.uint32),
            first_lines=lines[:, 0].copy(),
            last_lines=lines[:, 1].copy(),
            names=np.array(self._names, np.uint32),
            term_starts=np.array(self._term_starts, np.uint32),
            terms=np.array(self._terms, np.uint32),
            counts=np.minimum(np.array(self._counts, np.int64), MOST).astype(np.uint8),
        )

    def _number(self, text: str) -> int:
        return self._numbers.setdefault(text, len(self._numbers))

    def _add_terms(self, counted: Counter[str]) -> None:
        numbers = self._numbers
        self._terms.extend([numbers.setdefault(term, len(numbers)) for term in counted])
        self._counts.extend(counted.values())
        self._term_starts.append(len(self._terms))


def _joined(parts: list[NDArray[np.uint32]] | list[NDArray[np.uint8]]) -> NDArray[np.uint32]:
    return np.concatenate([np.zeros(0, np.uint32), *parts]).astype(np.uint32)
