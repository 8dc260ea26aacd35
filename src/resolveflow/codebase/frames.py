"""Which files of a tree a stack frame or a text means.

A frame's path is the reporter's machine's, not the tree's: it is matched from its end. What
matches several files equally well stays ambiguous, and what matches too many names none of them.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from resolveflow.domain.crash import Frame

MOST_AMBIGUOUS = 16  # files one frame or one name may mean; more is no information
LONGEST_NAME = 300  # characters of a name in a text that are looked at, from its end

Parts = tuple[str, ...]

_NOT_IN_NAMES = re.compile(r"[^\w./\\@+$:-]+")
_SCHEME = re.compile(r"^[\w+-]{2,20}:/+")
_VERSIONED = re.compile(r"^(.{1,80}?)[-@]v?\d[\w.+-]{0,80}$")
_PYTHON = re.compile(r"^(?:(?:site|dist)-packages|python\d[\d.]*)$", re.IGNORECASE)
_DART_PACKAGE = re.compile(r"^package:(\w{1,80})/")
_RUNTIMES = ("node:", "native ", "/rustc/", "internal/")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_LINE_SUFFIX = re.compile(r":\d+(?::\d+)?:?$")
_PACKAGE_STORES = frozenset({"registry", "checkouts", "gems", "mod", "hosted", "vendor", ".m2"})
_BUILD_ROOTS = frozenset({"build", "cjs", "dist", "es", "esm", "lib", "out", "target", "umd"})
_INDEX_STEMS = frozenset({"__init__", "index", "mod"})
_SOURCES_OF = {
    ".js": (".js", ".ts", ".tsx", ".jsx", ".mjs", ".coffee"),
    ".jsx": (".jsx", ".tsx"),
    ".mjs": (".mjs", ".ts", ".js"),
    ".cjs": (".cjs", ".ts", ".js"),
    ".pyc": (".py",),
    ".class": (".java", ".kt", ".scala"),
}


class _Table:
    """Finds the sequences of parts that share the longest tail with a given one."""

    def __init__(self) -> None:
        self._by_last: defaultdict[str, list[tuple[Parts, str]]] = defaultdict(list)
        self._by_last_two: defaultdict[Parts, list[tuple[Parts, str]]] = defaultdict(list)

    def add(self, parts: Parts, path: str) -> None:
        self._by_last[parts[-1]].append((parts, path))
        if len(parts) > 1:
            self._by_last_two[parts[-2:]].append((parts, path))

    def best(self, wanted: Parts) -> tuple[int, list[tuple[Parts, str]]]:
        """The length of the longest shared tail, and all that share it."""
        if not wanted:
            return 0, []
        if len(wanted) == 1 or wanted[-2:] not in self._by_last_two:
            found = self._by_last.get(wanted[-1], [])
            return (1, found) if found else (0, [])
        shared = [
            (_overlap(parts, wanted), parts, p) for parts, p in self._by_last_two[wanted[-2:]]
        ]
        longest = max(overlap for overlap, _, _ in shared)
        return longest, [(parts, path) for overlap, parts, path in shared if overlap == longest]


class PathIndex:
    """The paths of one tree, ready to be asked which of them a frame or a text means."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._files = _Table()
        self._modules = _Table()
        for path in sorted(set(paths)):
            parts = tuple(path.split("/"))
            self._files.add(parts, path)
            module = (*parts[:-1], parts[-1].partition(".")[0] or parts[-1])
            if module[-1] in _INDEX_STEMS and len(module) > 1:
                module = module[:-1]
            self._modules.add(module, path)

    def resolve(self, frame: Frame) -> tuple[str, ...]:
        """The files the frame may be in, sorted; empty where it is not of this tree."""
        parts = _path_parts(frame.file or "")
        names = _segments(frame.module or frame.function or "")
        if len(parts) == 1 and len(names) > 1:
            return self._of_package(parts[0], names)
        if parts:
            return self._of_path(parts)
        return self._of_names(names, shortest=1 if frame.module else 2)

    def named_in(self, text: str) -> tuple[str, ...]:
        """The files the text names, by path, base name or dotted module, in order of mention."""
        return tuple(dict.fromkeys(p for _, paths in self.mentions(text) for p in paths))

    def mentions(self, text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Every distinct name in the text that means files of the tree, with those files."""
        for word in dict.fromkeys(_NOT_IN_NAMES.split(text)):
            name = _LINE_SUFFIX.sub("", word[-LONGEST_NAME:]).strip(".:-$@+\\")
            file = name.partition("::")[0]
            if "." in file or "/" in file:
                name = file  # `tests/test_x.py::TestX::test_y`
            if "." in name or "/" in name or "\\" in name or "::" in name:
                paths = self._named(name)
                if paths:
                    yield name, paths

    def _named(self, name: str) -> tuple[str, ...]:
        parts = _path_parts(name)
        found = self._of_path(parts)
        if found or len(parts) == 1:
            return found or self._of_names(_segments(name), shortest=2)
        overlap, stems = self._modules.best(parts)
        return _accepted(overlap, stems, needed=2)

    def _of_path(self, parts: Parts) -> tuple[str, ...]:
        name, rest = _package(parts)
        for candidate in _source_names(rest):
            found = self._of_source(name, candidate)
            if found:
                return found
        return ()

    def _of_source(self, package: str | None, rest: Parts) -> tuple[str, ...]:
        if package is None:
            overlap, found = self._files.best(rest)
            return _accepted(overlap, found, needed=min(2, len(rest)))
        whole = (package, *rest) if package else rest
        overlap, found = self._files.best(whole)
        if overlap >= min(len(whole), len(rest) + 1):
            return _accepted(overlap, found, needed=1)
        # The tree's root may be the package itself; below it the whole path must agree.
        roots = (rest, rest[1:]) if rest[0] in _BUILD_ROOTS else (rest,)
        for root in roots if package else ():
            overlap, found = self._files.best(root)
            if overlap == len(root) > 1:
                return _accepted(overlap, found, needed=2)
        return ()

    def _of_package(self, file: str, names: Parts) -> tuple[str, ...]:
        """`file` in the directory that the leading names spell (Java: all of them)."""
        stem, _, extension = file.partition(".")
        tries = [self._files.best((*names[:cut], file)) for cut in range(len(names))]
        if extension == "java":
            tries = [t for cut, t in enumerate(tries) if t[0] == cut + 1 and names[cut] == stem]
        overlap, found = max(tries, key=lambda one: one[0], default=(0, []))
        return _accepted(overlap, found, needed=1)

    def _of_names(self, names: Parts, *, shortest: int) -> tuple[str, ...]:
        for cut in range(len(names), shortest - 1, -1):
            for spelled in (names[:cut], tuple(_snake_case(name) for name in names[:cut])):
                overlap, found = self._modules.best(spelled)
                if overlap:
                    accepted = _accepted(overlap, found, needed=min(2, len(spelled)))
                    if accepted:
                        return accepted
        return ()


def _accepted(overlap: int, found: Sequence[tuple[Parts, str]], *, needed: int) -> tuple[str, ...]:
    """The paths whose shared tail is long enough or is the whole path; none where too many."""
    kept = [path for parts, path in found if overlap >= needed or overlap == len(parts)]
    return tuple(kept) if len(kept) <= MOST_AMBIGUOUS else ()


def _overlap(one: Parts, other: Parts) -> int:
    """How many parts the two share, counted from their ends."""
    shared = 0
    for left, right in zip(reversed(one), reversed(other), strict=False):
        if left != right:
            break
        shared += 1
    return shared


def _path_parts(file: str) -> Parts:
    """The parts of a path as logs print it: any scheme, host, query or drive left out."""
    if not file or file[0] in "<[" or file.startswith(_RUNTIMES):
        return ()
    file = _DART_PACKAGE.sub(r"\1/lib/", file.strip().replace("\\", "/"))
    file = _SCHEME.sub("", file)
    file = file.partition("?")[0].partition("#")[0]
    parts = [part for part in file.split("/") if part not in ("", ".", "~")]
    while parts and (parts[0] == ".." or parts[0].endswith(":")):
        parts.pop(0)
    return tuple(parts)


def _segments(name: str) -> Parts:
    """`com.x.Foo$Bar.baz`, `a::b::c` or `App\\Http\\Kernel` as names, inner classes dropped."""
    spelled = name[:LONGEST_NAME].replace("::", ".").replace("\\", ".").replace("/", ".")
    names = [part.partition("$")[0].partition("<")[0] for part in spelled.split(".")]
    return tuple(name.removesuffix("Kt") or name for name in names if name)


def _package(parts: Parts) -> tuple[str | None, Parts]:
    """The package a path was installed under and the path in it.

    None: not installed, as far as the path tells. "": Python, where the package's own directory
    is part of the path.
    """
    for at in range(len(parts) - 2, -1, -1):
        if _PYTHON.match(parts[at]):
            return "", parts[at + 1 :]
        if parts[at] == "node_modules":
            end = at + (3 if parts[at + 1].startswith("@") else 2)
            if end < len(parts):
                return parts[end - 1], parts[end:]
        versioned = _VERSIONED.match(parts[at])
        if versioned and _PACKAGE_STORES.intersection(parts[:at]):
            return versioned.group(1), parts[at + 1 :]
    return None, parts


def _source_names(parts: Parts) -> Iterator[Parts]:
    """The path itself, then with the extensions a compiled file's source may have."""
    if not parts:
        return
    stem, dot, extension = parts[-1].rpartition(".")
    yield parts
    for source in _SOURCES_OF.get(dot + extension, ()):
        if source != dot + extension:
            yield (*parts[:-1], stem + source)


def _snake_case(name: str) -> str:
    return _CAMEL.sub("_", name).lower()
