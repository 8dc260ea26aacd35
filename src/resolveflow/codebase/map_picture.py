"""A map's modules and their edges as a picture: SVG, or a page of HTML around it."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from resolveflow.codebase.source_files import is_source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from resolveflow.codebase.modules import Module
    from resolveflow.codebase.repo_map import RepoMap

_WIDTH, _HEIGHT = 1000, 640
_RING_X, _RING_Y = 290, 230
_LARGEST, _SMALLEST = 46.0, 9.0  # radius of a module
_WIDEST, _THINNEST = 7.0, 0.8  # of an edge
_EDGES = 32  # the heaviest; more would hide them
_TOLD = 10  # of them, in words
_BEND = 0.22  # how far an edge bows towards the middle
_GAP = 6.0
_LONGEST_NAME = 30
_COLOURS = (
    ":root{--ink:#1f2328;--soft:#57606a;--edge:#4a6fa5;--node:#dbe7f5;--aside:#e6e6e6}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9da7b3;--edge:#7ea6e0;"
    "--node:#1f3a5f;--aside:#3a3f46}}"
)
_STYLE = (
    f"{_COLOURS}text{{font:14px system-ui,sans-serif;fill:var(--ink)}}.count{{font-size:12px;"
    "fill:var(--soft)}.edge{fill:none;stroke:var(--edge);stroke-opacity:.55}.tip{fill:var(--edge)}"
    ".module{fill:var(--node);stroke:var(--edge)}.aside{fill:var(--aside)}"
)
_PAGE_STYLE = (
    f"{_COLOURS}body{{font:15px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;"
    "padding:0 1rem;color:var(--ink);background:Canvas;color-scheme:light dark}"
    "td,th{text-align:left;vertical-align:top;padding:.2rem .6rem}"
)


class _Edge(NamedTuple):
    user: str
    used: str
    times: int


class _Node(NamedTuple):
    x: float
    y: float
    radius: float


def picture_svg(shown: RepoMap, title: str) -> str:
    """The modules in a ring, as large as their files are many, and arrows to what each uses."""
    nodes = _nodes(shown.modules)
    edges = _heaviest(shown.modules)
    body = "".join((*_edge_paths(edges, nodes), *_circles(shown.modules, nodes)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img"'
        f' aria-labelledby="title told"><title id="title">{xml_text(title)}</title>'
        f'<desc id="told">{xml_text(_in_words(edges))}</desc><style>{_STYLE}</style>'
        '<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="9" markerHeight="9"'
        ' markerUnits="userSpaceOnUse" orient="auto"><path class="tip" d="M0 0L8 4L0 8z"/></marker>'
        f"{body}</svg>\n"
    )


def picture_html(shown: RepoMap, title: str) -> str:
    """The picture, the modules' edges and the shown files in tables."""
    edges = "".join(
        f"<tr><td>{xml_text(one.user or '.')}</td><td>{xml_text(one.used or '.')}</td>"
        f"<td>{one.times:,}</td></tr>"
        for one in _heaviest(shown.modules)
    )
    rows = "".join(
        f"<tr><td><code>{xml_text(file.path)}</code></td><td>{file.score:.4f}</td>"
        f"<td>{xml_text(', '.join(one.name for one in file.definitions))}</td></tr>"
        for file in shown.files
    )
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{xml_text(title)}</title>'
        f"<style>{_PAGE_STYLE}</style><h1>{xml_text(title)}</h1>{picture_svg(shown, title)}"
        f"<h2>Key files</h2><table><tr><th>File</th><th>Rank</th><th>Definitions</th></tr>{rows}"
        "</table><h2>Who uses whom</h2><table><tr><th>Module</th><th>uses names of</th>"
        f"<th>Times</th></tr>{edges}</table></html>\n"
    )


