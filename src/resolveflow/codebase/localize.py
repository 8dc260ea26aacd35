"""Ranks the files of a tree by how likely a report's cause is in them, and says why."""

from collections.abc import Iterator, Mapping

import numpy as np

from resolveflow.codebase.bm25 import Scores
from resolveflow.codebase.ranking import WEIGHTS, FrameLine, Ranking, frame_lines, rank
from resolveflow.codebase.signals import sharpened
from resolveflow.codebase.tree_index import TreeIndex
from resolveflow.domain.exploration import Localization, Suspect, Symbol
from resolveflow.domain.report import IssueEvidence

REGIONS_SHOWN = 5
FRAMES_SHOWN = 2
TERMS_SHOWN = 5
LONGEST_SUBJECT = 100


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
    ranking = rank(evidence, tree, weights)
    order = np.argsort(-ranking.files, kind="stable")[:limit]
    best = [int(number) for number in order if ranking.files[number] > 0]
    said = _Reasons(tree, ranking)
    return Localization(
        suspects=tuple(
            Suspect(
                path=tree.paths[number],
                score=round(float(ranking.files[number]), 4),
                symbols=_best_regions(tree, number, ranking.regions),
                reasons=tuple(said.of(number)),
            )
            for number in best
        )
    )


def _best_regions(tree: TreeIndex, file: int, scores: Scores) -> tuple[Symbol, ...]:
    first, end = tree.regions_of(file)
    best = np.argsort(-scores[first:end], kind="stable")[:REGIONS_SHOWN]
    return tuple(tree.regions[first + n] for n in best if scores[first + n] > 0)


class _Reasons:
    """Says in words what points at a file."""

    def __init__(self, tree: TreeIndex, ranking: Ranking) -> None:
        self._tree = tree
        self._ranking = ranking
        self._weights = sharpened(tree, ranking.asked.query.weights)
        self._similar = tree.messages.scores(ranking.asked.query.weights)
        self._frames: dict[int, list[FrameLine]] = {}
        for frame in frame_lines(tree, ranking.asked):
            self._frames.setdefault(frame.file, []).append(frame)
        self._names: dict[str, tuple[str, int]] = {}
        for name, paths in tree.names.mentions(ranking.asked.query.raw):
            for path in paths:
                self._names.setdefault(path, (name, len(paths)))

    def of(self, file: int) -> Iterator[str]:
        """The reasons of one file, the strongest kind first."""
        for frame in self._frames.get(file, [])[:FRAMES_SHOWN]:
            yield f"the stack trace has {frame.function} at line {frame.line}"
        name, meant = self._names.get(self._tree.paths[file], ("", 0))
        if name:
            alone = "" if meant == 1 else f", which may be any of {meant} files"
            yield f"the report names {name!r}{alone}"
        if "stem" in self._ranking.signals and self._ranking.signals["stem"][file] > 0:
            yield f"the report speaks of {self._tree.stems[file]!r}"
        yield from self._terms(file)
        yield from self._past(file)

    def _terms(self, file: int) -> Iterator[str]:
        terms = list(self._tree.files.contributions(self._weights, file))[:TERMS_SHOWN]
        if terms:
            yield f"it has the report's terms {', '.join(terms)}"

    def _past(self, file: int) -> Iterator[str]:
        changes = [n for n in self._tree.changes[file] if self._similar[n] > 0]
        if changes:
            commit = self._tree.commits[max(changes, key=lambda n: (self._similar[n], -n))]
            yield f"commit {commit.sha[:12]} touched it: {commit.subject[:LONGEST_SUBJECT]!r}"
