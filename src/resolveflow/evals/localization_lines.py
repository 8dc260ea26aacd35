"""Line coverage: how much of what a fix touched is among the lines that a reader is shown."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from resolveflow.codebase.bm25 import Scores
from resolveflow.codebase.tree_index import TreeIndex
from resolveflow.domain.exploration import Suspect, Symbol
from resolveflow.domain.value import Value

SHOWN = (5, 10)
VIEWS = tuple(f"{view}@{depth}" for view in ("regions", "files") for depth in SHOWN)

Span = tuple[int, int]  # the first and the last line, from 1
Spans = Mapping[str, Sequence[Span]]  # by path
Place = tuple[str, Symbol]  # a path and lines of it


class Seen(Value):
    """Of the gold lines, the share that is among `lines` different lines shown."""

    share: float
    lines: int


def line_coverage(
    gold: Spans, regions: Sequence[Place], suspects: Sequence[Suspect]
) -> dict[str, Seen]:
    """What a reader sees of the gold lines, by view; 0 where no gold line is known.

    `regions@k` shows the k best `regions` of the whole tree; `files@k` what `localize --limit k`
    does: the symbols of the k best suspects.
    """
    seen = {f"regions@{depth}": _seen(gold, regions[:depth]) for depth in SHOWN}
    for depth in SHOWN:
        shown = [(one.path, symbol) for one in suspects[:depth] for symbol in one.symbols]
        seen[f"files@{depth}"] = _seen(gold, shown)
    return seen


def best_regions(tree: TreeIndex, scores: Scores) -> list[Place]:
    """The best regions of all files, as many as are shown at most; none without a score."""
    order = np.argsort(-scores, kind="stable")[: max(SHOWN)]
    best = [int(number) for number in order if scores[number] > 0]
    return [(tree.paths[int(tree.region_files[number])], tree.regions[number]) for number in best]


def _seen(gold: Spans, shown: Iterable[Place]) -> Seen:
    looked_at: dict[str, list[Span]] = {}
    for path, symbol in shown:
        looked_at.setdefault(path, []).append((symbol.start_line, symbol.end_line))
    read = {path: _merged(spans) for path, spans in looked_at.items()}
    wanted = {path: _merged(spans) for path, spans in gold.items()}
    found = sum(_common(spans, read.get(path, [])) for path, spans in wanted.items())
    return Seen(
        share=found / max(1, sum(map(_length, wanted.values()))),
        lines=sum(map(_length, read.values())),
    )


def _merged(spans: Sequence[Span]) -> list[Span]:
    """The same lines as spans that do not overlap, in order."""
    merged: list[Span] = []
    for first, last in sorted(spans):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return merged


def _common(some: Sequence[Span], others: Sequence[Span]) -> int:
    return sum(
        max(0, min(last, end) - max(first, start) + 1)
        for first, last in some
        for start, end in others
    )


def _length(spans: Sequence[Span]) -> int:
    return sum(last - first + 1 for first, last in spans)
