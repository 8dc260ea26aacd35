"""Identifiers found with array operations: runs of their bytes in one long text, and hashes."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

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
BEGINS = _CLASS == 1  # by byte: whether an identifier begins with it
_MASKS = np.array([(1 << (8 * length)) - 1 for length in range(8)] + [2**64 - 1], np.uint64)
_ALL = 2**64 - 1
_FACTORS = np.array(
    [0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93], np.uint64
)


def find_runs(text: bytes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where runs of letters, digits, `_` and `$` start, and how long they are.

    The text ends in another byte.
    """
    inside = _INSIDE[np.frombuffer(text, np.uint8)].view(np.int8)
    edges = np.flatnonzero(inside[1:] != inside[:-1]) + 1
    if len(inside) and inside[0]:
        edges = np.concatenate(([0], edges))
    return edges[0::2], edges[1::2] - edges[0::2]


def hash_runs(
    text: bytes, starts: NDArray[np.int64], lengths: NDArray[np.int64]
) -> NDArray[np.uint64]:
    """A hash over the first 24 bytes, the last 8 and the length: exact up to 32 bytes.

    The upper half is the better one.
    """
    padded = text + _PADDING
    words = np.ndarray((len(padded) - 7,), _WORD, padded, strides=(1,))
    mixed = lengths.astype(np.uint64) * _FACTORS[3]
    for word in range(3):
        taken = np.clip(lengths - 8 * word, 0, 8)
        some = words[np.minimum(starts + 8 * word, len(words) - 1)] & _MASKS[taken]
        mixed = (mixed ^ some) * _FACTORS[word]
        mixed ^= mixed >> np.uint64(29)
    last = words[np.maximum(starts + lengths - 8, starts)]
    hashes: NDArray[np.uint64] = (mixed ^ np.where(lengths > 24, last, np.uint64(0))) * _FACTORS[3]
    return hashes


def short_hashes(hashes: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """The upper halves."""
    return (hashes >> np.uint64(32)).astype(np.uint32)


def hash_name(name: bytes) -> int:
    """The short hash of one name; `hash_names` costs more than this for a few."""
    mixed = len(name) * int(_FACTORS[3]) & _ALL
    for word in range(3):
        mixed ^= int.from_bytes(name[8 * word : 8 * word + 8], "little")
        mixed = mixed * int(_FACTORS[word]) & _ALL
        mixed ^= mixed >> 29
    if len(name) > 24:
        mixed ^= int.from_bytes(name[-8:], "little")
    return (mixed * int(_FACTORS[3]) & _ALL) >> 32


def hash_names(names: Sequence[bytes]) -> NDArray[np.uint32]:
    """The short hashes of names, which hold identifier bytes only."""
    if not names:
        return np.zeros(0, np.uint32)
    lengths = np.array([len(name) for name in names], np.int64)
    ends = np.cumsum(lengths + 1) - 1
    return short_hashes(hash_runs(b"\n".join(names) + b"\n", ends - lengths, lengths))
