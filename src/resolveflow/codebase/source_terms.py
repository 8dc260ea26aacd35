"""The full text of source files: their regions, and how often each holds each term.

Like facts, it depends on a file's bytes alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from resolveflow.codebase.bm25 import hash_term
from resolveflow.codebase.code_facts import language_of_key
from resolveflow.codebase.columns import joined_starts, ranges, row_numbers, taken_text
from resolveflow.codebase.definitions import find_definitions
from resolveflow.codebase.identifiers import find_runs, hash_runs
from resolveflow.codebase.languages import as_utf8
from resolveflow.codebase.regions import Begun, regions
from resolveflow.codebase.text import spellings

if TYPE_CHECKING:
    from collections.abc import Sequence, Set

    from numpy.typing import NDArray

    from resolveflow.codebase.definitions import Definitions
    from resolveflow.domain.exploration import Symbol

_NEWLINE = 10
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
MOST = 15  # what a count ends at: four bits, and BM25 hardly grows any more


@dataclass(frozen=True)
class SourceTerms:
    """File `f` (`keys[f]`) has the regions `region_starts[f]:region_starts[f + 1]`.

    A region has lines (1-based, inclusive), the name `name_text[name_ends[r - 1]:name_ends[r]]`,
    and the terms `terms[term_starts[r]:term_starts[r + 1]]` as hashes, `counts` times each.
    """

    keys: tuple[bytes, ...]
    region_starts: NDArray[np.uint32]
    first_lines: NDArray[np.uint32]
    last_lines: NDArray[np.uint32]
    name_ends: NDArray[np.uint32]
    name_text: bytes
    term_starts: NDArray[np.uint32]
    terms: NDArray[np.uint32]
    counts: NDArray[np.uint8]

    def without_terms(self) -> SourceTerms:
        """The regions alone."""
        none = np.zeros(0, np.uint32)
        return replace(self, term_starts=none, terms=none, counts=np.zeros(0, np.uint8))

    def name(self, region: int) -> str:
        """A region's name."""
        begin = int(self.name_ends[region - 1]) if region else 0
        return self.name_text[begin : int(self.name_ends[region])].decode("utf-8", "replace")


def read_terms(keys: Sequence[bytes], contents: Sequence[bytes]) -> SourceTerms:
    """Count the terms of the files with these keys."""
    texts = [as_utf8(content) for content in contents]
    found = find_definitions(texts, [language_of_key(key) for key in keys])
    cut = [_regions(found, file, text) for file, text in enumerate(texts)]
    region_starts = np.cumsum([0, *(len(of_file) for of_file in cut)]).astype(np.uint32)
    all_regions = [region for of_file in cut for region in of_file]
    names = [region.name.encode() for region in all_regions]
    first_lines = np.array([region.start_line for region in all_regions], np.uint32)
    joined = b"\n".join((*texts, b""))
    begins = _first_bytes(joined, texts, region_starts, first_lines)
    term_starts, terms, counts = count_terms(joined, begins)
    return SourceTerms(
        keys=tuple(keys),
        region_starts=region_starts,
        first_lines=first_lines,
        last_lines=np.array([region.end_line for region in all_regions], np.uint32),
        name_ends=np.cumsum([len(name) for name in names], dtype=np.uint32),
        name_text=b"".join(names),
        term_starts=term_starts,
        terms=terms,
        counts=counts,
    )


def join_terms(parts: Sequence[SourceTerms]) -> SourceTerms:
    """The files of all parts, in order."""
    if len(parts) == 1:
        return parts[0]
    return SourceTerms(
        keys=tuple(key for part in parts for key in part.keys),
        region_starts=joined_starts([part.region_starts for part in parts]),
        first_lines=_joined([part.first_lines for part in parts]),
        last_lines=_joined([part.last_lines for part in parts]),
        name_ends=joined_starts([_as_starts(part.name_ends) for part in parts])[1:],
        name_text=b"".join(part.name_text for part in parts),
        term_starts=joined_starts([part.term_starts for part in parts]),
        terms=_joined([part.terms for part in parts]),
        counts=np.concatenate([np.zeros(0, np.uint8), *(part.counts for part in parts)]),
    )


