"""Sums up measured localization: figures with intervals, by slice, against the baselines."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from resolveflow.domain.value import Value
from resolveflow.evals.localization import METHODS, Measured, Outcome
from resolveflow.evals.localization_fit import Fit
from resolveflow.evals.metrics import Estimate, estimate, file_samples, region_samples

BIASES = (
    "Gold is what the fix touched, not every valid answer; a language model may have seen the"
    " fixes; reports of few repositories with many rows weigh most."
)

Estimates = dict[str, Estimate]


class Slice(Value):
    """The figures of some of the reports."""

    rows: int
    files: Estimates
    regions: Estimates


class FitSummary(Value):
    """The chosen weights, and what such a choice is worth on repositories it has not seen."""

    weights: dict[str, float]
    held_out: Estimates


class Summary(Value):
    """What `eval localization` reports.

    `files` is by method; `gains` are paired differences of ours to each baseline; `slices` are
    ours; `milliseconds` a query without building the index.
    """

    rows: int
    skipped: dict[str, str]
    files: dict[str, Estimates]
    gains: dict[str, Estimates]
    slices: dict[str, Slice]
    milliseconds: dict[str, float]
    fit: FitSummary | None = None
    biases: str = BIASES


def summarize(measured: Measured, fit: Fit | None = None) -> Summary:
    """All figures of a run; intervals are 95 %, by bootstrap over reports."""
    outcomes = measured.outcomes
    samples = {
        method: file_samples([outcome.ranks[method] for outcome in outcomes]) for method in METHODS
    }
    ours, *baselines = METHODS
    times = np.array([outcome.milliseconds for outcome in outcomes] or [0.0])
    return Summary(
        rows=len(outcomes),
        skipped=dict(measured.skipped),
        files={method: _estimates(one) for method, one in samples.items()},
        gains={
            baseline: _estimates(
                {name: samples[ours][name] - samples[baseline][name] for name in samples[ours]}
            )
            for baseline in baselines
        },
        slices={name: _slice(chosen) for name, chosen in _slices(outcomes).items() if chosen},
        milliseconds={
            "median": round(float(np.median(times)), 1),
            "p95": round(float(np.percentile(times, 95)), 1),
            "max": round(float(times.max()), 1),
        },
        fit=None
        if fit is None
        else FitSummary(weights=fit.weights, held_out=_estimates(file_samples(fit.held_out_ranks))),
    )


def _estimates(samples: Mapping[str, np.ndarray]) -> Estimates:
    return {name: estimate(sample) for name, sample in samples.items()}


def _slice(outcomes: Sequence[Outcome]) -> Slice:
    functions = [outcome.region for outcome in outcomes if outcome.has_functions]
    return Slice(
        rows=len(outcomes),
        files=_estimates(file_samples([outcome.ranks[METHODS[0]] for outcome in outcomes])),
        regions=_estimates(region_samples(functions)),
    )


def _slices(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    tests: dict[str, Callable[[Outcome], bool]] = {
        "all": lambda one: True,
        "with a traceback": lambda one: one.has_traceback,
        "names a path": lambda one: one.names_a_path,
        "neither": lambda one: not one.has_traceback and not one.names_a_path,
        "under 100 source files": lambda one: one.tree_files < 100,
        "100 to 500 source files": lambda one: 100 <= one.tree_files <= 500,
        "over 500 source files": lambda one: one.tree_files > 500,
    }
    slices = {name: [one for one in outcomes if test(one)] for name, test in tests.items()}
    for language in sorted({one.language for one in outcomes}):
        slices[f"in {language}"] = [one for one in outcomes if one.language == language]
    return slices
