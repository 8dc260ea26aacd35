"""Sums up measured localization: figures with intervals, by slice, against the baselines."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from resolveflow.domain.value import Value
from resolveflow.evals.localization import METHODS, Measured, Outcome
from resolveflow.evals.localization_fit import Fit
from resolveflow.evals.localization_lines import VIEWS
from resolveflow.evals.metrics import Estimate, Sample, estimate, file_samples, region_samples

BIASES = (
    "Gold is what the fix touched, not every valid answer; a language model may have seen the"
    " fixes; reports of few repositories with many rows weigh most."
)

Estimates = dict[str, Estimate]


class Slice(Value):
    """Our figures for some of the reports.

    `gains` are paired differences to BM25. `regions` and `lines` are over the `functions` and
    `lined` reports whose gold functions or lines are known: `lines` is the share of the gold lines
    that each view shows, `lines_shown` how many lines that view has.
    """

    rows: int
    files: Estimates
    gains: Estimates
    functions: int
    regions: Estimates
    lined: int
    lines: Estimates
    lines_shown: Estimates


class FitSummary(Value):
    """The chosen weights, and what such a choice is worth on repositories it has not seen."""

    weights: dict[str, float]
    held_out: Estimates


class Summary(Value):
    """What `eval localization` reports.

    `files` is by method; `gains` are paired differences of ours to each baseline; `slices` are
    ours; `milliseconds` a query without building the index. `skipped` says by report why it was
    not measured, `unranked` by report which gold files count as missed, and why.
    """

    rows: int
    repositories: int
    skipped: dict[str, str]
    unranked: dict[str, dict[str, str]]
    files: dict[str, Estimates]
    gains: dict[str, Estimates]
    slices: dict[str, Slice]
    milliseconds: dict[str, float]
    fit: FitSummary | None = None
    biases: str = BIASES


def summarize(measured: Measured, fit: Fit | None = None) -> Summary:
    """All figures of a run; intervals are 95 %, by bootstrap over reports."""
    outcomes = measured.outcomes
    samples = {method: _file_samples(outcomes, method) for method in METHODS}
    ours, *baselines = METHODS
    times = np.array([outcome.milliseconds for outcome in outcomes] or [0.0])
    return Summary(
        rows=len(outcomes),
        repositories=len({outcome.repo for outcome in outcomes}),
        skipped=dict(measured.skipped),
        unranked={outcome.id: outcome.unranked for outcome in outcomes if outcome.unranked},
        files={method: _estimates(one) for method, one in samples.items()},
        gains={baseline: _gains(samples[ours], samples[baseline]) for baseline in baselines},
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


def _file_samples(outcomes: Sequence[Outcome], method: str) -> dict[str, Sample]:
    return file_samples([outcome.ranks[method] for outcome in outcomes])


def _gains(ours: Mapping[str, Sample], baseline: Mapping[str, Sample]) -> Estimates:
    return _estimates({name: ours[name] - baseline[name] for name in ours})


def _estimates(samples: Mapping[str, Sample]) -> Estimates:
    return {name: estimate(sample) for name, sample in samples.items()}


def _slice(outcomes: Sequence[Outcome]) -> Slice:
    ours = _file_samples(outcomes, METHODS[0])
    functions = [outcome.region for outcome in outcomes if outcome.has_functions]
    lined = [outcome.seen for outcome in outcomes if outcome.seen]
    shares = {view: np.array([one[view].share for one in lined]) for view in VIEWS}
    shown = {view: np.array([one[view].lines for one in lined], np.float64) for view in VIEWS}
    return Slice(
        rows=len(outcomes),
        files=_estimates(ours),
        gains=_gains(ours, _file_samples(outcomes, METHODS[1])),
        functions=len(functions),
        regions=_estimates(region_samples(functions)),
        lined=len(lined),
        lines=_estimates(shares),
        lines_shown=_estimates(shown),
    )


def _slices(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    tests: dict[str, Callable[[Outcome], bool]] = {
        "all": lambda one: True,
        "with a traceback": lambda one: one.has_traceback,
        "names a path": lambda one: one.names_a_path,
        "neither": lambda one: not one.has_traceback and not one.names_a_path,
        "up to 200 source files": lambda one: one.tree_files <= 200,
        "201 to 1000 source files": lambda one: 200 < one.tree_files <= 1000,
        "over 1000 source files": lambda one: one.tree_files > 1000,
    }
    slices = {name: [one for one in outcomes if test(one)] for name, test in tests.items()}
    for language in sorted({one.language for one in outcomes}):
        slices[f"in {language}"] = [one for one in outcomes if one.language == language]
    return slices
