"""A tree as a graph: which file uses which name, and which files define it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from resolveflow.codebase.columns import row_numbers
from resolveflow.codebase.definitions import Definitions
from resolveflow.codebase.references import Counts
from resolveflow.codebase.source_files import is_source

_FILTER_BITS = 20


@dataclass(frozen=True)
class CodeTree:
    """The files of a tree that were read, in order of path; numbers are positions in `paths`.

    `definitions` has one row group a file. Names that some file defines are numbered; `owner_*`
    are the (file, name) pairs of definition, `use_*` the (file, name, count) triples of use, both
    in order of file. `skipped` are the other files of the tree, each with its reason.
    """

    paths: tuple[str, ...]
    skipped: tuple[tuple[str, str], ...]
    definitions: Definitions
    definition_names: NDArray[np.uint32]
    owner_files: NDArray[np.uint32]
    owner_names: NDArray[np.uint32]
    use_files: NDArray[np.uint32]
    use_names: NDArray[np.uint32]
    use_counts: NDArray[np.uint8]
    names: NDArray[np.uint32]

    @cached_property
    def definition_files(self) -> NDArray[np.uint32]:
        """The file of each definition."""
        return row_numbers(self.definitions.starts)

    @cached_property
    def source(self) -> NDArray[np.bool_]:
        """Which files are source, and neither a test nor an example."""
        return np.array([is_source(path) for path in self.paths], bool)

    @cached_property
    def owners(self) -> NDArray[np.int64]:
        """How many source files define each name; how many tests, where no source does."""
        in_source = self.owner_names[self.source[self.owner_files]]
        of_source = np.bincount(in_source, minlength=len(self.names))
        of_all = np.bincount(self.owner_names, minlength=len(self.names))
        return np.where(of_source > 0, of_source, of_all)


def build_tree(
    paths: Sequence[str],
    definitions: Definitions,
    references: Counts,
    skipped: Sequence[tuple[str, str]],
) -> CodeTree:
    """The graph of files whose definitions and references are known, in order of path."""
    names, numbered = np.unique(definitions.names, return_inverse=True)
    defining = row_numbers(definitions.starts).astype(np.uint64)
    owners = np.unique((defining << np.uint64(32)) | numbered.astype(np.uint64))
    using = row_numbers(references.starts)
    used, use_names = _defined(references.names, names)
    return CodeTree(
        paths=tuple(paths),
        skipped=tuple(skipped),
        definitions=definitions,
        definition_names=numbered.astype(np.uint32),
        owner_files=(owners >> np.uint64(32)).astype(np.uint32),
        owner_names=(owners & np.uint64(0xFFFFFFFF)).astype(np.uint32),
        use_files=using[used].astype(np.uint32),
        use_names=use_names,
        use_counts=references.counts[used],
        names=names,
    )


def _defined(
    used: NDArray[np.uint32], names: NDArray[np.uint32]
) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Which uses are of a defined name, and that name's number."""
    shift = np.uint32(32 - _FILTER_BITS)
    known = np.zeros(1 << _FILTER_BITS, bool)
    known[names >> shift] = True
    likely = np.flatnonzero(known[used >> shift])
    if not len(names):
        return likely, likely.astype(np.uint32)
    numbers = np.searchsorted(names, used[likely])
    numbers[numbers == len(names)] = 0
    sure = names[numbers] == used[likely]
    return likely[sure], numbers[sure].astype(np.uint32)
