"""Where a name is defined, by exact name."""

from dataclasses import dataclass

import numpy as np

from resolveflow.codebase.code_tree import CodeTree
from resolveflow.codebase.identifiers import hash_name


@dataclass(frozen=True)
class Place:
    """Where a name is defined; `line` is 1-based."""

    name: str
    path: str
    line: int
    signature: str


class SymbolIndex:
    """Looks names of a tree up; a name is compared as it is written, case and all."""

    def __init__(self, tree: CodeTree) -> None:
        self._tree = tree
        self._rows = np.argsort(tree.definition_names, kind="stable")
        self._numbers = tree.definition_names[self._rows]

    def definitions(self, name: str) -> tuple[Place, ...]:
        """Every definition of the name, in order of path and line."""
        tree = self._tree
        wanted = np.uint32(hash_name(name.encode("utf-8", "replace")))
        number = int(np.searchsorted(tree.names, wanted))
        if number == len(tree.names) or tree.names[number] != wanted:
            return ()
        first, end = np.searchsorted(self._numbers, np.array([number, number + 1], np.uint32))
        found = (int(row) for row in self._rows[first:end])
        return tuple(
            Place(
                name=name,
                path=tree.paths[int(tree.definition_files[row])],
                line=int(tree.definitions.lines[row]),
                signature=tree.definitions.signature(row),
            )
            for row in found
            if tree.definitions.name(row) == name
        )
