"""The picture of how indexing scales: CPU seconds and peak memory by number of files, as SVG."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

WIDTH, HEIGHT = 820, 360
PANEL, LEFT, TOP, BOTTOM = 300, 60, 64, 310
GAP = 400  # from one panel to the next
LIMIT = 2048  # MiB
STYLE = """
:root{--ink:#1f2328;--soft:#59636e;--grid:#d1d9e0;--map:#0969da;--localize:#bc4c00}
@media(prefers-color-scheme:dark){
:root{--ink:#e6edf3;--soft:#9198a1;--grid:#3d444d;--map:#58a6ff;--localize:#ffa657}}
text{font:12px system-ui,sans-serif;fill:var(--ink)}.soft{fill:var(--soft)}
.head{font-weight:600}.grid{stroke:var(--grid)}.line{fill:none;stroke-width:2}
"""


@dataclass(frozen=True)
class Point:
    """What one command took on a tree: CPU seconds, and MiB at most."""

    name: str
    files: int
    seconds: float
    memory: float


@dataclass(frozen=True)
class Panel:
    """One plot: where it begins, and what its axes end at."""

    left: int
    title: str
    files: int
    most: float

    def place(self, files: float, value: float) -> tuple[float, float]:
        """Where a value lies."""
        x = self.left + PANEL * files / self.files
        return round(x, 1), round(BOTTOM - (BOTTOM - TOP) * value / self.most, 1)


def picture(points: Sequence[Point]) -> str:
    """Both panels, with a line for each command."""
    files = max(point.files for point in points)
    seconds = Panel(LEFT, "CPU seconds", files, _ceiling(max(p.seconds for p in points)))
    memory = Panel(
        LEFT + GAP, "peak memory, MiB", files, _ceiling(max(LIMIT, *(p.memory for p in points)))
    )
    parts = [_frame(seconds), _frame(memory), _limit(memory)]
    names = tuple(dict.fromkeys(point.name for point in points))
    for panel, value in ((seconds, "seconds"), (memory, "memory")):
        lines = {
            name: [panel.place(p.files, getattr(p, value)) for p in points if p.name == name]
            for name in names
        }
        parts += [_line(name, places) for name, places in lines.items()]
        parts += _labels({name: places[-1] for name, places in lines.items()})
    told = "; ".join(
        f"{p.name} of {p.files:,} files {p.seconds:.1f} s and {p.memory:,.0f} MiB" for p in points
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
        ' aria-labelledby="title desc">\n<title id="title">The first map and the first'
        " localization of generated trees, by number of files</title>\n"
        f'<desc id="desc">{told}.</desc>\n<style>{STYLE}</style>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def _ceiling(value: float) -> float:
    """The next round number."""
    step = 10 ** (len(str(int(value))) - 1)
    return float(step * (int(value / step) + 1))


def _frame(panel: Panel) -> str:
    parts = [f'<text class="head" x="{panel.left}" y="{TOP - 24}">{panel.title}</text>']
    for part in range(5):
        value = panel.most * part / 4
        x, y = panel.place(0, value)
        parts.append(f'<path class="grid" d="M{x} {y}h{PANEL}"/>')
        parts.append(
            f'<text class="soft" x="{x - 8}" y="{y + 4}" text-anchor="end">{value:,g}</text>'
        )
        x, _ = panel.place(panel.files * part / 4, 0)
        count = panel.files * part // 4
        parts.append(
            f'<text class="soft" x="{x}" y="{BOTTOM + 18}" text-anchor="middle">{count:,}</text>'
        )
    middle = panel.left + PANEL // 2
    parts.append(
        f'<text class="soft" x="{middle}" y="{BOTTOM + 38}" text-anchor="middle">files</text>'
    )
    return "\n".join(parts)


def _limit(panel: Panel) -> str:
    x, y = panel.place(0, LIMIT)
    return (
        f'<path d="M{x} {y}h{PANEL}" stroke="var(--soft)" stroke-dasharray="4 4"/>'
        f'<text class="soft" x="{x + 6}" y="{y - 6}">the limit: 2 GB</text>'
    )


def _line(name: str, places: Sequence[tuple[float, float]]) -> str:
    path = " ".join(f"{x},{y}" for x, y in places)
    dots = "".join(f'<circle cx="{x}" cy="{y}" r="3.5" fill="var(--{name})"/>' for x, y in places)
    return f'<polyline class="line" stroke="var(--{name})" points="{path}"/>{dots}'


def _labels(ends: Mapping[str, tuple[float, float]]) -> list[str]:
    """The names at the lines' ends, the lower ones moved down where they would touch."""
    labels = []
    lowest = -inf
    for name, (x, y) in sorted(ends.items(), key=lambda item: item[1][1]):
        lowest = max(y + 4, lowest + 15)
        labels.append(f'<text x="{x + 8}" y="{lowest}">{name}</text>')
    return labels
