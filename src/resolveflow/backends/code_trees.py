"""Graphs of trees, made from the files that were not known and kept for the next time."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import TYPE_CHECKING

import numpy as np

from resolveflow.backends.code_columns import (
    keys_of_tree,
    pack_facts,
    pack_tree,
    unpack_facts,
    unpack_tree,
)
from resolveflow.backends.code_store import CodeStore, store_path
from resolveflow.codebase.code_facts import Facts, extract, join, keep, key_of, take
from resolveflow.codebase.code_tree import build_tree
from resolveflow.codebase.languages import READ, REASONS, unread_by_name

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from resolveflow.codebase.code_tree import CodeTree
    from resolveflow.ports import Entry, Repository

_BATCH = 8 * 1024 * 1024
_PACK = 64 * 1024 * 1024  # bytes of source a pack holds facts of, so that little is lost at an end
_KEPT = 2


class CodeTrees:
    """Makes and keeps the graph of a repository's tree; below `home` lies a store a repository."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._trees: OrderedDict[tuple[Path, str], CodeTree] = OrderedDict()

    async def tree(self, repository: Repository) -> CodeTree:
        """The graph of the repository's tree.

        Raises:
            RepositoryError: the tree cannot be read.
        """
        path = await asyncio.to_thread(store_path, self._home, repository.ref.location)
        key = (path, repository.ref.commit)
        if key not in self._trees:
            self._trees[key] = await self._made(CodeStore(path), repository)
        self._trees.move_to_end(key)
        while len(self._trees) > _KEPT:
            self._trees.popitem(last=False)
        return self._trees[key]

    async def _made(self, store: CodeStore, repository: Repository) -> CodeTree:
        commit = repository.ref.commit
        kept = await asyncio.to_thread(store.tree, commit)
        if kept is not None:
            return unpack_tree(kept)
        chosen, skipped = _chosen(await repository.entries())
        keys = [key_of(entry.path, entry.blob) for entry in chosen]
        known = [unpack_facts(pack) for pack in await asyncio.to_thread(store.packs)]
        unknown = set(keys).difference(*(facts.keys for facts in known))
        known += await _read(repository, store, chosen, keys, unknown)
        tree, whole = await asyncio.to_thread(_assembled, join(known), chosen, keys, skipped)
        if whole:
            data = pack_tree(tree, frozenset(keys))
            await asyncio.to_thread(store.add_tree, commit, data, merge=_merged)
        return tree


async def _read(
    repository: Repository,
    store: CodeStore,
    chosen: Sequence[Entry],
    keys: Sequence[bytes],
    unknown: set[bytes],
) -> list[Facts]:
    """Extract the facts that are not known, a few megabytes at a time."""
    wanted: dict[str, list[bytes]] = {}
    for entry, key in zip(chosen, keys, strict=True):
        if key in unknown:
            unknown.discard(key)
            wanted.setdefault(entry.blob, []).append(key)
    found: list[Facts] = []
    unsaved: list[Facts] = []
    batch: list[tuple[bytes, bytes]] = []
    size = total = 0
    async for blob, data in repository.blobs(wanted):
        batch += [(key, data) for key in wanted[blob]]
        size += len(data)
        if size > _BATCH:
            unsaved.append(await asyncio.to_thread(_extracted, batch))
            batch, total, size = [], total + size, 0
        if total > _PACK:
            found.append(await _saved(store, unsaved))
            unsaved, total = [], 0
    if batch:
        unsaved.append(await asyncio.to_thread(_extracted, batch))
    if unsaved:
        found.append(await _saved(store, unsaved))
    return found


def _extracted(batch: Sequence[tuple[bytes, bytes]]) -> Facts:
    return extract([key for key, _ in batch], [data for _, data in batch])


async def _saved(store: CodeStore, parts: Sequence[Facts]) -> Facts:
    facts = join(parts)
    await asyncio.to_thread(store.add_pack, pack_facts(facts))
    return facts


def _merged(packs: Sequence[bytes], trees: Sequence[bytes]) -> bytes:
    needed = frozenset[bytes]().union(*(keys_of_tree(tree) for tree in trees))
    return pack_facts(keep(join([unpack_facts(pack) for pack in packs]), needed))


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
        why = "missing from the repository" if row is None else REASONS[facts.reasons[row]]
        if row is None or why != READ:
            skipped.append((entry.path, why))
            continue
        paths.append(entry.path)
        taken.append(row)
    mine = take(facts, np.array(taken, np.int64))
    tree = build_tree(paths, mine.definitions, mine.references, sorted(skipped))
    return tree, missing == 0
