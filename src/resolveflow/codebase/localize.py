"""Ranks the files of a tree by how likely a report's cause is in them, and says why."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from resolveflow.codebase.bm25 import Scores
from resolveflow.codebase.signals import SIGNALS, Asked, sharpened
from resolveflow.codebase.text import query
from resolveflow.codebase.tree_index import TreeIndex
from resolveflow.domain.crash import Crash
from resolveflow.domain.exploration import Localization, Suspect, Symbol
from resolveflow.domain.report import IssueEvidence

REGIONS_SHOWN = 5
WEIGHTS: Mapping[str, float] = {
    "content": 1.0,
    "best_regions": 1.0,
    "title_regions": 1.0,
    "path": 0.5,
    "stem": 0.75,
    "named": 1.0,
    "frames": 2.5,
    "past_fixes": 0.5,
    "told": 0.5,
}


def localize(
    evidence: IssueEvidence,
    tree: TreeIndex,
    limit: int,
    *,
    weights: Mapping[str, float] = WEIGHTS,
) -> Localization:
    """The `limit` likeliest files, the best first, each with its likeliest regions and reasons.

    A suspect's score is at most 1, which a file has that every signal puts first.
    """
    asked = Asked(query=query(evidence.title, evidence.body), crashes=evidence.crashes)
    scores = {name: SIGNALS[name](tree, asked) for name in weights}
    fused = fuse(scores, weights) * tree.importance
    best = [int(n) for n in np.argsort(-fused, kind="stable")[:limit] if fused[n] > 0]
    likeness = tree.region_terms.scores(sharpened(tree, asked.query.weights))
    similar = tree.messages.scores(asked.query.weights)
    return Localization(
        suspects=tuple(
            Suspect(
                path=tree.paths[number],
                score=round(float(fused[number]), 4),
                symbols=_best_regions(number, tree, asked.crashes, likeness),
                reasons=tuple(_reasons(number, tree, asked, scores, similar)),
            )
            for number in best
        )
    )


def fuse(scores: Mapping[str, Scores], weights: Mapping[str, float]) -> Scores:
    """The weighted mean of the scores, each as a share of its own best (Fox and Shaw, 1994).

    Measured against reciprocal rank fusion on the development set: 3 points more at rank 1.
    """
    total = sum(
        weights[name] * one / max(one.max(initial=0.0), 1e-9) for name, one in scores.items()
    )
    return np.asarray(total / sum(weights.values()))


def _best_regions(
    file: int, tree: TreeIndex, crashes: Sequence[Crash], likeness: Scores
) -> tuple[Symbol, ...]:
    """Regions that a frame's line is in, then those most like the report."""
    first, last = np.searchsorted(tree.region_files, [file, file + 1])
    lines = [line for _, line in _frame_lines(file, tree, crashes)]
    regions = [tree.regions[number] for number in range(first, last)]
    hit = [any(r.start_line <= line <= r.end_line for line in lines) for r in regions]
    order = sorted(range(len(regions)), key=lambda n: (not hit[n], -likeness[first + n], n))
    return tuple(regions[n] for n in order[:REGIONS_SHOWN] if hit[n] or likeness[first + n] > 0)


def _frame_lines(file: int, tree: TreeIndex, crashes: Sequence[Crash]) -> Iterator[tuple[str, int]]:
    for crash in crashes:
        for frame in crash.frames:
            if frame.line is not None and tree.paths[file] in tree.names.resolve(frame):
                yield frame.function or "a frame", frame.line


def _reasons(
    file: int, tree: TreeIndex, asked: Asked, scores: Mapping[str, Scores], similar: Scores
) -> Iterator[str]:
    path = tree.paths[file]
    for function, line in list(_frame_lines(file, tree, asked.crashes))[:2]:
        yield f"the stack trace has {function} at line {line}"
    for name, paths in tree.names.mentions(asked.query.raw):
        if path in paths:
            alone = "" if len(paths) == 1 else f", which may be any of {len(paths)} files"
            yield f"the report names {name!r}{alone}"
            break
    if "stem" in scores and scores["stem"][file] > 0:
        yield f"the report speaks of {tree.stems[file]!r}"
    terms = list(tree.files.contributions(sharpened(tree, asked.query.weights), file))[:5]
    if terms:
        yield f"it has the report's terms {', '.join(terms)}"
    touching = [n for n, touched in enumerate(tree.touched) if file in touched and similar[n] > 0]
    if touching:
        commit = tree.commits[max(touching, key=lambda n: (similar[n], -n))]
        yield f"commit {commit.sha[:10]} touched it: {commit.subject[:100]!r}"
