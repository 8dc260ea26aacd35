"""The report page of `eval localization`: one HTML file with its pictures in it."""

from collections.abc import Iterable, Iterator, Mapping

from resolveflow.codebase.map_picture import xml_text
from resolveflow.evals.localization_lines import VIEWS
from resolveflow.evals.localization_plots import STYLE, curve, slice_bars
from resolveflow.evals.localization_summary import Estimates, Summary
from resolveflow.evals.metrics import DEPTHS, Estimate

METRICS = (*(f"hit@{depth}" for depth in DEPTHS), "mrr", "all@10")
REGION_METRICS = ("region_hit@1", "region_hit@5", "region_hit@10")
HELD_OUT = "held-out weights"

_STYLE = (
    ":root{color-scheme:light dark;--paper:#fff;--ink:#1f2328;--quiet:#57606a;--rule:#d0d7de;"
    "--s0:#0a6b4f;--s1:#6e7781;--s2:#9a5b00;--s3:#7a3fb0}"
    "@media(prefers-color-scheme:dark){:root{--paper:#0d1117;--ink:#e6edf3;--quiet:#9ba3ac;"
    "--rule:#3d444d;--s0:#4cc38a;--s1:#9ba3ac;--s2:#e3a03c;--s3:#c297f0}}"
    "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;"
    "background:var(--paper);color:var(--ink)}.wide{overflow-x:auto}"
    "table{border-collapse:collapse;margin:1rem 0}caption{text-align:left;color:var(--quiet)}"
    "th,td{padding:.2rem .7rem;border-bottom:1px solid var(--rule);text-align:right}"
    "th:first-child{text-align:left;font-weight:normal}small{color:var(--quiet)}"
)


def page(summary: Summary) -> str:
    """A whole page, well-formed as XML too; every text from data is escaped."""
    body = "".join(
        (
            "<h1>Localization</h1>",
            *_told(summary),
            *_files(summary),
            *_slices(summary),
            *_lines(summary),
            *_fit(summary),
            *_unmeasured(summary),
            f"<p><small>{xml_text(summary.biases)}</small></p>",
        )
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"/>'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>'
        f"<title>Localization</title><style>{_STYLE}{STYLE}</style></head>"
        f"<body><main>{body}</main></body></html>\n"
    )


def _told(summary: Summary) -> Iterator[str]:
    yield (
        f"<p>{summary.rows} reports of {summary.repositories} repositories, each read at the commit"
        f" before its fix; {len(summary.skipped)} more could not be measured. A query takes"
        f" {summary.milliseconds['median']} ms (median), at most {summary.milliseconds['max']} ms,"
        " index building excluded. Intervals hold 95 %, by bootstrap over reports.</p>"
    )


def _files(summary: Summary) -> Iterator[str]:
    methods = dict(summary.files)
    if summary.fit:
        methods[HELD_OUT] = summary.fit.held_out
    yield f"<h2>Files</h2>{curve(methods)}"
    yield _table("Share of the reports with a gold file among the first k, by method", methods)
    yield _table("Gain over each baseline, paired by report", summary.gains)


def _slices(summary: Summary) -> Iterator[str]:
    parts = {f"{name} ({part.rows})": part for name, part in summary.slices.items()}
    yield f"<h2>Slices</h2>{slice_bars(summary.slices)}"
    yield _table(
        "Files, by slice (and how many reports it has)", {n: p.files for n, p in parts.items()}
    )
    yield _table(
        "Gain over BM25, paired by report, by slice", {n: p.gains for n, p in parts.items()}
    )


def _lines(summary: Summary) -> Iterator[str]:
    regions = {f"{n} ({p.functions})": p.regions for n, p in summary.slices.items() if p.functions}
    lined = {f"{n} ({p.lined})": p for n, p in summary.slices.items() if p.lined}
    yield (
        "<h2>Functions and lines</h2><p>A region is a run of 8 to 90 lines that begins at a "
        "definition. <b>regions@k</b> shows the k best of the whole tree, <b>files@k</b> of each "
        "of the k best files its best five, as <code>resolveflow localize --limit k</code> does."
        "</p>"
    )
    yield _table(
        "Share of the reports with a region of a gold function among the first k",
        regions,
        REGION_METRICS,
    )
    yield _table(
        "Line coverage: share of the gold lines that are shown",
        {name: part.lines for name, part in lined.items()},
        VIEWS,
    )
    yield _table(
        "Lines shown", {name: part.lines_shown for name, part in lined.items()}, VIEWS, digits=0
    )


def _fit(summary: Summary) -> Iterator[str]:
    if summary.fit:
        weights = ", ".join(f"{name} {weight:g}" for name, weight in summary.fit.weights.items())
        yield (
            "<h2>Weights</h2><p>What choosing the weights is worth on a repository that they were "
            f"not chosen on is drawn above as “{HELD_OUT}”: each repository was left out once. "
            f"Chosen on all reports: {xml_text(weights)}.</p>"
        )


def _unmeasured(summary: Summary) -> Iterator[str]:
    missed = {
        f"{row}: {path}": why
        for row, paths in summary.unranked.items()
        for path, why in paths.items()
    }
    yield from _list("Not measured", summary.skipped)
    yield from _list("Gold files that count as missed", missed)


def _list(title: str, told: Mapping[str, str]) -> Iterator[str]:
    if told:
        items = "".join(f"<li>{xml_text(name)}: {xml_text(why)}</li>" for name, why in told.items())
        yield f"<h2>{title}</h2><ul>{items}</ul>"


def _table(
    title: str,
    rows: Mapping[str, Estimates],
    metrics: Iterable[str] = METRICS,
    *,
    digits: int = 3,
) -> str:
    names = list(metrics)
    head = "<td></td>" + "".join(f'<th scope="col">{xml_text(name)}</th>' for name in names)
    body = "".join(
        f'<tr><th scope="row">{xml_text(name)}</th>'
        f"{''.join(_cell(row[metric], digits) for metric in names)}</tr>"
        for name, row in rows.items()
    )
    return (
        f'<div class="wide"><table><caption>{xml_text(title)}</caption>'
        f"<thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table></div>"
    )


def _cell(one: Estimate, digits: int) -> str:
    low, high = (f"{bound:.{digits}f}" for bound in (one.low, one.high))
    return f"<td>{one.value:.{digits}f}<br/><small>{low} to {high}</small></td>"
