"""Rates, their bootstrap intervals and paired differences."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from resolveflow.domain.value import Value

RESAMPLES = 2_000
DEPTHS = (1, 3, 5, 10, 20)

Sample = NDArray[np.float64]


class Estimate(Value):
    """A mean over reports with its 95 % bootstrap interval."""

    value: float
    low: float
    high: float


def estimate(sample: Sample) -> Estimate:
    """The mean and the interval that holds the middle 95 % of the means of resamples."""
    if not len(sample):
        return Estimate(value=0.0, low=0.0, high=0.0)
    drawn = np.random.default_rng(0).integers(0, len(sample), (RESAMPLES, len(sample)))
    low, high = np.percentile(sample[drawn].mean(axis=1), [2.5, 97.5])
    return Estimate(
        value=round(float(sample.mean()), 6),
        low=round(float(low), 6),
        high=round(float(high), 6),
    )


def file_samples(ranks: Sequence[Sequence[int]]) -> dict[str, Sample]:
    """For every report its hits, reciprocal rank and whether all is found, from its gold ranks."""
    first = np.array([one[0] for one in ranks], dtype=np.float64)
    last = np.array([one[-1] for one in ranks], dtype=np.float64)
    samples: dict[str, Sample] = {
        f"hit@{depth}": (first <= depth).astype(np.float64) for depth in DEPTHS
    }
    return samples | {"mrr": 1 / first, "all@10": (last <= 10).astype(np.float64)}


def region_samples(ranks: Sequence[int | None]) -> dict[str, Sample]:
    """The hits of regions; None is a region that was never ranked."""
    found = np.array([np.inf if rank is None else rank for rank in ranks], dtype=np.float64)
    return {f"region_hit@{depth}": (found <= depth).astype(np.float64) for depth in (1, 5, 10)}
