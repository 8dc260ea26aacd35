"""The code index over a store: what was read of a repository once is not read again."""

import asyncio
import json
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np
import regex

from resolveflow.backends.code_packs import TERMS, TEXTS, Keyed, Kind, known, tidy
from resolveflow.backends.code_store import HISTORY, CodeStore, store_path
from resolveflow.backends.code_trees import CodeTrees, TreeFiles
from resolveflow.backends.spans_tree_sitter import SpanFinder
from resolveflow.backends.work_tree import SHALLOW
from resolveflow.codebase.code_facts import key_of
from resolveflow.codebase.code_tree import CodeTree
from resolveflow.codebase.languages import as_utf8, language_of
from resolveflow.codebase.localize import localize
from resolveflow.codebase.quotes import with_quotes
from resolveflow.codebase.repo_map import Mapper, render
from resolveflow.codebase.search import MATCH_SECONDS, SourcePack
from resolveflow.codebase.source_files import is_source
from resolveflow.codebase.source_terms import SourceTerms, join_terms, read_terms, take_terms
from resolveflow.codebase.spans import Span
from resolveflow.codebase.symbols import Place, SymbolIndex
from resolveflow.codebase.tree_index import TreeIndex
from resolveflow.domain.code import Definition, Match
from resolveflow.domain.errors import InvalidPattern
from resolveflow.domain.exploration import Localization
from resolveflow.domain.report import IssueEvidence
from resolveflow.ports import Commit, Entry, Repository

LONGEST_PATTERN = 1_000  # characters
MOST_DEFINITIONS = 100  # of one name
MOST_HISTORY = 6_000  # commits
NO_TEXT = b"\0" * 16  # the key of a file that is ranked by its path alone
_NO_CONTENT = frozenset({"not source", "symlink", "submodule", "binary"})
_KEPT = 2  # trees

K = TypeVar("K", bound=Keyed)
T = TypeVar("T")


class StoredCodeIndex:
    """A CodeIndex whose stores lie in `home`; the last few trees stay in memory."""

    def __init__(self, home: Path, *, match_seconds: float = MATCH_SECONDS) -> None:
        self._home = home
        self._seconds = match_seconds
        self._trees = CodeTrees(home)
        self._terms: _Recent[TreeIndex] = _Recent(_KEPT)
        self._texts: _Recent[SourcePack] = _Recent(_KEPT)
        self._symbols: _Recent[SymbolIndex] = _Recent(_KEPT)
        self._maps: _Recent[Mapper] = _Recent(_KEPT)

    async def localize(
        self, evidence: IssueEvidence, repository: Repository, limit: int
    ) -> Localization:
        """The likeliest files of the tree, and what of it was not read.

        Raises:
            RepositoryError: the tree cannot be read.
        """
        tree = await self.tree_index(repository)
        found = await asyncio.to_thread(localize, evidence, tree, limit)
        texts = await _texts([suspect.path for suspect in found.suspects], repository)
        return with_quotes(found, f"{evidence.title}\n{evidence.body}", texts).model_copy(
            update={"not_examined": _left_out(await self._trees.files(repository), tree)}
        )

    async def map(self, repository: Repository, tokens: int, report: str = "") -> str:
        """The tree as text under a budget.

        Raises:
            RepositoryError: the tree cannot be read.
        """
        code = await self._trees.tree(repository)
        mapper = await self._maps.get(_key(repository), lambda: _in_thread(Mapper, code))
        return render(await asyncio.to_thread(mapper.map, tokens=tokens, report=report))

    async def search(
        self, repository: Repository, pattern: str, limit: int, *, regex: bool = False
    ) -> tuple[Match, ...]:
        """The first `limit` lines that hold `pattern`.

        Raises:
            RepositoryError: the tree cannot be read.
            InvalidPattern: the expression is none, or takes too long.
        """
        texts = await self._texts.get(_key(repository), lambda: self._read_texts(repository))
        if not regex:
            return texts.literal(pattern, limit=limit)
        try:
            return await asyncio.to_thread(
                texts.expression, _compiled(pattern), limit=limit, seconds=self._seconds
            )
        except TimeoutError:
            raise InvalidPattern(
                f"{pattern!r} took longer than {self._seconds:g} s to match: make it simpler"
            ) from None

    async def definitions(self, repository: Repository, name: str) -> tuple[Definition, ...]:
        """Where the tree defines a name, as it is spelled.

        Raises:
            RepositoryError: the tree cannot be read.
        """
        code = await self._trees.tree(repository)
        symbols = await self._symbols.get(_key(repository), lambda: _in_thread(SymbolIndex, code))
        places = symbols.definitions(name)[:MOST_DEFINITIONS]
        texts = await _texts([place.path for place in places], repository)
        async with SpanFinder() as finder:
            spans = {path: await _spans(path, text, finder) for path, text in texts.items()}
        return tuple(_bounded(place, spans.get(place.path, ())) for place in places)

    async def tree_index(self, repository: Repository) -> TreeIndex:
        """What localization asks about the tree.

        Raises:
            RepositoryError: the tree cannot be read.
        """
        return await self._terms.get(_key(repository), lambda: self._read_terms(repository))

    async def _read_terms(self, repository: Repository) -> TreeIndex:
        files = await self._trees.files(repository)
        paths = [path for path in files.read if is_source(path)]
        store = await self._store(repository)
        entries = {entry.path: entry for entry in await repository.entries()}
        commits = await _history(store, repository)
        keys, terms = await _known(TERMS, store, repository, [entries[path] for path in paths])
        keyed = dict(zip(paths, keys, strict=True))
        keyed |= dict.fromkeys(_ranked_by_path(files), NO_TEXT)
        ranked = [(path, keyed[path]) for path in entries if path in keyed]
        return await asyncio.to_thread(_built, ranked, terms, tuple(entries), commits)

    async def _read_texts(self, repository: Repository) -> SourcePack:
        paths = (await self._trees.files(repository)).read
        entries = {entry.path: entry for entry in await repository.entries()}
        store = await self._store(repository)
        keys, texts = await _known(TEXTS, store, repository, [entries[path] for path in paths])
        numbers = {key: number for number, key in enumerate(texts.keys)}
        pairs = zip(paths, keys, strict=True)
        return SourcePack((path, texts.of(numbers[key])) for path, key in pairs if key in numbers)

    async def _store(self, repository: Repository) -> CodeStore:
        return CodeStore(await asyncio.to_thread(store_path, self._home, repository.ref.location))


