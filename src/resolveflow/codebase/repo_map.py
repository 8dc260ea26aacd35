"""A repository under a budget of tokens: its modules, key files and principal definitions."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from resolveflow.codebase.identifiers import hash_names
from resolveflow.codebase.modules import Modules, find_modules
from resolveflow.codebase.pagerank import FEW, NameGraph

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from resolveflow.codebase.code_tree import CodeTree
    from resolveflow.codebase.modules import Module

TOKENS = 4096
CHARACTERS = 3.6  # of one token, on average
LONGEST_REPORT = 200_000  # characters of a report that are looked at

_ASIDE = 0.2  # how likely a walk starts in a test or an example, next to a source file
_ASIDE_SHOWN = 0.05  # what a definition in a test or an example counts, next to one in source
_NAMED = 40.0  # and in a file that the report names
_DEFINING = 4.0  # and in one that defines a name of the report
_ASKED = 5.0  # how little of all rank the file that the report names most gets on top
_DEEPEST = 8  # columns of indentation; deeper definitions are local
_MODULE_SHARE = 0.15  # of the budget, for the modules at most
_HEADLINE = 60  # characters that the headline may grow by
_FEWEST = 2  # definitions that every package is shown with
_FEW_FILES = 8  # definitions of one file, and one more for every 200 tokens
_WORD = re.compile(r"[^\0-#%-@[-^`{-\x7f][\w$]{0,99}")  # negated: a wide range compiles slowly
_PATH = re.compile(r"[\w./\\+@-]{2,200}")
_KIND = re.compile(
    r"\b(?:(class|struct|record|object|mixin|actor|impl|extension)|(interface|trait|protocol)"
    r"|(enum)|(def|fn|func|fun|function|sub|defp|defmacro|defmacrop|macro_rules!)"
    r"|(type|typedef|typealias|union)|(namespace|module|mod|package|defmodule))\b"
)
_CONTROLS = (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029)
_LINE_ENDS = {code: f"⟨U+{code:04X}⟩" for code in _CONTROLS}
_KINDS = ("class", "interface", "enum", "function", "type", "module")


@dataclass(frozen=True)
class Shown:
    """A definition that the map shows; `line` is 1-based, `indent` in columns."""

    name: str
    kind: str
    line: int
    indent: int
    signature: str


@dataclass(frozen=True)
class ShownFile:
    """A file that the map shows, with its share of all rank."""

    path: str
    score: float
    definitions: tuple[Shown, ...]


@dataclass(frozen=True)
class RepoMap:
    """What fits the budget, the likeliest first, and what the tree holds in all."""

    modules: tuple[Module, ...]
    packages: bool
    files: tuple[ShownFile, ...]
    file_count: int
    definition_count: int
    skipped: dict[str, int]
    tokens: int


class Mapper:
    """Makes maps of one tree; the second is cheaper than the first."""

    def __init__(self, tree: CodeTree) -> None:
        self._tree = tree
        self._graph = NameGraph(tree)
        self._modules = find_modules(tree)
        self._shown = _shown_rows(tree)
        self._start = np.where(tree.source, 1.0, _ASIDE)

    def map(self, *, tokens: int = TOKENS, report: str = "") -> RepoMap:
        """The map of the tree, about what a report says if there is one.

        The same tree, budget and report give the same map on every machine.
        """
        tree = self._tree
        said = _said(tree, report[:LONGEST_REPORT])
        asked = _asked(tree, said, report[:LONGEST_REPORT])
        ranks = self._graph.rank(self._start + asked, said)
        rows, owners = self._shown
        share = asked / max(float(asked.max(initial=0.0)), 1.0) / _ASKED
        scores = ranks.owners[owners] + _own_share(tree, rows, share, said)
        scores = scores * np.where(tree.source, 1.0, _ASIDE_SHOWN)[tree.definition_files[rows]]
        order = rows[np.argsort(-scores, kind="stable")]
        return RepoMap(
            modules=self._modules.modules,
            packages=self._modules.packages,
            files=_fitting(tree, ranks.files + share, order, self._modules, tokens),
            file_count=len(tree.paths),
            definition_count=len(tree.definition_names),
            skipped=dict(sorted(Counter(why for _, why in tree.skipped).items())),
            tokens=tokens,
        )


def render(shown: RepoMap) -> str:
    """The map as text; every line ends in a newline."""
    parts = [_headline(shown)]
    parts += _module_lines(shown)
    parts += [
        f"\n{_told(file.path)}\n{''.join(_line(one) for one in file.definitions)}"
        for file in shown.files
    ]
    return "".join(parts)


def _headline(shown: RepoMap) -> str:
    left_out = ", ".join(
        f"{count:,} {why}" for why, count in shown.skipped.items() if why != "not source"
    )
    aside = f"; left out: {left_out}" if left_out else ""
    return f"{shown.file_count:,} source files, {shown.definition_count:,} definitions{aside}\n"


def _module_lines(shown: RepoMap) -> list[str]:
    """The largest modules whose lines fit their share of the budget, in order of name."""
    kind = "Packages" if shown.packages else "Modules"
    title = f"\n{kind} (files), and how often each uses names that only the other defines:\n"
    left = int(shown.tokens * CHARACTERS * _MODULE_SHARE) - len(title)
    lines: dict[str, str] = {}
    for module in sorted(shown.modules, key=lambda module: (-module.files, module.name)):
        uses = [f"{_told(name) or '.'} {count:,}" for name, count in module.uses.items()][:4]
        used = f" → {', '.join(uses)}" if uses else ""
        line = f"  {_told(module.name) or '.'} ({module.files:,}){used}\n"
        left -= len(line)
        if left >= 0:
            lines[module.name] = line
    return [title, *(lines[name] for name in sorted(lines))] if len(lines) > 1 else []


def _told(path: str) -> str:
    """A path on one line: no name of a file may pass for lines of the map."""
    return path.translate(_LINE_ENDS)


def _line(one: Shown) -> str:
    return f"{one.line:>5} {' ' * one.indent}{one.signature}\n"


def _said(tree: CodeTree, report: str) -> NDArray[np.bool_]:
    """Which names the report holds."""
    said = np.zeros(len(tree.names), bool)
    words = sorted({word.encode() for word in _WORD.findall(report) if len(word) > 2})
    if words and len(tree.names):
        hashes = hash_names(words)
        at = np.minimum(np.searchsorted(tree.names, hashes), len(tree.names) - 1)
        said[at[tree.names[at] == hashes]] = True
    return said


def _asked(tree: CodeTree, said: NDArray[np.bool_], report: str) -> NDArray[np.float64]:
    """How much likelier a walk starts in each file because of the report."""
    start = np.zeros(len(tree.paths))
    if not report:
        return start
    rare = said & (tree.owners <= FEW)
    defining = np.bincount(tree.owner_files, rare[tree.owner_names], len(tree.paths))
    start += _DEFINING * np.minimum(defining, 5.0)
    named = {part for text in _PATH.findall(report) for part in _spellings(text)}
    for number, path in enumerate(tree.paths):
        if path.rpartition("/")[2] in named or path.rpartition(".")[0].replace("/", ".") in named:
            start[number] += _NAMED
    return start


def _own_share(
    tree: CodeTree, rows: NDArray[np.int64], share: NDArray[np.float64], said: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """What definitions of files that the report asks for get, used by others or not."""
    files = tree.definition_files[rows]
    count = np.bincount(files, minlength=len(tree.paths))[files]
    return share[files] * np.where(said[tree.definition_names[rows]], 1.0, 0.3 / count)


def _spellings(text: str) -> tuple[str, ...]:
    bare = text.strip(".").replace("\\", "/")
    return (bare.rpartition("/")[2], bare)


def _shown_rows(tree: CodeTree) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The definitions worth showing (the first of a name in a file), and their owners."""
    files = tree.definition_files.astype(np.uint64)
    pairs = (files << np.uint64(32)) | tree.definition_names
    of_owner = (tree.owner_files.astype(np.uint64) << np.uint64(32)) | tree.owner_names
    rows = np.flatnonzero(tree.definitions.indents <= _DEEPEST)
    _, first = np.unique(pairs[rows], return_index=True)
    rows = np.sort(rows[first])
    return rows, np.searchsorted(of_owner, pairs[rows])


