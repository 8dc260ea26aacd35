"""A map's modules and their edges as a picture: SVG, or a page of HTML around it."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from resolveflow.codebase.modules import Module
    from resolveflow.codebase.repo_map import RepoMap

_SIZE = 900
_RING = 310
_LARGEST = 62
_SMALLEST = 14
_WIDEST = 9.0
_EDGES = 40  # the heaviest; more would hide them
_STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#1f2328}.edge{fill:none;stroke:#6b7f99;"
    "stroke-opacity:.45}.module{fill:#dbe7f5;stroke:#4a6fa5}.count{font-size:11px;fill:#57606a}"
)


def picture_svg(shown: RepoMap, title: str) -> str:
    """The modules in a ring, as large as their files are many, and who uses whom."""
    body = "".join((*_edges(shown.modules), *_nodes(shown.modules)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_SIZE} {_SIZE}" role="img">'
        f"<title>{_text(title)}</title><style>{_STYLE}</style>{body}</svg>\n"
    )


def picture_html(shown: RepoMap, title: str) -> str:
    """The picture, and the shown files in a table."""
    rows = "".join(
        f"<tr><td><code>{_text(file.path)}</code></td><td>{file.score:.4f}</td>"
        f"<td>{_text(', '.join(one.name for one in file.definitions))}</td></tr>"
        for file in shown.files
    )
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{_text(title)}</title>'
        "<style>body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;"
        "padding:0 1rem}td,th{text-align:left;vertical-align:top;padding:.2rem .6rem}</style>"
        f"<h1>{_text(title)}</h1>{picture_svg(shown, title)}"
        f"<table><tr><th>File</th><th>Rank</th><th>Definitions</th></tr>{rows}</table></html>\n"
    )


def _nodes(modules: tuple[Module, ...]) -> Iterator[str]:
    most = max((module.files for module in modules), default=1)
    for number, module in enumerate(modules):
        x, y = _place(number, len(modules))
        radius = max(_SMALLEST, _LARGEST * math.sqrt(module.files / max(most, 1)))
        yield (
            f'<g><circle class="module" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"/>'
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle">{_text(module.name or ".")}</text>'
            f'<text class="count" x="{x:.1f}" y="{y + 15:.1f}" text-anchor="middle">'
            f"{module.files:,} files</text></g>"
        )


def _edges(modules: tuple[Module, ...]) -> Iterator[str]:
    number = {module.name: position for position, module in enumerate(modules)}
    edges = [
        (count, module.name, used) for module in modules for used, count in module.uses.items()
    ]
    heaviest = sorted(edges, key=lambda edge: (-edge[0], edge[1], edge[2]))[:_EDGES]
    most = heaviest[0][0] if heaviest else 1
    for count, user, used in heaviest:
        (x1, y1), (x2, y2) = (_place(number[name], len(modules)) for name in (user, used))
        middle = _SIZE / 2
        width = max(0.6, _WIDEST * math.sqrt(count / most))
        yield (
            f'<path class="edge" stroke-width="{width:.1f}" d="M{x1:.1f} {y1:.1f}'
            f'Q{(x1 + x2 + middle) / 3:.1f} {(y1 + y2 + middle) / 3:.1f} {x2:.1f} {y2:.1f}">'
            f"<title>{_text(user or '.')} → {_text(used or '.')}: {count:,}</title></path>"
        )


def _place(number: int, count: int) -> tuple[float, float]:
    angle = 2 * math.pi * number / max(count, 1) - math.pi / 2
    ring = _RING if count > 1 else 0
    return _SIZE / 2 + ring * math.cos(angle), _SIZE / 2 + ring * math.sin(angle)


def _text(text: str) -> str:
    """Text for XML: no markup, and no character that XML does not allow."""
    return escape("".join(c if c.isprintable() else "\ufffd" for c in text))
