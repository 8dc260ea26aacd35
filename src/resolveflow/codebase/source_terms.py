"""The full text of source files: their regions, and how often each holds each term.

Like facts, it depends on a file's bytes alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from resolveflow.codebase.code_facts import language_of_key
from resolveflow.codebase.columns import joined_starts, ranges, row_numbers
from resolveflow.codebase.definitions import find_definitions
from resolveflow.codebase.identifiers import find_runs, hash_runs
from resolveflow.codebase.languages import as_utf8
from resolveflow.codebase.regions import regions
from resolveflow.codebase.text import terms

if TYPE_CHECKING:
    from collections.abc import Sequence, Set

    from numpy.typing import NDArray

    from resolveflow.codebase.definitions import Definitions
    from resolveflow.domain.exploration import Symbol

_NEWLINE = 10
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
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
    texts = [as_utf8(content) for content in contents]
    found = find_definitions(texts, [language_of_key(key) for key in keys])
    cut = [_regions(found, file, text) for file, text in enumerate(texts)]
    region_starts = np.cumsum([0, *(len(of_file) for of_file in cut)]).astype(np.uint32)
    all_regions = [region for of_file in cut for region in of_file]
    numbers: dict[str, int] = {}
    names = [numbers.setdefault(region.name, len(numbers)) for region in all_regions]
    first_lines = np.array([region.start_line for region in all_regions], np.uint32)
    joined = b"\n".join((*texts, b""))
    begins = _first_bytes(joined, texts, region_starts, first_lines)
    term_starts, terms, counts = _count_terms(joined, begins, numbers)
    return SourceTerms(
        keys=tuple(keys),
        strings=tuple(numbers),
        region_starts=region_starts,
        first_lines=first_lines,
        last_lines=np.array([region.end_line for region in all_regions], np.uint32),
        names=np.array(names, np.uint32),
        term_starts=term_starts,
        terms=terms,
        counts=counts,
    )


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


def _regions(found: Definitions, file: int, text: bytes) -> list[Symbol]:
    rows = range(int(found.starts[file]), int(found.starts[file + 1]))
    named = [(int(found.lines[row]), found.name(row)) for row in rows]
    return regions(named, text.count(b"\n") + (not text.endswith(b"\n")))


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


def _count_terms(
    joined: bytes, begins: NDArray[np.int64], numbers: dict[str, int]
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint8]]:
    """The terms of each region that begins at one of `begins`, numbered by `numbers`.

    An identifier is split into its terms once, however often it occurs.
    """
    starts, lengths = find_runs(joined)
    _, first, identifier = np.unique(
        hash_runs(joined, starts, lengths), return_index=True, return_inverse=True
    )
    spelled = [
        terms(joined[at : at + length].decode("utf-8", "replace"))
        for at, length in zip(starts[first].tolist(), lengths[first].tolist(), strict=True)
    ]
    ids = [numbers.setdefault(term, len(numbers)) for one in spelled for term in one]
    times = np.array([count for one in spelled for count in one.values()], np.int64)
    spelled_at = np.cumsum([0, *(len(one) for one in spelled)]).astype(np.uint32)
    region = np.searchsorted(begins, starts, side="right") - 1
    pairs, occurs = np.unique(_paired(region, identifier), return_counts=True)
    identifiers = (pairs & _LOW).astype(np.int64)
    picked, _ = ranges(spelled_at[:-1][identifiers], spelled_at[1:][identifiers])
    repeats = (spelled_at[1:] - spelled_at[:-1])[identifiers]
    keys = _paired(np.repeat(pairs >> _HALF, repeats), np.array(ids, np.uint32)[picked])
    unique, at = np.unique(keys, return_inverse=True)
    counts = np.bincount(at, weights=times[picked] * np.repeat(occurs, repeats))
    bounds = np.arange(len(begins) + 1, dtype=np.uint64) << _HALF
    return (
        np.searchsorted(unique, bounds).astype(np.uint32),
        (unique & _LOW).astype(np.uint32),
        np.minimum(counts, MOST).astype(np.uint8),
    )


def _paired(high: NDArray[np.generic], low: NDArray[np.generic]) -> NDArray[np.uint64]:
    return (high.astype(np.uint64) << _HALF) | low.astype(np.uint64)


def _joined(parts: list[NDArray[np.uint32]] | list[NDArray[np.uint8]]) -> NDArray[np.uint32]:
    return np.concatenate([np.zeros(0, np.uint32), *parts]).astype(np.uint32)
