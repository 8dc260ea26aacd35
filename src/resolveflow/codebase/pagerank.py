"""PageRank over file → name → defining file, in two sparse steps and without an edge list.

Sums run in one fixed order (`bincount` adds one by one), so that ranks are the same on every
machine.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from resolveflow.codebase.code_tree import CodeTree

DAMPING = 0.85
ROUNDS = 18
SAID = 10.0  # how much more a name counts that the report says
TELLING = 10.0  # and one of several words: `read_line`, `readLine`
TELLING_LENGTH = 8
PLAIN = 0.1  # and a word that may be prose: `filter`
PRIVATE = 0.1  # and one that begins with an underscore
COMMON = 0.1  # and one that more than FEW files define
FEW = 5
ASIDE = 0.1  # how much of a name's rank a test that defines it gets, next to a source file

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Ranks:
    """The rank of each file, and how much of it flows to each (file, name) pair of definition."""

    files: Floats
    owners: Floats


class NameGraph:
    """The two steps: a file's rank over the names it uses, a name's over the files that define it.

    A file's uses of its own names do not count.
    """

    def __init__(self, tree: CodeTree) -> None:
        self._files = len(tree.paths)
        self._names = len(tree.names)
        # Of the width that numpy indexes with: it would convert them in every step.
        self._use_files = tree.use_files.astype(np.intp)
        self._use_names = tree.use_names.astype(np.intp)
        self._owner_files = tree.owner_files.astype(np.intp)
        self._owner_names = tree.owner_names.astype(np.intp)
        self._weights = _name_weights(tree)
        self._counts = np.sqrt(tree.use_counts.astype(np.float64))
        self._own_at = _own_uses(tree)
        aside = np.where(tree.source, 1.0, ASIDE)[self._owner_files]
        self._share = aside / np.maximum(tree.owners, 1)[self._owner_names]

    def rank(self, restart: Floats, said: NDArray[np.bool_]) -> Ranks:
        """Rank files by who uses the names they define.

        `restart` is how likely a walk starts in each file (any positive numbers), `said` marks
        the names that a report holds.
        """
        uses, own = self._normalised(np.where(said, SAID, 1.0) * self._weights)
        start = restart / (_sum(restart) or 1.0)
        ranks = start
        for _ in range(ROUNDS):
            flow = self._into_files(self._into_owners(ranks, uses, own))
            ranks = DAMPING * flow + (1 - DAMPING * _sum(flow)) * start
        return Ranks(files=ranks, owners=self._into_owners(ranks, uses, own))

    def _normalised(self, weights: Floats) -> tuple[Floats, Floats]:
        """How much of a file's rank each use takes, and each definer's own use."""
        uses = self._counts * weights[self._use_names]
        own = np.where(self._own_at >= 0, uses[self._own_at], 0.0) if len(uses) else self._share * 0
        total = _totals(self._use_files, uses, self._files)
        total -= _totals(self._owner_files, own * self._share, self._files)
        total = np.where(total > 1e-12, total, 1.0)
        return uses / total[self._use_files], own / total[self._owner_files]

    def _into_owners(self, ranks: Floats, uses: Floats, own: Floats) -> Floats:
        """What each (file, name) pair of definition gets."""
        names = _totals(self._use_names, ranks[self._use_files] * uses, self._names)
        mine = ranks[self._owner_files] * own
        return np.maximum(names[self._owner_names] - mine, 0.0) * self._share

    def _into_files(self, owners: Floats) -> Floats:
        return _totals(self._owner_files, owners, self._files)


def _own_uses(tree: CodeTree) -> NDArray[np.int64]:
    """Where each defining file's own use of the name is among the uses; -1 where there is none."""
    size = np.uint64(max(len(tree.names), 1))
    used = tree.use_files.astype(np.uint64) * size + tree.use_names
    owned = tree.owner_files.astype(np.uint64) * size + tree.owner_names
    if not len(used):
        return np.full(len(owned), -1)
    at = np.minimum(np.searchsorted(used, owned), len(used) - 1)
    return np.where(used[at] == owned, at, -1)


def _name_weights(tree: CodeTree) -> Floats:
    telling, plain, private = spelling(tree)
    weights = np.ones(len(tree.names))
    weights[telling] *= TELLING
    weights[plain] *= PLAIN
    weights[private] *= PRIVATE
    weights[tree.owners > FEW] *= COMMON
    return weights


def spelling(tree: CodeTree) -> tuple[NDArray[np.bool_], ...]:
    """Which names are of several words, which plain words, which begin with an underscore."""
    rows = tree.definitions
    letters = np.frombuffer(rows.signatures + b" ", np.uint8)
    begins = np.zeros(len(rows.names), np.int64)
    begins[1:] = rows.ends[:-1]
    begins += rows.name_at
    ends = begins + rows.name_length
    small = _runs((letters >= 97) & (letters <= 122), begins, ends)
    large = _runs((letters >= 65) & (letters <= 90), begins + 1, ends)
    joined = _runs(letters == 95, begins + 1, ends)
    capital = (letters[begins] >= 65) & (letters[begins] <= 90)
    marks = (
        (rows.name_length >= TELLING_LENGTH) & ((small & large) | joined),
        ~large & ~joined & ~capital,
        letters[begins] == 95,
    )
    found = tuple(np.zeros(len(tree.names), bool) for _ in marks)
    for names, mark in zip(found, marks, strict=True):
        names[tree.definition_names[mark]] = True
    return found


def _runs(
    marked: NDArray[np.bool_], begins: NDArray[np.int64], ends: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Whether something is marked between each begin and end."""
    cuts = np.stack((np.minimum(begins, ends), ends), axis=1).ravel()
    if not len(cuts):
        return np.zeros(0, bool)
    return np.logical_or.reduceat(marked, cuts)[0::2] & (begins < ends)


def _totals(groups: NDArray[np.intp], values: Floats, count: int) -> Floats:
    return np.bincount(groups, values, count).astype(np.float64, copy=False)


def _sum(values: Floats) -> float:
    return float(_totals(np.zeros(len(values), np.intp), values, 1)[0])
