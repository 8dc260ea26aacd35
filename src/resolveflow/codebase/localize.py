"""Ranks the files of a tree by how likely a report's cause is in them, and says why."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from resolveflow.codebase.bm25 import Scores
from resolveflow.codebase.signals import SIGNALS, Asked
from resolveflow.codebase.text import query
from resolveflow.codebase.tree_index import TreeIndex
from resolveflow.domain.crash import Crash
from resolveflow.domain.exploration import Localization, Suspect, Symbol
from resolveflow.domain.report import IssueEvidence

RANK_OFFSET = 3.0  # of reciprocal rank fusion; the usual 60 costs 18 points at rank 1
REGIONS_SHOWN = 5
WEIGHTS: Mapping[str, float] = {name: 1.0 for name in SIGNALS}


def localize(
    evidence: IssueEvidence,
    tree: TreeIndex,
    limit: int,
    *,
    weights: Mapping[str, float] = WEIGHTS,
) -> Localization:
    """The `limit` likeliest files, the best first, each with its likeliest regions and reasons.

    A suspect's score is its reciprocal rank fusion, 1.0 for a file that every signal puts first.
    """
    asked = Asked(query=query(evidence.title, evidence.body), crashes=evidence.crashes)
    scores = {name: SIGNALS[name](tree, asked) for name in weights}
    fused = fuse(scores, weights)
    best = [int(n) for n in np.argsort(-fused, kind="stable")[:limit] if fused[n] > 0]
    likeness = tree.region_terms.scores(asked.query.weights)
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
    """Reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009), scaled to at most 1."""
    total = sum(
        weights[name] * (RANK_OFFSET + 1) / (RANK_OFFSET + ranks(one))
        for name, one in scores.items()
    )
    return np.asarray(total) / sum(weights.values())


def ranks(scores: Scores) -> Scores:
    """Ranks from 1; infinite where a score is 0, for no hint is no rank."""
    ranked = np.empty(len(scores))
    ranked[np.argsort(-scores, kind="stable")] = np.arange(1, len(scores) + 1)
    ranked[scores <= 0] = np.inf
    return ranked


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
    terms = list(tree.files.contributions(asked.query.weights, file))[:5]
    if terms:
        yield f"it has the report's terms {', '.join(terms)}"
    touching = [n for n, touched in enumerate(tree.touched) if file in touched and similar[n] > 0]
    if touching:
        commit = tree.commits[max(touching, key=lambda n: (similar[n], -n))]
        yield f"commit {commit.sha[:10]} touched it: {commit.subject[:100]!r}"