class _Recent(Generic[T]):
    """What was made last, by key."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, T] = OrderedDict()
        self._making = asyncio.Lock()

    async def get(self, key: Hashable, make: Callable[[], Awaitable[T]]) -> T:
        """What was made for the key; tasks that ask at once share one making."""
        async with self._making:
            if key not in self._kept:
                self._kept[key] = await make()
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
            return self._kept[key]


async def _spans(path: str, text: str, finder: SpanFinder) -> tuple[Span, ...]:
    return await finder.find_spans(text.encode("utf-8", "replace"), language_of(path) or "")


def _bounded(place: Place, spans: Sequence[Span]) -> Definition:
    """The definition with its last line; its first where nothing tells the last."""
    ends = (one.end_line for one in spans if (one.name, one.start_line) == (place.name, place.line))
    return Definition(
        name=place.name,
        path=place.path,
        start_line=place.line,
        end_line=next(ends, place.line),
        signature=place.signature,
    )


def _compiled(pattern: str) -> regex.Pattern[bytes]:
    if len(pattern) > LONGEST_PATTERN:
        raise InvalidPattern(f"an expression of {len(pattern):,} characters is too long")
    try:
        return regex.compile(pattern.encode(), regex.MULTILINE, cache_pattern=False)
    except (regex.error, OverflowError, RecursionError, UnicodeEncodeError) as error:
        raise InvalidPattern(f"{pattern!r} is no regular expression: {error}") from None


def _key(repository: Repository) -> tuple[str, str]:
    return repository.ref.location, repository.ref.commit


def _in_thread(make: Callable[[CodeTree], T], tree: CodeTree) -> Awaitable[T]:
    return asyncio.to_thread(make, tree)


def _built(
    ranked: Sequence[tuple[str, bytes]],
    terms: SourceTerms,
    all_paths: Sequence[str],
    commits: Sequence[Commit],
) -> TreeIndex:
    rows = {key: row for row, key in enumerate(terms.keys)}
    if any(key not in rows for _, key in ranked):
        rows[NO_TEXT] = len(terms.keys)
        terms = join_terms([terms, read_terms([NO_TEXT], [b""])])
    taken = np.array([rows.get(key, len(terms.keys) - 1) for _, key in ranked], np.int64)
    return TreeIndex([path for path, _ in ranked], take_terms(terms, taken), all_paths, commits)


def _ranked_by_path(files: TreeFiles) -> list[str]:
    """Source that no person wrote or that cannot be read: a report may still point to it."""
    return [path for path, why in files.skipped if why not in _NO_CONTENT and is_source(path)]


async def _known(
    kind: Kind[K], store: CodeStore, repository: Repository, entries: Sequence[Entry]
) -> tuple[list[bytes], K]:
    """The files' keys, and what is known of them and of others."""
    keys = [key_of(entry.path, entry.blob) for entry in entries]
    blobs = {key: entry.blob for key, entry in zip(keys, entries, strict=True)}
    found = await known(kind, store, repository, blobs)
    await tidy(kind, store)
    return keys, found


async def _history(store: CodeStore, repository: Repository) -> tuple[Commit, ...]:
    """The commits up to the pinned one; once all are there, they never change and are kept."""
    commit = repository.ref.commit
    kept = await asyncio.to_thread(store.answer, commit, HISTORY)
    if kept is not None:
        return tuple(
            Commit(sha=sha, time=datetime.fromtimestamp(time, UTC), subject=subject, paths=paths)
            for sha, time, subject, paths in json.loads(kept)
        )
    commits = tuple(await repository.history(MOST_HISTORY))
    if SHALLOW in repository.ref.gaps:
        return commits  # a later fetch may bring more
    told = [(one.sha, one.time.timestamp(), one.subject, one.paths) for one in commits]
    await asyncio.to_thread(store.add_answer, commit, HISTORY, json.dumps(told))
    return commits


async def _texts(paths: Sequence[str], repository: Repository) -> dict[str, str]:
    wanted = set(paths)
    blobs = {e.path: e.blob for e in await repository.entries() if e.path in wanted}
    read = {blob: data async for blob, data in repository.blobs(sorted(set(blobs.values())))}
    return {
        path: as_utf8(read[blob]).decode("utf-8", "replace")
        for path, blob in blobs.items()
        if blob in read
    }


def _left_out(files: TreeFiles, tree: TreeIndex) -> tuple[str, ...]:
    said = [
        f"Ranked {len(tree.paths)} source files; tests, examples, documents and vendored code"
        " were not."
    ]
    counts = Counter(why for path, why in files.skipped if is_source(path))
    for why in sorted(counts.keys() - _NO_CONTENT):
        said.append(f"Ranked by their path alone, as {why}: {counts[why]} of them.")
    if counts["binary"]:
        said.append(f"Not ranked, as binary: {counts['binary']} files with names of source.")
    return tuple(said)
