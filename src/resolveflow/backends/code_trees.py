"""Graphs of trees, made from the files that were not known and kept for the next time."""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from resolveflow.backends.code_columns import pack_tree, unpack_tree
from resolveflow.backends.code_packs import FACTS, known, tidy
from resolveflow.backends.code_store import FILES, CodeStore, store_path
from resolveflow.codebase.code_facts import Facts, key_of, take
from resolveflow.codebase.code_tree import build_tree
from resolveflow.codebase.languages import MISSING, READ, REASONS, unread_by_name

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from resolveflow.codebase.code_tree import CodeTree
    from resolveflow.ports import Entry, Repository

_KEPT = 2


@dataclass(frozen=True)
class TreeFiles:
    """The source files of a tree that were read, and the others with the reason, by path."""

    read: tuple[str, ...]
    skipped: tuple[tuple[str, str], ...]


class CodeTrees:
    """Makes and keeps the graph of a repository's tree; below `home` lies a store a repository."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._trees: OrderedDict[tuple[Path, str], CodeTree] = OrderedDict()
        self._making = asyncio.Lock()

    async def tree(self, repository: Repository) -> CodeTree:
        """The graph of the repository's tree.

        Raises:
            RepositoryError: the tree cannot be read.
        """
        path = await asyncio.to_thread(store_path, self._home, repository.ref.location)
        key = (path, repository.ref.commit)
        async with self._making:
            if key not in self._trees:
                self._trees[key] = await self._made(CodeStore(path), repository)
            self._trees.move_to_end(key)
            while len(self._trees) > _KEPT:
                self._trees.popitem(last=False)
            return self._trees[key]

    async def files(self, repository: Repository) -> TreeFiles:
        """The tree's files, without its graph, which may be large.

        Raises:
            RepositoryError: the tree cannot be read.
        """
        path = await asyncio.to_thread(store_path, self._home, repository.ref.location)
        commit = repository.ref.commit
        tree = self._trees.get((path, commit))
        if tree is None:
            kept = await asyncio.to_thread(CodeStore(path).answer, commit, FILES)
            if kept is not None:
                read, skipped = json.loads(kept)
                return TreeFiles(tuple(read), tuple((name, why) for name, why in skipped))
            tree = await self._made(CodeStore(path), repository)
        return TreeFiles(tree.paths, tree.skipped)

    async def _made(self, store: CodeStore, repository: Repository) -> CodeTree:
        commit = repository.ref.commit
        kept = await asyncio.to_thread(store.tree, commit)
        if kept is not None:
            return unpack_tree(kept)
        chosen, skipped = _chosen(await repository.entries())
        keys = [key_of(entry.path, entry.blob) for entry in chosen]
        blobs = {key: entry.blob for key, entry in zip(keys, chosen, strict=True)}
        tree, whole = await asyncio.to_thread(
            _assembled, await known(FACTS, store, repository, blobs), chosen, keys, skipped
        )
        if whole:
            data = pack_tree(tree, frozenset(keys))
            await asyncio.to_thread(store.add_tree, commit, data)
            files = json.dumps((tree.paths, tree.skipped))
            await asyncio.to_thread(store.add_answer, commit, FILES, files)
            await tidy(FACTS, store)
        return tree


def _chosen(entries: Sequence[Entry]) -> tuple[list[Entry], list[tuple[str, str]]]:
    """The files to read, and the others with the reason."""
    chosen: list[Entry] = []
    skipped: list[tuple[str, str]] = []
    for entry in entries:
        why = unread_by_name(entry.path, entry.size) if entry.kind == "file" else entry.kind
        if why == READ:
            chosen.append(entry)
        else:
            skipped.append((entry.path, why))
    return chosen, skipped


def _assembled(
    facts: Facts,
    chosen: Sequence[Entry],
    keys: Sequence[bytes],
    skipped: list[tuple[str, str]],
) -> tuple[CodeTree, bool]:
    """The graph, and whether every file of it could be read."""
    rows = {key: row for row, key in enumerate(facts.keys)}
    paths: list[str] = []
    taken: list[int] = []
    missing = 0
    for entry, key in zip(chosen, keys, strict=True):
        row = rows.get(key)
        missing += row is None
        why = MISSING if row is None else REASONS[facts.reasons[row]]
        if row is None or why != READ:
            skipped.append((entry.path, why))
            continue
        paths.append(entry.path)
        taken.append(row)
    mine = take(facts, np.array(taken, np.int64))
    tree = build_tree(paths, mine.definitions, mine.references, sorted(skipped))
    return tree, missing == 0
