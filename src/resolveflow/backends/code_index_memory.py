"""An index of a tree's source in memory, kept for the trees that were asked about last."""

from collections import OrderedDict
from collections.abc import Sequence

from resolveflow.codebase.localize import localize
from resolveflow.codebase.quotes import with_quotes
from resolveflow.codebase.source_files import is_source
from resolveflow.codebase.tree_index import Source, TreeIndex, read_source
from resolveflow.domain.exploration import Localization
from resolveflow.domain.report import IssueEvidence
from resolveflow.ports import Entry, Repository

LARGEST_FILE = 400_000  # bytes; what is larger is data or generated
LARGEST_TREE = 100_000_000  # bytes of source that are read
LONGEST_LINE = 50_000  # characters on average; minified source and data have such lines
HISTORY = 6_000  # commits
_BINARY_PROBE = 8_000


class MemoryCodeIndex:
    """A CodeIndex that reads a tree's source once and keeps the last few trees."""

    def __init__(self, *, keep: int = 2) -> None:
        self._keep = keep
        self._trees: OrderedDict[str, tuple[TreeIndex, tuple[str, ...]]] = OrderedDict()
        self._sources: dict[str, Source | None] = {}

    async def localize(
        self, evidence: IssueEvidence, repository: Repository, limit: int
    ) -> Localization:
        """The likeliest files of the tree, and what of it was not read.

        Raises:
            RepositoryError: the tree cannot be read.
        """
        tree, skipped = await self.tree(repository)
        found = localize(evidence, tree, limit)
        texts = await self._texts([suspect.path for suspect in found.suspects], repository)
        return with_quotes(found, f"{evidence.title}\n{evidence.body}", texts).model_copy(
            update={"not_examined": skipped}
        )

    async def tree(self, repository: Repository) -> tuple[TreeIndex, tuple[str, ...]]:
        """The tree's index, and in words what it leaves out."""
        key = f"{repository.ref.location}@{repository.ref.commit}"
        if key not in self._trees:
            self._trees[key] = await self._read(repository)
        self._trees.move_to_end(key)
        while len(self._trees) > self._keep:
            self._trees.popitem(last=False)
        return self._trees[key]

    async def _texts(self, paths: Sequence[str], repository: Repository) -> dict[str, str]:
        wanted = set(paths)
        blobs = {e.path: e.blob for e in await repository.entries() if e.path in wanted}
        read = {blob: data async for blob, data in repository.blobs(sorted(set(blobs.values())))}
        return {
            path: read[blob].decode("utf-8", errors="replace")
            for path, blob in blobs.items()
            if blob in read
        }

    async def _read(self, repository: Repository) -> tuple[TreeIndex, tuple[str, ...]]:
        entries = await repository.entries()
        chosen, too_many = _chosen(entries)
        wanted = {entry.blob for entry in chosen}
        read = {blob: source for blob, source in self._sources.items() if blob in wanted}
        async for blob, data in repository.blobs(sorted(wanted - read.keys())):
            read[blob] = _source(data)
        self._sources = read
        sources = {e.path: source for e in chosen if (source := read.get(e.blob)) is not None}
        commits = await repository.history(HISTORY)
        paths = [entry.path for entry in entries if entry.kind == "file"]
        unread = len(chosen) - len(sources)
        return TreeIndex(sources, paths, commits), _left_out(len(sources), too_many, unread)


def _chosen(entries: Sequence[Entry]) -> tuple[list[Entry], int]:
    """The source files to read, and how many do not fit."""
    sources = [e for e in entries if e.kind == "file" and is_source(e.path)]
    chosen = []
    total = 0
    for entry in sources:
        if entry.size <= LARGEST_FILE and total + entry.size <= LARGEST_TREE:
            chosen.append(entry)
            total += entry.size
    return chosen, len(sources) - len(chosen)


def _source(data: bytes) -> Source | None:
    """The text counted; None for what no person wrote."""
    if b"\0" in data[:_BINARY_PROBE]:
        return None
    if len(data) > LONGEST_LINE * (1 + data.count(b"\n")):
        return None
    return read_source(data.decode("utf-8", errors="replace"))


def _left_out(read: int, too_many: int, unread: int) -> tuple[str, ...]:
    said = [f"Ranked {read} source files; tests, examples, documents and vendored code were not."]
    if too_many:
        said.append(f"{too_many} source files are too large or beyond the size that is read.")
    if unread:
        said.append(f"{unread} source files are binary, minified or missing from the repository.")
    return tuple(said)
