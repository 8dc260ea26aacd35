"""Fuses the signals: one score for each file and for each region of a tree."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from resolveflow.codebase.bm25 import Scores
from resolveflow.codebase.signals import SIGNALS, Asked, resolved_frames, sharpened
from resolveflow.codebase.text import query
from resolveflow.codebase.tree_index import TreeIndex
from resolveflow.domain.report import IssueEvidence

# Rounded, on a plateau: on the development set (hit@1 .64, hit@5 .88) equal weights reach .61 and
# .89, and any weight halved, doubled or dropped costs at most 5 and 2 points. What choosing them
# is worth elsewhere, `resolveflow eval localization --fit` estimates by leaving repositories out.
WEIGHTS: Mapping[str, float] = {
    "content": 1.0,
    "best_regions": 1.0,
    "title_regions": 1.0,
    "path": 0.5,
    "stem": 0.75,
    "named": 1.0,
    "frames": 2.5,
    "past_fixes": 0.5,
    "told": 0.75,
}
FILE_IN_REGION = 2.0
TITLE_IN_REGION = 0.5
NAME_IN_REGION = 0.5
FRAME_IN_REGION = 2.0
NAMELESS = 0.5  # what the words of imports and licences count, where nothing is defined


@dataclass(frozen=True)
class Ranking:
    """What a tree's files and regions scored, at most 1, and by which signals."""

    asked: Asked
    signals: Mapping[str, Scores]
    files: Scores
    regions: Scores


@dataclass(frozen=True)
class FrameLine:
    """A crash's frame that resolves to a file of the tree; `depth` 0 is the innermost of these."""

    file: int
    line: int
    function: str
    depth: int


def rank(
    evidence: IssueEvidence, tree: TreeIndex, weights: Mapping[str, float] = WEIGHTS
) -> Ranking:
    """Score every file and region of the tree for the report."""
    asked = Asked(query=query(evidence.title, evidence.body), crashes=evidence.crashes)
    signals = {name: SIGNALS[name](tree, asked) for name in weights}
    files = fuse(signals, weights) * tree.importance
    return Ranking(
        asked=asked, signals=signals, files=files, regions=_score_regions(tree, asked, files)
    )


def fuse(signals: Mapping[str, Scores], weights: Mapping[str, float]) -> Scores:
    """The weighted mean of the scores, each as a share of its own best (Fox and Shaw, 1994)."""
    total = sum(weights[name] * share(signals[name]) for name in weights)
    return np.asarray(total / sum(weights.values()))


def share(scores: Scores) -> Scores:
    """The scores as shares of the best; all 0 where none is above 0."""
    return np.maximum(scores, 0.0) / max(float(scores.max(initial=0.0)), 1e-9)


def frame_lines(tree: TreeIndex, asked: Asked) -> Iterator[FrameLine]:
    """The lines that the crashes' frames point at, where they resolve to ranked files."""
    for frame, files, depth in resolved_frames(tree, asked):
        if frame.line is not None:
            for file in files:
                yield FrameLine(file, frame.line, frame.function or "a frame", depth)


def _score_regions(tree: TreeIndex, asked: Asked, files: Scores) -> Scores:
    like_report = tree.region_terms.scores(sharpened(tree, asked.query.weights))
    like_title = tree.region_terms.scores(asked.query.title_weights)
    framed = np.zeros(len(tree.regions))
    for frame in frame_lines(tree, asked):
        numbers = range(*tree.regions_of(frame.file))
        at = bisect_right(numbers, frame.line, key=lambda n: tree.regions[n].start_line)
        if at and frame.line <= tree.regions[numbers[at - 1]].end_line:
            framed[numbers[at - 1]] += 1 / (1 + frame.depth)
    like_name = tree.region_names.scores(asked.query.weights)
    pointed = share(like_report) + TITLE_IN_REGION * share(like_title)
    pointed += NAME_IN_REGION * share(like_name)
    pointed *= np.where(tree.region_is_named, 1.0, NAMELESS)
    pointed += FRAME_IN_REGION * share(framed)
    scores = FILE_IN_REGION * share(files)[tree.region_files] + pointed
    return np.where(pointed > 0, scores, 0.0) / (
        FILE_IN_REGION + 1 + TITLE_IN_REGION + NAME_IN_REGION + FRAME_IN_REGION
    )
