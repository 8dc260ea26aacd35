"""What the code index costs in a process that stays."""

import re
import shutil
import statistics
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
from measuring import CACHE, Figure, cpu, run, say, spent
from peers import Aider, ripgrep
from trees import commit

from resolveflow.backends.code_index import StoredCodeIndex
from resolveflow.backends.code_packs import FACTS, known
from resolveflow.backends.code_store import CodeStore, store_path
from resolveflow.backends.code_trees import CodeTrees
from resolveflow.backends.repository_open import RepositoryOpener
from resolveflow.codebase.code_facts import key_of
from resolveflow.codebase.code_tree import CodeTree
from resolveflow.codebase.symbols import SymbolIndex
from resolveflow.domain.report import IssueEvidence
from resolveflow.ports import Repository

TOKENS = 4096
ALL = 1_000_000  # more lines than any search finds
EXPRESSIONS = (r"return \w+\(", r"raise \w+Error\(", r"throw new \w+", r"\b[A-Z]\w+Error\b")
LONG_NAME = 8  # letters
CHANGED = 10  # files
SOME = 20  # names that are looked up with their ends


async def inside(tree: Path, rounds: int) -> list[Figure]:
    """Measure and print everything on one tree."""
    home = CACHE / "homes" / f"{tree.name}-inside"
    shutil.rmtree(home, ignore_errors=True)
    repository = await RepositoryOpener(home, tell_gaps=False)(str(tree))
    code = await CodeTrees(home).tree(repository)
    bench = Bench(tree, home, repository, code, rounds)
    figures: list[Figure] = []
    for part in (bench.maps, bench.search, bench.symbols, bench.localize, bench.update, bench.size):
        for figure in await part():
            say(figure)
            figures.append(figure)
    return figures


