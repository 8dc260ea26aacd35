"""The big parts of a tree and which of them use names that another one defines."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TYPE_CHECKING

import numpy as np

from resolveflow.codebase.pagerank import spelling
from resolveflow.codebase.source_files import is_source

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from numpy.typing import NDArray

    from resolveflow.codebase.code_tree import CodeTree

MOST = 14  # modules; a reader keeps no more apart
_SMALLEST = 0.02  # of all source files: a smaller directory is no module
_MANIFESTS = frozenset(
    {
        "package.json",
        "pyproject.toml",
        "setup.py",
        "Cargo.toml",
        "go.mod",
        "pom.xml",
        "build.gradle",
        "build.gradle.kts",
        "composer.json",
        "pubspec.yaml",
        "mix.exs",
        "Package.swift",
        "build.sbt",
    }
)
_MANIFEST_ENDINGS = (".csproj", ".vcxproj", ".gemspec", ".cabal")


@dataclass(frozen=True)
class Module:
    """A directory with all below it that no smaller module holds; `""` is the tree itself.

    `uses` maps the name of another module to how often this one uses names only that one defines.
    """

    name: str
    files: int
    definitions: int
    uses: dict[str, int]


@dataclass(frozen=True)
class Modules:
    """The modules by name, the module of each file, and whether they are packages of their own."""

    modules: tuple[Module, ...]
    of_file: NDArray[np.int64]
    packages: bool


def find_modules(tree: CodeTree) -> Modules:
    """The tree's packages where it has several, else its largest directories."""
    packages = _packages(tree)
    names = sorted(packages if packages else _directories(tree.paths))
    of_file = _members(tree.paths, names)
    between = _uses(tree, of_file, len(names))
    files = np.bincount(of_file, minlength=len(names))
    definitions = np.bincount(of_file[tree.definition_files], minlength=len(names))
    modules = [
        Module(
            name=name,
            files=int(files[number]),
            definitions=int(definitions[number]),
            uses=_largest(between[number], names),
        )
        for number, name in enumerate(names)
    ]
    return Modules(tuple(modules), of_file, packages=bool(packages))


def _packages(tree: CodeTree) -> set[str]:
    """The largest directories with a manifest of their own, and the tops of what is beside them."""
    manifests = {
        path.rpartition("/")[0]
        for path in (*tree.paths, *(path for path, _ in tree.skipped))
        if _is_manifest(path)
    }
    in_directory = Counter(path.rpartition("/")[0] for path in tree.paths)
    held: Counter[str] = Counter()
    for directory, count in in_directory.items():
        held[_nearest(directory, manifests)] += count
    chosen = set(_first(held - Counter({"": held[""]}), MOST // 2, least=2))
    if len(chosen) < 2:
        return set()
    beside: Counter[str] = Counter()
    for directory, count in in_directory.items():
        if not _nearest(directory, chosen):
            beside[directory.partition("/")[0]] += count
    return chosen | set(_first(beside, MOST - len(chosen) - 1, least=2)) | {""}


def _is_manifest(path: str) -> bool:
    """Whether it makes its directory a package, other than one that tests run on."""
    directory, _, name = path.rpartition("/")
    named = name in _MANIFESTS or name.endswith(_MANIFEST_ENDINGS)
    return named and is_source(f"{directory}/x.py" if directory else "x.py")


def _directories(paths: Sequence[str]) -> set[str]:
    """The tree, split again and again where most files are, until there are enough parts.

    Tests and examples stay whole: it is the source that a reader wants to tell apart.
    """
    in_directory = Counter(
        path.rpartition("/")[0] if is_source(path) else path.rpartition("/")[0].partition("/")[0]
        for path in paths
    )
    below: Counter[str] = Counter()
    for directory, count in in_directory.items():
        parts = directory.split("/")
        for depth in range(1, len(parts) + 1):
            below["/".join(parts[:depth])] += count
    least = max(2, int(sum(is_source(path) for path in paths) * _SMALLEST))
    inner: defaultdict[str, list[str]] = defaultdict(list)
    for directory, count in below.items():
        if directory and count >= least:
            inner[directory.rpartition("/")[0]].append(directory)
    chosen = {""}
    waiting = [(-len(paths), "")]
    while waiting and len(chosen) < MOST:
        _, widest = heappop(waiting)
        largest = sorted(inner[widest], key=lambda name: (-below[name], name))
        for name in largest[: MOST - len(chosen)]:
            chosen.add(name)
            heappush(waiting, (-below[name], name))
    return {_nearest(directory, chosen) for directory in in_directory}


def _first(counted: Counter[str], count: int, *, least: int) -> list[str]:
    large = [(-held, name) for name, held in counted.items() if name and held >= least]
    return [name for _, name in sorted(large)[:count]]


def _nearest(directory: str, names: Container[str]) -> str:
    """The directory itself or the innermost one around it that is among `names`, or the tree."""
    while directory and directory not in names:
        directory = directory.rpartition("/")[0]
    return directory


def _members(paths: Sequence[str], names: Sequence[str]) -> NDArray[np.int64]:
    number = {name: position for position, name in enumerate(names)}
    of_directory: dict[str, int] = {}
    found = np.zeros(len(paths), np.int64)
    for position, path in enumerate(paths):
        directory = path.rpartition("/")[0]
        if directory not in of_directory:
            of_directory[directory] = number.get(_nearest(directory, number), 0)
        found[position] = of_directory[directory]
    return found


def _uses(tree: CodeTree, of_file: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """How often each module uses names that one other module alone defines.

    Source does not use what tests define, and a plain word may be anything's: the name is then
    another thing's.
    """
    lowest = np.full(len(tree.names), count, np.int64)
    highest = np.full(len(tree.names), -1, np.int64)
    owners = of_file[tree.owner_files]
    np.minimum.at(lowest, tree.owner_names, owners)
    np.maximum.at(highest, tree.owner_names, owners)
    home = np.where(lowest == highest, lowest, -1)[tree.use_names]
    users = of_file[tree.use_files]
    source = tree.source
    in_source = np.zeros(len(tree.names), bool)
    in_source[tree.owner_names[source[tree.owner_files]]] = True
    meant = in_source[tree.use_names] | ~source[tree.use_files]
    _, plain, _ = spelling(tree)
    kept = (home >= 0) & (home != users) & meant & ~plain[tree.use_names]
    pairs = np.bincount(users[kept] * count + home[kept], minlength=count * count)
    return pairs.reshape(count, count)


def _largest(row: NDArray[np.int64], names: Sequence[str]) -> dict[str, int]:
    order = sorted(range(len(names)), key=lambda number: (-row[number], names[number]))
    return {names[number]: int(row[number]) for number in order if row[number]}
