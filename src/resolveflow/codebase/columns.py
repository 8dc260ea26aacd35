"""Rows of different length kept one after the other, as `starts` and flat columns."""

import numpy as np
from numpy.typing import NDArray


def ranges(
    begins: NDArray[np.uint32], ends: NDArray[np.uint32]
) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """The numbers from each begin up to its end, one after the other; and where each starts."""
    lengths = ends.astype(np.int64) - begins
    starts = np.concatenate(([0], np.cumsum(lengths)))
    shift = np.repeat(begins.astype(np.int64) - starts[:-1], lengths)
    return np.arange(int(starts[-1])) + shift, starts.astype(np.uint32)


def taken_text(
    text: bytes, ends: NDArray[np.uint32], starts: NDArray[np.uint32], files: NDArray[np.int64]
) -> bytes:
    """The texts of files, whose rows `starts[f]:starts[f + 1]` end at `ends` in `text`."""
    bounds = np.concatenate((np.zeros(1, ends.dtype), ends))[starts]
    pairs = zip(bounds[:-1][files].tolist(), bounds[1:][files].tolist(), strict=True)
    return b"".join([text[begin:end] for begin, end in pairs])


def joined_starts(parts: "list[NDArray[np.uint32]]") -> NDArray[np.uint32]:
    """The starts of all parts' rows, as if their columns were one."""
    starts = [np.zeros(1, np.int64)]
    first = 0
    for part in parts:
        starts.append(part[1:].astype(np.int64) + first)
        first += int(part[-1])
    return np.concatenate(starts).astype(np.uint32)


def row_numbers(starts: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """The row that each element of a flat column belongs to."""
    return np.repeat(np.arange(len(starts) - 1, dtype=np.uint32), np.diff(starts))
