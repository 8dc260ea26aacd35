"""Identifiers counted with array operations: a name is a 32-bit hash, a text a row of counts."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SHORTEST = 3  # letters; shorter names tell files apart badly
LONGEST = 100
MOST = 255  # what a count ends at
_CHUNK = 4 * 1024 * 1024
_PADDING = b"\0" * 40
_WORD = np.dtype("<u8")


def _classes() -> NDArray[np.uint8]:
    """1 for bytes inside identifiers, 3 for digits, which do not begin one."""
    classes = np.zeros(256, np.uint8)
    classes[0x80:] = 1
    for letters in (b"abcdefghijklmnopqrstuvwxyz", b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", b"_$"):
        classes[np.frombuffer(letters, np.uint8)] = 1
    classes[np.frombuffer(b"0123456789", np.uint8)] = 3
    return classes


_CLASS = _classes()
_INSIDE = _CLASS > 0
_BEGINS = _CLASS == 1
_MASKS = np.array([(1 << (8 * length)) - 1 for length in range(8)] + [2**64 - 1], np.uint64)
_FACTORS = np.array(
    [0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93], np.uint64
)


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


def hash_names(names: Sequence[bytes]) -> NDArray[np.uint32]:
    """The hashes that names have in Counts; names hold identifier bytes only."""
    if not names:
        return np.zeros(0, np.uint32)
    lengths = np.array([len(name) for name in names], np.int64)
    ends = np.cumsum(lengths + 1) - 1
    return _hashes(b"\n".join(names) + b"\n", ends - lengths, lengths)


def _keys(texts: Sequence[bytes], first: int) -> NDArray[np.uint64]:
    """(text, name) of every identifier, packed into one number each."""
    joined = b"\n".join((*texts, b""))
    data = np.frombuffer(joined, np.uint8)
    inside = _INSIDE[data].view(np.int8)
    edges = np.flatnonzero(inside[1:] != inside[:-1]) + 1
    if len(inside) and inside[0]:
        edges = np.concatenate(([0], edges))
    starts, ends = edges[0::2], edges[1::2]
    lengths = ends - starts
    kept = (lengths >= SHORTEST) & (lengths <= LONGEST) & _BEGINS[data[starts]]
    starts, lengths = starts[kept], lengths[kept]
    text_ends = np.cumsum([len(text) + 1 for text in texts])
    rows = np.searchsorted(text_ends, starts, side="right").astype(np.uint64) + np.uint64(first)
    keys: NDArray[np.uint64] = (rows << np.uint64(32)) | _hashes(joined, starts, lengths)
    return keys


def _hashes(
    text: bytes, starts: NDArray[np.int64], lengths: NDArray[np.int64]
) -> NDArray[np.uint32]:
    """A hash over the first 24 bytes, the last 8 and the length: exact up to 32 bytes."""
    padded = text + _PADDING
    words = np.ndarray((len(padded) - 7,), _WORD, padded, strides=(1,))
    mixed = lengths.astype(np.uint64) * _FACTORS[3]
    for word in range(3):
        taken = np.clip(lengths - 8 * word, 0, 8)
        some = words[np.minimum(starts + 8 * word, len(words) - 1)] & _MASKS[taken]
        mixed = (mixed ^ some) * _FACTORS[word]
        mixed ^= mixed >> np.uint64(29)
    last = words[np.maximum(starts + lengths - 8, starts)]
    mixed = (mixed ^ np.where(lengths > 24, last, np.uint64(0))) * _FACTORS[3]
    hashes: NDArray[np.uint32] = (mixed >> np.uint64(32)).astype(np.uint32)
    return hashes


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