def take_terms(known: SourceTerms, files: NDArray[np.int64]) -> SourceTerms:
    """The files in the order given; one may be taken several times."""
    if len(files) == len(known.keys) and bool((files == np.arange(len(files))).all()):
        return known
    regions, region_starts = _taken(known.region_starts, files)
    name_lengths = np.diff(known.name_ends, prepend=np.uint32(0))[regions]
    postings, term_starts = _taken(known.term_starts, regions)
    return SourceTerms(
        keys=tuple(known.keys[file] for file in files),
        region_starts=region_starts,
        first_lines=known.first_lines[regions],
        last_lines=known.last_lines[regions],
        name_ends=np.cumsum(name_lengths, dtype=np.uint32),
        name_text=taken_text(known.name_text, known.name_ends, known.region_starts, files),
        term_starts=term_starts,
        terms=known.terms[postings],
        counts=known.counts[postings],
    )


def keep_terms(known: SourceTerms, keys: Set[bytes]) -> SourceTerms:
    """The files with these keys, each once."""
    files = {key: file for file, key in enumerate(known.keys) if key in keys}
    return take_terms(known, np.array(sorted(files.values()), np.int64))


def _regions(found: Definitions, file: int, text: bytes) -> list[Symbol]:
    rows = range(int(found.starts[file]), int(found.starts[file + 1]))
    begun = [Begun(int(found.lines[row]), found.name(row), int(found.indents[row])) for row in rows]
    return regions(begun, text)


def _first_bytes(
    joined: bytes,
    texts: Sequence[bytes],
    region_starts: NDArray[np.uint32],
    first_lines: NDArray[np.uint32],
) -> NDArray[np.int64]:
    """Where each region begins in the joined texts."""
    newlines = np.flatnonzero(np.frombuffer(joined, np.uint8) == _NEWLINE)
    lines = np.concatenate(([0], newlines + 1))
    lines_before = np.cumsum([0, *(text.count(b"\n") + 1 for text in texts)])[:-1]
    return lines[lines_before[row_numbers(region_starts)] + first_lines - 1]


def count_terms(
    joined: bytes, begins: NDArray[np.int64]
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint8]]:
    """The terms of each region that begins at one of `begins`: starts, hashes and counts.

    The text ends in a byte that no identifier has. An identifier is split into its terms once,
    however often it occurs.
    """
    starts, lengths = find_runs(joined)
    _, first, identifier = np.unique(
        hash_runs(joined, starts, lengths), return_index=True, return_inverse=True
    )
    spelled = [
        spellings(joined[at : at + length].decode("utf-8", "replace"))
        for at, length in zip(starts[first].tolist(), lengths[first].tolist(), strict=True)
    ]
    hashed = np.array([hash_term(term) for one in spelled for term in one], np.uint32)
    spelled_at = np.cumsum([0, *(len(one) for one in spelled)]).astype(np.uint32)
    region = np.searchsorted(begins, starts, side="right") - 1
    pairs, occurs = np.unique(_paired(region, identifier), return_counts=True)
    identifiers = (pairs & _LOW).astype(np.int64)
    picked, _ = ranges(spelled_at[:-1][identifiers], spelled_at[1:][identifiers])
    repeats = (spelled_at[1:] - spelled_at[:-1])[identifiers]
    keys = _paired(np.repeat(pairs >> _HALF, repeats), hashed[picked])
    unique, at = np.unique(keys, return_inverse=True)
    counts = np.bincount(at, weights=np.repeat(occurs, repeats))
    bounds = np.arange(len(begins) + 1, dtype=np.uint64) << _HALF
    return (
        np.searchsorted(unique, bounds).astype(np.uint32),
        (unique & _LOW).astype(np.uint32),
        np.minimum(counts, MOST).astype(np.uint8),
    )


def _paired(high: NDArray[np.generic], low: NDArray[np.generic]) -> NDArray[np.uint64]:
    return (high.astype(np.uint64) << _HALF) | low.astype(np.uint64)


def _as_starts(ends: NDArray[np.uint32]) -> NDArray[np.uint32]:
    return np.concatenate((np.zeros(1, np.uint32), ends))


def _taken(
    starts: NDArray[np.uint32], rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    return ranges(starts[:-1][rows], starts[1:][rows])


def _joined(parts: list[NDArray[np.uint32]]) -> NDArray[np.uint32]:
    return np.concatenate([np.zeros(0, np.uint32), *parts])
