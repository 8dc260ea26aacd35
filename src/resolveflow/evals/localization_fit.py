"""Chooses the weights of the signals, and estimates honestly what that choice is worth."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from resolveflow.codebase.ranking import WEIGHTS, share
from resolveflow.domain.value import Value
from resolveflow.evals.localization import Measured, Signals, gold_ranks

GRID = (0.0, 0.5, 0.75, 1.0, 1.5, 2.5)
LEAST_GAIN = 0.003  # of the objective; what gains less is noise and is not chosen
ROUNDS = 3

Weights = NDArray[np.float64]


class Fit(Value):
    """Weights chosen on all rows, and each row's gold ranks under weights chosen without its repo.

    The ranks are those of leave-one-repository-out, in the order of the outcomes: whether a
    signal is used at all (a weight of 0) is chosen inside it.
    """

    weights: dict[str, float]
    held_out_ranks: tuple[tuple[int, ...], ...]


def fit(measured: Measured) -> Fit:
    """Choose weights by coordinate search over a coarse grid, from equal weights."""
    shares = [np.array([share(row) for row in one.scores]) for one in measured.signals]
    repos = [outcome.repo for outcome in measured.outcomes]
    held_out: list[tuple[int, ...]] = [()] * len(repos)
    for repo in sorted(set(repos)):
        others = [n for n, one in enumerate(repos) if one != repo]
        weights = _search([shares[n] for n in others], [measured.signals[n] for n in others])
        for n, one in enumerate(repos):
            if one == repo:
                held_out[n] = _ranks(shares[n], measured.signals[n], weights)
    chosen = _search(shares, measured.signals)
    return Fit(
        weights=dict(zip(WEIGHTS, [float(weight) for weight in chosen], strict=True)),
        held_out_ranks=tuple(held_out),
    )


def _search(shares: Sequence[Weights], signals: Sequence[Signals]) -> Weights:
    weights = np.ones(len(WEIGHTS))
    if not signals:
        return weights
    best = _objective(shares, signals, weights)
    for _ in range(ROUNDS):
        before = best
        for signal in range(len(weights)):
            tried: Mapping[float, float] = {
                value: _objective(shares, signals, _with(weights, signal, value)) for value in GRID
            }
            value = max(tried, key=lambda one: (tried[one], -abs(one - 1)))
            if tried[value] > best + LEAST_GAIN:
                best, weights = tried[value], _with(weights, signal, value)
        if best == before:
            break
    return weights


def _with(weights: Weights, signal: int, value: float) -> Weights:
    changed = weights.copy()
    changed[signal] = value
    return changed


def _objective(shares: Sequence[Weights], signals: Sequence[Signals], weights: Weights) -> float:
    """The mean of reciprocal rank, hit@1, hit@5 and hit@10: the figures that are reported."""
    first = np.array(
        [_ranks(one, raw, weights)[0] for one, raw in zip(shares, signals, strict=True)]
    )
    hits = sum((first <= depth).mean() for depth in (1, 5, 10))
    return float(((1 / first).mean() + hits) / 4)


def _ranks(shares: Weights, signals: Signals, weights: Weights) -> tuple[int, ...]:
    fused = (weights @ shares) * signals.importance
    return gold_ranks(fused, signals.gold.tolist()) or (len(fused) + 1,)
