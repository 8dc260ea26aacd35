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


def joined_starts(parts: "list[NDArray[np.uint32]]") -> NDArray[np.uint32]:
    """The starts of all parts' rows, as if their columns were one."""
    starts = [np.zeros(1, np.int64)]
    first = 0
    for part in parts:
        starts.append(part[1:].astype(np.int64) + first)
        first += int(part[-1])
    return np.concatenate(starts).astype(np.uint32)


def row_numbers(starts: NDArray[np.uint32]) -> NDArray[np.int64]:
    """The row that each element of a flat column belongs to."""
    bounds = starts.astype(np.int64)
    return np.repeat(np.arange(len(bounds) - 1), bounds[1:] - bounds[:-1])
