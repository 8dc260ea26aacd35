"""Paths of agents against a reference: the file system itself, asked with realpath."""

import asyncio
import os
import stat
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from resolveflow.backends.repository_open import RepositoryOpener
from resolveflow.explore.tools import Dispatcher
from resolveflow.testing.fixed_index import FixedCodeIndex
from tests import git_trees

FILES = {
    "a.py": b"own a\n",
    "src/a.py": b"own src a\n",
    "src/deep/b.py": b"own b\n",
    "src/A.py": b"own A\n",
    "..hidden": b"own hidden\n",
    "src/...": b"own dots\n",
    "~": b"own tilde\n",
    "-rf": b"own flag\n",
    "nl\n.py": b"own newline\n",
}
PIECES = st.sampled_from(
    [
        *sorted({part for path in FILES for part in path.split("/")}),
        *("", ".", "..", ".git", ".GIT", "config", "HEAD", "link.py", "linkdir", "outside", "proc"),
        *("self", "etc", "passwd", "fifo", "A", "b.PY", "a.py\0", "secret.txt", "a.py ", "ａ.py"),
        *("%2e%2e", "..\\a.py", "C:"),
    ]
)
PATHS = st.lists(PIECES, min_size=1, max_size=6).map("/".join) | st.text(max_size=12)


class Tree:
    """A tree on disk, with a way out of it, and the tools that read it as a repository."""

    def __init__(self, root: Path, home: Path) -> None:
        self.root = root
        opener = RepositoryOpener(home)
        repository = asyncio.run(opener(str(root)))
        self.tools = Dispatcher(repository=repository, index=FixedCodeIndex())

    def expected(self, path: str) -> bytes | None:
        """What a reader without a single special case may give: the realpath is the path itself."""
        if "\0" in path or ".git" in path.casefold().split("/"):
            return None
        whole = self.root / path if path else self.root
        if os.fspath(whole) != f"{self.root}/{path}" or os.path.realpath(whole) != str(whole):
            return None
        try:
            mode = whole.lstat().st_mode
        except (OSError, ValueError):
            return None
        return whole.read_bytes() if stat.S_ISREG(mode) else None


@pytest.fixture(scope="module", params=["git", "directory"])
def tree(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Tree:
    root = (tmp_path_factory.mktemp("tree") / "root").resolve()
    root.mkdir()
    (root.parent / "secret.txt").write_bytes(b"secret\n")
    git_trees.write(root, FILES)
    (root / "link.py").symlink_to(root.parent / "secret.txt")
    (root / "linkdir").symlink_to(root / "src")
    (root / "outside").symlink_to(root.parent)
    (root / "proc").symlink_to("/proc")
    if request.param == "git":
        git_trees.commit(root, {})
    os.mkfifo(root / "fifo")
    return Tree(root, tmp_path_factory.mktemp("home"))


@settings(max_examples=400)
@given(path=PATHS)
@example(path="src/a.py")
@example(path="../secret.txt")
@example(path="link.py")
@example(path="linkdir/a.py")
@example(path="outside/secret.txt")
@example(path="proc/self/environ")
@example(path=".git/config")
@example(path="fifo")
@example(path="~")
@example(path="..hidden")
@example(path="nl\n.py")
def test_a_path_reads_what_the_reference_reads_or_nothing(tree, path):
    expected = tree.expected(path)

    result = asyncio.run(tree.tools.call("read_lines", {"path": path}))

    assert result.is_error == (expected is None), result.text
    if expected is not None:
        assert result.text.endswith(f"| {expected.decode().strip()}")
    assert "secret\n" not in result.text
    assert not result.text.endswith("secret")


@settings(max_examples=200)
@given(path=PATHS)
def test_a_directory_lists_what_the_reference_lists_or_nothing(tree, path):
    result = asyncio.run(tree.tools.call("list_directory", {"path": path}))

    whole = Path(f"{tree.root}/{path}".removesuffix("/")) if "\0" not in path else None
    inside = whole is not None and os.path.realpath(whole) == str(whole) and whole.is_dir()
    named = path in ("", ".") or str(whole) == f"{tree.root}/{path}".removesuffix("/")
    git = ".git" in path.casefold().split("/")
    if path == ".":
        inside = True
    assert result.is_error == (not (inside and named and not git) or path.startswith("/"))
