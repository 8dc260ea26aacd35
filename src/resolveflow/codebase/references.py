"""Identifiers counted with array operations: a name is a 32-bit hash, a text a row of counts."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from resolveflow.codebase.identifiers import BEGINS, find_runs, hash_runs, short_hashes

SHORTEST = 3  # letters; shorter names tell files apart badly
LONGEST = 100
MOST = 255  # what a count ends at
_CHUNK = 4 * 1024 * 1024


@dataclass(frozen=True)
class Counts:
    """Row `r` counts the names `names[starts[r]:starts[r + 1]]`, sorted, `counts` times each."""

    starts: NDArray[np.uint32]
    names: NDArray[np.uint32]
    counts: NDArray[np.uint8]


def count_identifiers(texts: Sequence[bytes]) -> Counts:
    """How often each text holds each identifier of 3 to 100 letters."""
    keys = [np.zeros(0, np.uint64)]
    first = 0
    while first < len(texts):
        last, size = first, 0
        while last < len(texts) and (size == 0 or size + len(texts[last]) <= _CHUNK):
            size += len(texts[last]) + 1
            last += 1
        keys.append(_keys(texts[first:last], first))
        first = last
    return _counted(np.concatenate(keys), len(texts))


def _keys(texts: Sequence[bytes], first: int) -> NDArray[np.uint64]:
    """(text, name) of every identifier, packed into one number each."""
    joined = b"\n".join((*texts, b""))
    starts, lengths = find_runs(joined)
    begins = BEGINS[np.frombuffer(joined, np.uint8)[starts]]
    kept = (lengths >= SHORTEST) & (lengths <= LONGEST) & begins
    starts, lengths = starts[kept], lengths[kept]
    text_ends = np.cumsum([len(text) + 1 for text in texts])
    rows = np.searchsorted(text_ends, starts, side="right").astype(np.uint64) + np.uint64(first)
    keys: NDArray[np.uint64] = (rows << np.uint64(32)) | short_hashes(
        hash_runs(joined, starts, lengths)
    )
    return keys


def _counted(keys: NDArray[np.uint64], rows: int) -> Counts:
    keys.sort()
    begins = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1]))[: len(keys)])
    counts = np.diff(np.concatenate((begins, [len(keys)])))
    unique = keys[begins]
    bounds = np.arange(rows + 1, dtype=np.uint64) << np.uint64(32)
    return Counts(
        starts=np.searchsorted(unique, bounds).astype(np.uint32),
        names=(unique & np.uint64(0xFFFFFFFF)).astype(np.uint32),
        counts=np.minimum(counts, MOST).astype(np.uint8),
    )