def _heaviest(modules: Sequence[Module]) -> list[_Edge]:
    edges = [
        _Edge(module.name, used, count) for module in modules for used, count in module.uses.items()
    ]
    return sorted(edges, key=lambda edge: (-edge.times, edge.user, edge.used))[:_EDGES]


def _in_words(edges: Sequence[_Edge]) -> str:
    told = (f"{one.user or '.'} uses {one.used or '.'} {one.times:,} times" for one in edges)
    return "; ".join(list(told)[:_TOLD]) or "No module uses another."


def _nodes(modules: Sequence[Module]) -> dict[str, _Node]:
    most = max((module.files for module in modules), default=1)
    found = {}
    for number, module in enumerate(modules):
        angle = 2 * math.pi * number / len(modules) - math.pi / 2
        out = len(modules) > 1
        found[module.name] = _Node(
            x=_WIDTH / 2 + out * _RING_X * math.cos(angle),
            y=_HEIGHT / 2 + out * _RING_Y * math.sin(angle),
            radius=max(_SMALLEST, _LARGEST * math.sqrt(module.files / max(most, 1))),
        )
    return found


def _circles(modules: Sequence[Module], nodes: dict[str, _Node]) -> Iterator[str]:
    for module in modules:
        x, y, radius = nodes[module.name]
        kind = "module" if is_source(f"{module.name}/x.py") else "module aside"
        side = 0 if abs(x - _WIDTH / 2) < 1 else math.copysign(1, x - _WIDTH / 2)
        anchor = {0: "middle", 1: "start", -1: "end"}[int(side)]
        below = radius + 18 if y > _HEIGHT / 2 else -radius - 22
        at_x, at_y = (x + side * (radius + _GAP), y) if side else (x, y + below)
        yield (
            f'<g><circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"/>'
            f'<text x="{at_x:.1f}" y="{at_y:.1f}" text-anchor="{anchor}">'
            f"{xml_text(_short(module.name))}</text>"
            f'<text class="count" x="{at_x:.1f}" y="{at_y + 16:.1f}" text-anchor="{anchor}">'
            f"{module.files:,} files</text></g>"
        )


def _short(name: str) -> str:
    return name if 0 < len(name) <= _LONGEST_NAME else f"…{name[-_LONGEST_NAME:]}" if name else "."


def _edge_paths(edges: Sequence[_Edge], nodes: dict[str, _Node]) -> Iterator[str]:
    most = edges[0].times if edges else 1
    for user, used, count in edges:
        begin, end = nodes[user], nodes[used]
        middle_x = _bent(begin.x, end.x, _WIDTH / 2) + _BEND * (end.y - begin.y) / 2
        middle_y = _bent(begin.y, end.y, _HEIGHT / 2) - _BEND * (end.x - begin.x) / 2
        x1, y1 = _rim(begin, middle_x, middle_y)
        x2, y2 = _rim(end, middle_x, middle_y)
        width = max(_THINNEST, _WIDEST * math.sqrt(count / most))
        yield (
            f'<path class="edge" marker-end="url(#tip)" stroke-width="{width:.1f}"'
            f' d="M{x1:.1f} {y1:.1f}Q{middle_x:.1f} {middle_y:.1f} {x2:.1f} {y2:.1f}">'
            f"<title>{xml_text(user or '.')} → {xml_text(used or '.')}: {count:,}</title></path>"
        )


def _bent(begin: float, end: float, middle: float) -> float:
    return (1 - _BEND) * (begin + end) / 2 + _BEND * middle


def _rim(node: _Node, x: float, y: float) -> tuple[float, float]:
    """Where a line from the node's centre towards a point leaves its circle."""
    distance = math.hypot(x - node.x, y - node.y) or 1.0
    away = (node.radius + 2) / distance
    return node.x + (x - node.x) * away, node.y + (y - node.y) * away


def xml_text(text: str) -> str:
    """Text for XML: no markup, and no character that XML does not allow."""
    return escape("".join(c if c.isprintable() else "\ufffd" for c in text))
