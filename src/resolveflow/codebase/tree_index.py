"""A tree's source, its paths and its past, indexed for the signals of localization."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

from resolveflow.codebase.bm25 import Bm25
from resolveflow.codebase.columns import row_numbers
from resolveflow.codebase.frames import PathIndex
from resolveflow.codebase.postings import files_and_regions, region_names
from resolveflow.codebase.source_files import importance
from resolveflow.codebase.source_terms import SourceTerms
from resolveflow.codebase.text import terms
from resolveflow.domain.exploration import Symbol
from resolveflow.ports import Commit

LARGEST_CHANGE = 20  # files; what a larger commit touches says little about its message

_NOT_ALPHANUMERIC = re.compile(r"[^a-z0-9]")
_SEPARATOR = re.compile(r"[-._]")
_FOLDER_NAMED = frozenset({"__init__", "index", "main", "mod"})


class Regions(Sequence[Symbol]):
    """The regions of all files, in order of file and line."""

    def __init__(self, sources: SourceTerms) -> None:
        self._sources = sources.without_terms()

    def __len__(self) -> int:
        return len(self._sources.first_lines)

    @overload
    def __getitem__(self, at: int) -> Symbol: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Symbol]: ...
    def __getitem__(self, at: int | slice) -> Symbol | Sequence[Symbol]:
        if isinstance(at, slice):
            return [self[number] for number in range(*at.indices(len(self)))]
        return Symbol(
            name=self._sources.name(at),
            start_line=int(self._sources.first_lines[at]),
            end_line=int(self._sources.last_lines[at]),
        )


class TreeIndex:
    """Everything the signals ask; arrays over files are in the order of `paths`.

    `sources` has the terms of these files, in the order of `paths`.
    """

    def __init__(
        self,
        paths: Sequence[str],
        sources: SourceTerms,
        all_paths: Iterable[str],
        commits: Sequence[Commit],
    ) -> None:
        self.paths = tuple(paths)
        self.number = {path: number for number, path in enumerate(self.paths)}
        self.importance = np.array([importance(path) for path in self.paths])
        self.names = PathIndex(all_paths)
        self.stems = _stems(self.paths)
        path_terms = [terms(path) for path in self.paths]
        self.path_terms = Bm25.of(path_terms)
        self.regions = Regions(sources)
        self.region_files = row_numbers(sources.region_starts)
        self.files, self.region_terms = files_and_regions(sources, path_terms)
        self.region_names = region_names(sources)
        self.region_is_named = np.diff(sources.name_ends, prepend=np.uint32(0)) > 0
        self.commits, self.touched = self._past(commits)
        self.changes = self._changes()
        messages = [terms(commit.subject) for commit in self.commits]
        self.messages = Bm25.of(messages)
        self.told = Bm25.of(self._told(messages))

    def regions_of(self, file: int) -> tuple[int, int]:
        """The numbers of a file's first region and of the one after its last."""
        first, end = np.searchsorted(self.region_files, [file, file + 1])
        return int(first), int(end)

    def _past(
        self, commits: Sequence[Commit]
    ) -> tuple[tuple[Commit, ...], tuple[NDArray[np.int64], ...]]:
        kept = []
        touched = []
        for commit in commits:
            numbers = [self.number[path] for path in commit.paths if path in self.number]
            if 0 < len(numbers) <= LARGEST_CHANGE:
                kept.append(commit)
                touched.append(np.array(numbers))
        return tuple(kept), tuple(touched)

    def _changes(self) -> tuple[list[int], ...]:
        """For each file the numbers of the commits that touched it, newest first."""
        changes: tuple[list[int], ...] = tuple([] for _ in self.paths)
        for commit, touched in enumerate(self.touched):
            for number in touched:
                changes[number].append(commit)
        return changes

    def _told(self, messages: Sequence[Mapping[str, int]]) -> list[dict[str, float]]:
        """For each file the terms of the messages that came with its changes."""
        told: list[defaultdict[str, float]] = [defaultdict(float) for _ in self.paths]
        for message, touched in zip(messages, self.touched, strict=True):
            for number in touched:
                for term in message:
                    told[number][term] += 1 / len(touched)
        return [dict(one) for one in told]


def _stems(paths: Sequence[str]) -> tuple[str, ...]:
    """Each file's name without extension and without the prefix its directory's files share."""
    by_directory: defaultdict[str, list[str]] = defaultdict(list)
    for path in paths:
        directory, _, name = path.rpartition("/")
        by_directory[directory].append(name.rpartition(".")[0] or name)
    prefixes = {directory: _shared_prefix(names) for directory, names in by_directory.items()}
    return tuple(_stem(path, prefixes) for path in paths)


def _stem(path: str, prefixes: Mapping[str, str]) -> str:
    directory, _, name = path.rpartition("/")
    stem = name.rpartition(".")[0] or name
    if stem in _FOLDER_NAMED and directory:
        stem = directory.rpartition("/")[2]
    prefix = prefixes[directory]
    return stem[len(prefix) :] if prefix and stem.startswith(prefix) else stem


def _shared_prefix(names: Sequence[str]) -> str:
    """`prism-` where most names begin with it."""
    prefixes = Counter(
        name[: match.end()] for name in names if (match := _SEPARATOR.search(name, 1))
    )
    prefix, count = max(prefixes.items(), key=lambda one: (one[1], one[0]), default=("", 0))
    return prefix if count >= 3 and 2 * count >= len(names) else ""


def letters(name: str) -> str:
    """A name as stems are compared: lower case letters and digits alone."""
    return _NOT_ALPHANUMERIC.sub("", name.lower())
