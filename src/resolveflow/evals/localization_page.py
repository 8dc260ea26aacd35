"""The report page of `eval localization`: one HTML file with its pictures in it."""

from collections.abc import Iterable, Mapping
from html import escape

from resolveflow.evals.localization_summary import Estimates, Summary
from resolveflow.evals.metrics import DEPTHS, Estimate

_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse;margin:1rem 0}"
    "th,td{padding:.2rem .7rem;border-bottom:1px solid #ccc;text-align:right}"
    "th:first-child,td:first-child{text-align:left}small{color:#555}"
)
_COLOURS = ("#1b6e53", "#8a8a8a", "#c08a2d")
_HEIGHT = 220
_BAR = 30


def page(summary: Summary) -> str:
    """A whole HTML page; every text from data is escaped."""
    metrics = [*(f"hit@{depth}" for depth in DEPTHS), "mrr", "all@10"]
    ours = {name: part.files for name, part in summary.slices.items()}
    regions = {name: part.regions for name, part in summary.slices.items()}
    sizes = ", ".join(f"{name} {part.rows}" for name, part in summary.slices.items())
    sections = [
        "<h1>Localization</h1>",
        f"<p>{summary.rows} reports, {len(summary.skipped)} not measured. A query takes "
        f"{summary.milliseconds['median']} ms (median), at most {summary.milliseconds['max']} ms, "
        "index building excluded. <small>Intervals: 95 %, bootstrap over reports.</small></p>",
        _chart({name: summary.files[name] for name in summary.files}),
        _table("Files, by method", summary.files, metrics),
        _table("Gain over the baseline, paired", summary.gains, metrics),
        _table("Files, by slice", ours, metrics),
        f"<p><small>Reports: {escape(sizes)}</small></p>",
        _table("Regions, by slice", regions, ["region_hit@1", "region_hit@5", "region_hit@10"]),
        *_fit(summary, metrics),
        *(f"<p>Not measured: {escape(i)}: {escape(why)}</p>" for i, why in summary.skipped.items()),
        f"<p><small>{escape(summary.biases)}</small></p>",
    ]
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Localization</title>'
        f"<style>{_STYLE}</style>{''.join(sections)}</html>\n"
    )


def _fit(summary: Summary, metrics: Iterable[str]) -> Iterable[str]:
    if summary.fit:
        weights = ", ".join(f"{name} {weight:g}" for name, weight in summary.fit.weights.items())
        yield _table(
            "Weights chosen without the repository", {"held out": summary.fit.held_out}, metrics
        )
        yield f"<p>Chosen on all: {escape(weights)}</p>"


def _table(title: str, rows: Mapping[str, Estimates], metrics: Iterable[str]) -> str:
    names = list(metrics)
    head = "".join(f"<th>{escape(name)}</th>" for name in ("", *names))
    body = "".join(
        f"<tr><td>{escape(name)}</td>{''.join(_cell(row[metric]) for metric in names)}</tr>"
        for name, row in rows.items()
    )
    return f"<h2>{escape(title)}</h2><table><tr>{head}</tr>{body}</table>"


def _cell(one: Estimate) -> str:
    return f"<td>{one.value:.3f}<br><small>{one.low:.3f}–{one.high:.3f}</small></td>"


def _chart(methods: Mapping[str, Estimates]) -> str:
    """Bars of hit@k for each method, with their intervals as lines."""
    step = _BAR * len(methods) + 20
    drawn = [
        _bar(20 + column * step + _BAR * place, methods[method][f"hit@{depth}"], _COLOURS[place])
        for column, depth in enumerate(DEPTHS)
        for place, method in enumerate(methods)
    ]
    labels = [
        f'<text x="{20 + column * step}" y="{_HEIGHT + 18}">hit@{depth}</text>'
        for column, depth in enumerate(DEPTHS)
    ]
    legend = [
        f'<text x="{20 + 140 * place}" y="{_HEIGHT + 42}" fill="{_COLOURS[place]}">'
        f"■ {escape(method)}</text>"
        for place, method in enumerate(methods)
    ]
    return (
        f'<svg role="img" aria-label="hit rates by method" width="{40 + step * len(DEPTHS)}" '
        f'height="{_HEIGHT + 50}" font-size="13">{"".join(drawn + labels + legend)}</svg>'
    )


def _bar(left: int, one: Estimate, colour: str) -> str:
    top = _HEIGHT * (1 - one.value)
    middle = left + _BAR / 2 - 2
    return (
        f'<rect x="{left}" y="{top:.1f}" width="{_BAR - 4}" height="{_HEIGHT * one.value:.1f}" '
        f'fill="{colour}"><title>{one.value:.3f}</title></rect>'
        f'<line x1="{middle}" x2="{middle}" y1="{_HEIGHT * (1 - one.high):.1f}" '
        f'y2="{_HEIGHT * (1 - one.low):.1f}" stroke="black"/>'
    )