class Bench:
    """Figures of one tree; each part builds what it needs before it measures."""

    def __init__(
        self, tree: Path, home: Path, repository: Repository, code: CodeTree, rounds: int
    ) -> None:
        self._tree = tree
        self._home = home
        self._repository = repository
        self._code = code
        self._rounds = rounds
        self._index = StoredCodeIndex(home)
        _, rows = np.unique(code.definition_names, return_index=True)  # each name once
        step = max(1, len(rows) // 400)
        self._names = sorted({code.definitions.name(int(row)) for row in rows[::step]})

    async def maps(self) -> list[Figure]:
        """Maps about two identifiers, in turn with aider's about the same two."""
        await self._index.map(self._repository, TOKENS)
        asked = [f"{self._names[n]} {self._names[-n - 1]}" for n in range(self._rounds)]
        pairs = []
        with Aider(self._tree) as aider:
            for words in asked:
                ours = await _cost(partial(self._map, words))
                pairs.append((aider.again(words), ours))
        theirs, ours = (statistics.median(column) for column in zip(*pairs, strict=True))
        return [
            Figure("map in process, about two names, ms", 1000 * ours),
            Figure("map in process: aider / ours", theirs / ours, at_least=80),
        ]

    def _map(self, words: str) -> Awaitable[str]:
        return self._index.map(self._repository, TOKENS, words)

    async def search(self) -> list[Figure]:
        """Exact and regular-expression searches, in turn with ripgrep's in the same files."""
        folder = await self._written()
        wide, narrow = self._used_in(50), self._used_in(5)
        wanted = [(wide, False), (narrow, False), *((text, True) for text in EXPRESSIONS)]
        figures = []
        for text, regex in wanted:
            found = await self._index.search(self._repository, text, ALL, regex=regex)
            if found:
                figures += await self._searched(text, len(found), folder, regex=regex)
        shutil.rmtree(folder)
        return figures

    async def _searched(self, text: str, lines: int, folder: Path, *, regex: bool) -> list[Figure]:
        options = ("--no-ignore", "--hidden", "--threads", "1", "--no-heading", "--line-number")
        how = "--regexp" if regex else "--fixed-strings"
        command = (ripgrep(), *options, how, text, str(folder))
        written = CACHE / "rg.txt"
        cpu(*command, stdout=written)
        theirs_found = written.read_bytes().count(b"\n")
        pairs = []
        for _ in range(self._rounds):
            theirs = cpu(*command)
            ours = await _cost(lambda: self._search(text, regex), times=3)
            pairs.append((theirs, ours))
        theirs, ours = (statistics.median(column) for column in zip(*pairs, strict=True))
        kind = "regex" if regex else "literal"
        differ = "" if theirs_found == lines else f" (rg: {theirs_found:,})"
        what = f"{kind} {text}: {lines:,} lines{differ}, {1000 * ours:.1f} ms: rg / ours"
        return [Figure(what, theirs / ours, at_least=8)]

    def _search(self, text: str, regex: bool) -> Awaitable[object]:
        return self._index.search(self._repository, text, ALL, regex=regex)

    async def _written(self) -> Path:
        """The files of the index, in a folder."""
        folder = CACHE / "searched"
        shutil.rmtree(folder, ignore_errors=True)
        blobs: dict[str, list[str]] = {}
        chosen = set(self._code.paths)
        for entry in await self._repository.entries():
            if entry.path in chosen:
                blobs.setdefault(entry.blob, []).append(entry.path)
        async for blob, data in self._repository.blobs(blobs):
            for path in blobs[blob]:
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_bytes(data)
        return folder

    def _used_in(self, files: int) -> str:
        """A long name that about so many files use."""
        code = self._code
        users = np.bincount(code.use_names, minlength=len(code.names))
        rows = np.argsort(np.abs(users[code.definition_names] - files), kind="stable")
        names = (code.definitions.name(int(row)) for row in rows)
        return next(name for name in names if len(name) >= LONG_NAME)

    async def symbols(self) -> list[Figure]:
        """Looking names up, one after the other; and with each definition's end, from its file."""
        places = SymbolIndex(self._code)
        await self._index.definitions(self._repository, self._names[0])
        some = self._names[:: max(1, len(self._names) // SOME)]
        pairs = []
        for _ in range(self._rounds):
            started = spent()
            for name in self._names:
                places.definitions(name)
            found = (spent() - started) / len(self._names)
            whole = await _cost(partial(self._look_up, some)) / len(some)
            pairs.append((found, whole))
        found, whole = (statistics.median(column) for column in zip(*pairs, strict=True))
        return [
            Figure("symbol lookup, ms", 1000 * found, at_most=0.1),
            Figure("symbol lookup with ends, which reads the files, ms", 1000 * whole),
        ]

    async def _look_up(self, names: Sequence[str]) -> None:
        for name in names:
            await self._index.definitions(self._repository, name)

    async def localize(self) -> list[Figure]:
        """Localizing reports that were not seen before, the index loaded."""
        reports = self._reports()
        await self._localized(reports[0])
        taken = sorted([await _cost(partial(self._localized, text)) for text in reports])
        return [
            Figure(
                f"localize, {len(reports)} reports, median, ms",
                1000 * statistics.median(taken),
                at_most=50,
            ),
            Figure("localize, the slowest of them, ms", 1000 * taken[-1]),
        ]

    def _reports(self) -> list[str]:
        """Bugs as release notes tell them, where the tree has such; else sentences of names."""
        notes = sorted(self._tree.glob("docs/releases/5.*.txt"))
        told = (text for note in notes for text in _fixes(note.read_text(encoding="utf-8")))
        step = max(1, len(self._names) // 41)
        made = (
            f"Calling {self._names[n]} after {self._names[-n - 1]} gives a wrong result or hangs"
            for n in range(0, len(self._names), step)
        )
        return list(islice(told, 41)) or list(islice(made, 41))

    def _localized(self, text: str) -> Awaitable[object]:
        evidence = IssueEvidence(
            source="bench", target=None, title=text[:80], body=text, content_hash=""
        )
        return self._index.localize(evidence, self._repository, 10)

    async def update(self) -> list[Figure]:
        """The tree of a commit that changes ten files, with what git does for it."""
        copy = CACHE / "update"
        shutil.rmtree(copy, ignore_errors=True)
        run("git", "clone", "--quiet", "--shared", str(self._tree), str(copy))
        opener = RepositoryOpener(self._home, tell_gaps=False)
        await CodeTrees(self._home).tree(await opener(str(copy)))
        paths = self._code.paths[:: max(1, len(self._code.paths) // CHANGED)][:CHANGED]
        taken = []
        for number in range(self._rounds):
            for path in paths:
                with (copy / path).open("ab") as file:
                    file.write(b"\nchanged_%d = 1\n" % number)
            commit(copy)
            repository = await opener(str(copy))
            facts = await _cost(partial(self._extracted, repository, set(paths)))
            tree = await _cost(partial(CodeTrees(self._home).tree, repository))
            taken.append((facts, facts + tree))
        shutil.rmtree(copy)
        facts, whole = (statistics.median(column) for column in zip(*taken, strict=True))
        return [
            Figure(
                f"a commit of {CHANGED} changed files: listed, read, extracted, ms", 1000 * facts
            ),
            Figure(
                f"a commit of {CHANGED} changed files: its whole tree, ms", 1000 * whole, at_most=30
            ),
        ]

    async def _extracted(self, repository: Repository, paths: set[str]) -> None:
        """The facts of these files."""
        entries = [entry for entry in await repository.entries() if entry.path in paths]
        store = CodeStore(store_path(self._home, repository.ref.location))
        blobs = {key_of(entry.path, entry.blob): entry.blob for entry in entries}
        await known(FACTS, store, repository, blobs)

    async def size(self) -> list[Figure]:
        """The store with all that was built, against the files that it is about."""
        chosen = set(self._code.paths)
        entries = await self._repository.entries()
        source = sum(entry.size for entry in entries if entry.path in chosen)
        store = store_path(self._home, self._repository.ref.location)
        return [Figure("index / source, bytes", store.stat().st_size / source, at_most=1.0)]


async def _cost(work: Callable[[], Awaitable[object]], *, times: int = 1) -> float:
    """The CPU seconds of one call, children included, as a mean."""
    started = spent()
    for _ in range(times):
        await work()
    return (spent() - started) / times


def _fixes(notes: str) -> Sequence[str]:
    """The items of a list that tell of a fixed bug."""
    items = re.findall(r"^\* (Fixed .*?)(?=^\S|^\s*$)", notes, re.MULTILINE | re.DOTALL)
    return [" ".join(item.split()) for item in items]
