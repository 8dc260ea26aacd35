"""What is known of a repository's files, kind by kind: read once, then taken from the store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from resolveflow.backends.code_columns import (
    keys_of_tree,
    pack_facts,
    pack_source,
    unpack_facts,
    unpack_terms,
    unpack_texts,
)
from resolveflow.codebase.code_facts import Facts, extract, join, keep
from resolveflow.codebase.source_terms import SourceTerms, join_terms, keep_terms, read_terms
from resolveflow.codebase.source_texts import SourceTexts, join_texts, keep_texts, read_texts

if TYPE_CHECKING:
    from resolveflow.backends.code_store import CodeStore
    from resolveflow.ports import Repository

_BATCH = 8 * 1024 * 1024
_PACK = 64 * 1024 * 1024  # bytes of source a pack is made of, so that little is lost at an end


class Keyed(Protocol):
    """Rows that are found by the keys of files."""

    @property
    def keys(self) -> tuple[bytes, ...]:
        """The keys of the files, in the order of the rows."""


K = TypeVar("K", bound=Keyed)


@dataclass(frozen=True)
class Kind(Generic[K]):
    """One kind of knowledge about files: how it is read, joined, kept and written."""

    name: str
    read: Callable[[Sequence[bytes], Sequence[bytes]], K]
    join: Callable[[Sequence[K]], K]
    keep: Callable[[K, Set[bytes]], K]
    pack: Callable[[K], bytes]
    unpack: Callable[[bytes], K]


FACTS: Kind[Facts] = Kind("facts", extract, join, keep, pack_facts, unpack_facts)
TERMS: Kind[SourceTerms] = Kind(
    "terms", read_terms, join_terms, keep_terms, pack_source, unpack_terms
)
TEXTS: Kind[SourceTexts] = Kind(
    "texts", read_texts, join_texts, keep_texts, pack_source, unpack_texts
)


async def known(
    kind: Kind[K], store: CodeStore, repository: Repository, blobs: Mapping[bytes, str]
) -> K:
    """What is known of the files whose keys are given with their blobs, and of others.

    Blobs that were not known are read, a few megabytes at a time; missing ones are left out.

    Raises:
        RepositoryError: the repository cannot be read.
    """
    found = [kind.unpack(pack) for pack in await asyncio.to_thread(store.packs, kind.name)]
    unknown = blobs.keys() - {key for part in found for key in part.keys}
    if unknown:
        wanted = {key: blob for key, blob in blobs.items() if key in unknown}
        found += await _read(kind, store, repository, wanted)
    return await asyncio.to_thread(kind.join, found)


async def tidy(kind: Kind[K], store: CodeStore) -> None:
    """Forget what no kept tree needs, once there is much of a kind."""

    def merged(packs: Sequence[bytes], trees: Sequence[bytes]) -> bytes:
        needed = frozenset[bytes]().union(*(keys_of_tree(tree) for tree in trees))
        return kind.pack(kind.keep(kind.join([kind.unpack(pack) for pack in packs]), needed))

    await asyncio.to_thread(store.tidy, kind.name, merged)


async def _read(
    kind: Kind[K], store: CodeStore, repository: Repository, unknown: Mapping[bytes, str]
) -> list[K]:
    wanted: dict[str, list[bytes]] = {}
    for key, blob in unknown.items():
        wanted.setdefault(blob, []).append(key)
    found: list[K] = []
    unsaved: list[K] = []
    batch: list[tuple[bytes, bytes]] = []
    size = total = 0
    async for blob, data in repository.blobs(wanted):
        batch += [(key, data) for key in wanted[blob]]
        size += len(data)
        if size > _BATCH:
            unsaved.append(await asyncio.to_thread(_of_batch, kind, batch))
            batch, total, size = [], total + size, 0
        if total > _PACK:
            found.append(await _saved(kind, store, unsaved))
            unsaved, total = [], 0
    if batch:
        unsaved.append(await asyncio.to_thread(_of_batch, kind, batch))
    if unsaved:
        found.append(await _saved(kind, store, unsaved))
    return found


def _of_batch(kind: Kind[K], batch: Sequence[tuple[bytes, bytes]]) -> K:
    return kind.read([key for key, _ in batch], [data for _, data in batch])


async def _saved(kind: Kind[K], store: CodeStore, parts: Sequence[K]) -> K:
    whole = kind.join(parts)
    await asyncio.to_thread(store.add_pack, kind.name, kind.pack(whole))
    return whole
