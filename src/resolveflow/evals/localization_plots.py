"""The pictures of the localization report: SVG to stand in HTML, in the page's own colours."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

from resolveflow.codebase.map_picture import xml_text
from resolveflow.evals.localization_summary import Estimates, Slice
from resolveflow.evals.metrics import DEPTHS, Estimate

BARS = ("hit@1", "hit@5", "hit@10")

_LEFT, _TOP, _WIDE, _HIGH = 56, 50, 600, 300
_LABEL, _THICK, _GAP, _LONG = 230, 11, 12, 420
_MARKS = (  # one for each series, drawn around 0, 0: nobody has to tell series by colour
    '<circle r="5"/>',
    '<path d="M-5 -5H5V5H-5Z"/>',
    '<path d="M0 -6L6 5H-6Z"/>',
    '<path d="M0 -7L7 0L0 7L-7 0Z"/>',
)

STYLE = (
    "svg{max-width:100%;height:auto;display:block}svg text{font:13px system-ui,sans-serif;"
    "fill:var(--ink)}.axis{stroke:var(--rule);fill:none}.whisker{stroke:var(--ink);"
    "stroke-width:1.4;fill:none}.line{fill:none;stroke-width:2}"
    ".value{font-size:10px}.bar{fill:var(--s0);stroke:var(--s0)}.b1{fill-opacity:.65}.b2{fill-opacity:.35}"
    + "".join(
        f".s{n} .line{{stroke:var(--s{n});stroke-dasharray:{dash}}}"
        f".s{n} .mark{{fill:var(--s{n})}}.s{n} .whisker{{stroke:var(--s{n})}}"
        for n, dash in enumerate(("none", "7 4", "2 3", "9 3 2 3"))
    )
)


def curve(methods: Mapping[str, Estimates]) -> str:
    """The share of reports with a gold file among the first k, a line a method, with intervals."""
    described = "; ".join(
        f"{name}: " + ", ".join(f"{one[f'hit@{k}'].value:.3f} at {k}" for k in DEPTHS)
        for name, one in methods.items()
    )
    body = "".join((*_grid(), *_legend(list(methods), _line_mark), *_series(methods)))
    return _picture(
        "curve", "Reports with a gold file among the first k files", described, body, _TOP + 360
    )


def slice_bars(slices: Mapping[str, Slice]) -> str:
    """Bars of our hit rates for each slice, with intervals."""
    described = "; ".join(
        f"{name}, {part.rows} reports: "
        + ", ".join(f"{metric} {part.files[metric].value:.3f}" for metric in BARS)
        for name, part in slices.items()
    )
    step = _THICK * len(BARS) + _GAP
    body = "".join((*_legend(list(BARS), _bar_mark), *_bars(slices, step)))
    return _picture(
        "slices", "Hit rates by slice of the reports", described, body, _TOP + step * len(slices)
    )


def _picture(name: str, title: str, described: str, body: str, height: int) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 {height}" role="img" '
        f'aria-labelledby="{name}-title {name}-desc">'
        f'<title id="{name}-title">{xml_text(title)}</title>'
        f'<desc id="{name}-desc">{xml_text(described)}</desc>{body}</svg>'
    )


def _x(depth: int) -> float:
    return _LEFT + 20 + (_WIDE - 40) * math.log(depth) / math.log(DEPTHS[-1])


def _y(share: float) -> float:
    return _TOP + _HIGH * (1 - share)


def _grid() -> Iterator[str]:
    for tenth in range(0, 11, 2):
        y = _y(tenth / 10)
        yield f'<path class="axis" d="M{_LEFT} {y:.1f}h{_WIDE}"/>'
        yield f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{tenth / 10:.1f}</text>'
    for depth in DEPTHS:
        yield f'<text x="{_x(depth):.1f}" y="{_y(0) + 20}" text-anchor="middle">{depth}</text>'
    middle = _LEFT + _WIDE / 2
    yield f'<text x="{middle}" y="{_y(0) + 42}" text-anchor="middle">first k files</text>'


def _legend(names: Sequence[str], draw: Callable[[int, float], str]) -> Iterator[str]:
    width = 660 / max(1, len(names))
    for number, name in enumerate(names):
        x = 30 + width * number
        yield f'{draw(number, x)}<text x="{x + 20:.1f}" y="25">{xml_text(name)}</text>'


def _line_mark(number: int, x: float) -> str:
    line = f'<path class="line" d="M{x - 14:.1f} 20h28"/>'
    return f'<g class="s{number}">{line}{_mark(number, x, 20)}</g>'


def _bar_mark(number: int, x: float) -> str:
    return f'<rect class="bar b{number}" x="{x - 6:.1f}" y="14" width="18" height="12"/>'


def _series(methods: Mapping[str, Estimates]) -> Iterator[str]:
    for number, estimates in enumerate(methods.values()):
        aside = 4 * (number - (len(methods) - 1) / 2)  # so that no interval hides another
        at = [(_x(depth) + aside, estimates[f"hit@{depth}"]) for depth in DEPTHS]
        points = " ".join(f"{x:.1f},{_y(one.value):.1f}" for x, one in at)
        drawn = "".join(
            f'<path class="whisker" d="M{x:.1f} {_y(one.high):.1f}V{_y(one.low):.1f}"/>'
            f"{_mark(number, x, _y(one.value))}"
            for x, one in at
        )
        yield f'<g class="s{number}"><polyline class="line" points="{points}"/>{drawn}</g>'


def _mark(number: int, x: float, y: float) -> str:
    return (
        f'<g class="mark" transform="translate({x:.1f} {y:.1f})">{_MARKS[number % len(_MARKS)]}</g>'
    )


def _bars(slices: Mapping[str, Slice], step: int) -> Iterator[str]:
    for row, (name, part) in enumerate(slices.items()):
        top = _TOP + row * step
        middle = top + _THICK * len(BARS) / 2 + 4
        told = f"{name} ({part.rows})"
        yield f'<text x="{_LABEL - 10}" y="{middle}" text-anchor="end">{xml_text(told)}</text>'
        for number, metric in enumerate(BARS):
            yield _bar(number, top + number * _THICK, part.files[metric])


def _bar(number: int, top: float, one: Estimate) -> str:
    middle, after = top + _THICK / 2 - 0.5, _LABEL + _LONG + 12
    return (
        f'<rect class="bar b{number}" x="{_LABEL}" y="{top}" width="{_LONG * one.value:.1f}" '
        f'height="{_THICK - 1}"/><path class="whisker" d="M{_LABEL + _LONG * one.low:.1f} {middle}'
        f'H{_LABEL + _LONG * one.high:.1f}"/>'
        f'<text class="value" x="{after}" y="{top + _THICK - 1}">{one.value:.3f}</text>'
    )