def _fitting(
    tree: CodeTree,
    ranks: NDArray[np.float64],
    order: NDArray[np.int64],
    modules: Modules,
    tokens: int,
) -> tuple[ShownFile, ...]:
    budget = _Budget(tree, modules, tokens)
    if modules.packages:
        for row in _of_each(order, modules.of_file[tree.definition_files[order]]):
            budget.add(int(row))
    for row in order:
        if not budget.add(int(row)):
            break
    return budget.files(ranks)


def _of_each(order: NDArray[np.int64], groups: NDArray[np.int64]) -> list[int]:
    """The best few definitions of each package, the best of all first."""
    seen: Counter[int] = Counter()
    found = []
    for row, group in zip(order.tolist(), groups.tolist(), strict=True):
        seen[group] += 1
        if seen[group] <= _FEWEST:
            found.append(row)
    return found


class _Budget:
    """Definitions that fit, by file; what holds a definition is shown with it."""

    def __init__(self, tree: CodeTree, modules: Modules, tokens: int) -> None:
        self._tree = tree
        self._most = _FEW_FILES + tokens // 200
        self._left = int(tokens * CHARACTERS)
        self._misses = 0
        self._chosen: defaultdict[int, set[int]] = defaultdict(set)
        empty = RepoMap(modules.modules, modules.packages, (), len(tree.paths), 10**6, {}, tokens)
        self._left -= len(render(empty)) + _HEADLINE

    def add(self, row: int) -> bool:
        """Take a definition if it fits; False once nothing has fitted for a while."""
        file = int(self._tree.definition_files[row])
        chosen = self._chosen.get(file, set())
        if row in chosen or len(chosen) >= self._most:
            return True
        wanted = {row, *self._holders(row, file)} - chosen
        cost = sum(len(_line(self._shown(one))) for one in wanted)
        cost += 0 if chosen else len(_told(self._tree.paths[file])) + 2
        if cost > self._left:
            self._misses += 1
            return self._misses < 20
        self._left -= cost
        self._chosen[file] |= wanted
        return True

    def files(self, ranks: NDArray[np.float64]) -> tuple[ShownFile, ...]:
        """The files taken, those with the highest rank first."""
        return tuple(
            ShownFile(
                path=self._tree.paths[file],
                score=round(float(ranks[file]), 6),
                definitions=tuple(self._shown(row) for row in sorted(self._chosen[file])),
            )
            for file in sorted(self._chosen, key=lambda file: (-round(float(ranks[file]), 6), file))
        )

    def _holders(self, row: int, file: int) -> Iterator[int]:
        """The classes that a definition is in, by indentation."""
        indents = self._tree.definitions.indents
        first = int(self._tree.definitions.starts[file])
        indent = int(indents[row])
        while indent:
            outer = np.flatnonzero(indents[first:row] < indent)
            if not len(outer):
                return
            row = first + int(outer[-1])
            indent = int(indents[row])
            yield row

    def _shown(self, row: int) -> Shown:
        signature = self._tree.definitions.signature(row)
        kind = _KIND.search(signature)
        return Shown(
            name=self._tree.definitions.name(row),
            kind=_KINDS[(kind.lastindex or 1) - 1] if kind else _plain_kind(signature),
            line=int(self._tree.definitions.lines[row]),
            indent=int(self._tree.definitions.indents[row]),
            signature=signature.rstrip(" {:"),
        )


def _plain_kind(signature: str) -> str:
    return "function" if "(" in signature else "constant"
