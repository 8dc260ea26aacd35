"""The paths of a pinned tree: an agent's path names an entry of it, or nothing at all."""

from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from resolveflow.domain.errors import RepositoryError
from resolveflow.explore.shown import name, short
from resolveflow.ports import Entry

_MOST_NEAR = 5
_MOST_COMPARED = 5_000  # names that a misspelled one is compared with
_LONGEST_COMPARED = 80


class TreePaths:
    """Resolves paths against the entries alone: no file system is ever asked.

    A path is an entry's own, or as it is shown where it holds characters that cannot be seen. What
    lies in a folder called `.git`, in whatever case, is none of the tree. Methods raise
    RepositoryError, with near matches where there are any.
    """

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._entries = {e.path: e for e in entries if not _in_git_folder(e.path)}
        self._shown = {name(path): path for path in self._entries if name(path) != path}

    @property
    def files(self) -> Sequence[Entry]:
        """The regular files, in the tree's order."""
        return [entry for entry in self._entries.values() if entry.kind == "file"]

    def file(self, path: str) -> Entry:
        """The regular file of that path."""
        entry = self._entry(path)
        if entry is None:
            if self._below(f"{path.removesuffix('/')}/"):
                raise RepositoryError(f"{short(path)} is a directory: use list_directory for it")
            raise RepositoryError(self._missing(path, "file"))
        if entry.kind != "file":
            raise RepositoryError(f"{short(path)} {_not_read(entry)}")
        return entry

    def children(self, path: str) -> tuple[dict[str, int], list[Entry]]:
        """A directory's folders, each with its number of files, and its own entries."""
        directory = "" if path in ("", ".") else path.removesuffix("/") or path
        entry = self._entry(directory) if directory else None
        if entry is not None:
            told = "is a file: use read_lines for it" if entry.kind == "file" else _not_read(entry)
            raise RepositoryError(f"{short(path)} {told}")
        prefix = f"{directory}/" if directory else ""
        folders: Counter[str] = Counter()
        own: list[Entry] = []
        for rest, entry in self._below(prefix):
            first, slash, _ = rest.partition("/")
            if slash:
                folders[first] += 1
            else:
                own.append(entry)
        if directory and not own and not folders:
            raise RepositoryError(self._missing(directory, "directory"))
        return dict(folders), own

    def _entry(self, path: str) -> Entry | None:
        problem = _problem(path)
        if problem:
            raise RepositoryError(f"{short(path)} {problem}{self._near(path)}")
        return self._entries.get(path) or self._entries.get(self._shown.get(path, ""))

    def _below(self, prefix: str) -> list[tuple[str, Entry]]:
        """What begins with this, or is shown as if it did: the rest of its path, and the entry."""
        size = len(prefix)
        own = [(path[size:], e) for path, e in self._entries.items() if path.startswith(prefix)]
        return own or [
            (shown[size:], self._entries[path])
            for shown, path in self._shown.items()
            if shown.startswith(prefix)
        ]

    def _missing(self, path: str, kind: str) -> str:
        parts = path.split("/")
        for end in range(1, len(parts)):
            above = self._entries.get("/".join(parts[:end]))
            if above is not None:
                told = "is a file" if above.kind == "file" else _not_read(above)
                return f"{short(path)} is not in the tree: {short(above.path)} {told}"
        return f"there is no {kind} {short(path)} at this commit{self._near(path)}"

    def _near(self, path: str) -> str:
        """What was perhaps meant: another case, a longer path, the same name, a similar name."""
        folded = path.replace("\\", "/").strip("/. ").casefold()
        if not folded:
            return ""
        last = folded.rpartition("/")[2]
        lower = {found: found.casefold() for found in self._entries}
        near = [found for found, it in lower.items() if it == folded]
        near += [found for found, it in lower.items() if it.endswith(f"/{folded}")]
        near += [found for found, it in lower.items() if it.rpartition("/")[2] == last]
        if not near:
            near = _similar(last, lower)
        listed = ", ".join(short(found) for found in list(dict.fromkeys(near))[:_MOST_NEAR])
        return f"; near: {listed}" if listed else ""


def _similar(wanted: str, lower: dict[str, str]) -> list[str]:
    by_name = {it.rpartition("/")[2][:_LONGEST_COMPARED]: found for found, it in lower.items()}
    names = list(by_name)[:_MOST_COMPARED]
    found = get_close_matches(wanted[:_LONGEST_COMPARED], names, n=3, cutoff=0.75)
    return [by_name[one] for one in found]


def _in_git_folder(path: str) -> bool:
    return ".git" in path.casefold().split("/")


def _problem(path: str) -> str | None:
    """Why a text can be no path of a tree."""
    parts = path.split("/")
    if "\0" in path:
        return "holds a NUL character: no path does"
    if path.startswith("/"):
        return "is an absolute path: give it from the tree's root, such as src/main.py"
    if ".." in parts:
        return "leaves its folder with ..: give the path from the tree's root"
    if _in_git_folder(path):
        return "is one of git's own files: they are not part of the tree"
    if "." in parts or "" in parts[:-1]:
        return "is not spelled as the tree spells it: no . and no empty parts"
    return None


def _not_read(entry: Entry) -> str:
    return {
        "symlink": "is a symbolic link: links are not followed; name the file itself",
        "submodule": "is a submodule: its files are not part of this tree",
        "unreadable": "cannot be read here",
    }[entry.kind]
