import asyncio
import sys
from collections.abc import AsyncIterator, Iterable

import pytest

from resolveflow.backends import code_store
from resolveflow.backends.code_trees import CodeTrees
from resolveflow.backends.repository_open import RepositoryOpener
from resolveflow.codebase.code_tree import CodeTree
from resolveflow.domain.report import TreeRef
from resolveflow.testing.memory_repository import MemoryRepository
from tests.git_trees import commit, git
from tests.unit.codebase.code_trees import SHOP

FILES = {path: text.encode() for path, text in SHOP.items()}


class Counting(MemoryRepository):
    """Keeps the ids that were read; those in `lost` are missing."""

    read_ids: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()

    async def blobs(self, ids: Iterable[str]) -> AsyncIterator[tuple[str, bytes]]:
        wanted = list(ids)
        self.read_ids += tuple(wanted)
        async for blob, data in super().blobs(wanted):
            if blob not in self.lost:
                yield blob, data


def repository(files=FILES, location="/src/shop", name="c1", **more) -> Counting:
    ref = TreeRef(location=location, kind="git", commit=name, reason="")
    return Counting(files, ref=ref, **more)


def names(tree: CodeTree) -> list[str]:
    return [tree.definitions.name(row) for row in range(len(tree.definition_names))]


async def test_a_tree_is_read_once_for_all_processes(tmp_path):
    first, again = repository(), repository()
    tree = await CodeTrees(tmp_path).tree(first)
    kept = await CodeTrees(tmp_path).tree(again)
    assert len(first.read_ids) == 4
    assert again.read_ids == ()
    assert (kept.paths, kept.skipped, names(kept)) == (tree.paths, tree.skipped, names(tree))
    assert ("README.md", "not source") in tree.skipped
    assert ("web/static/jquery.min.js", "minified") in tree.skipped


async def test_another_commit_reads_only_what_is_new(tmp_path):
    await CodeTrees(tmp_path).tree(repository())
    changed = repository(FILES | {"shop/new.py": b"def added_later(): pass\n"}, name="c2")
    tree = await CodeTrees(tmp_path).tree(changed)
    assert len(changed.read_ids) == 1
    assert "added_later" in names(tree)
    moved = repository({f"moved/{path}": data for path, data in FILES.items()}, name="c3")
    assert len((await CodeTrees(tmp_path).tree(moved)).paths) == 4
    assert moved.read_ids == ()


async def test_a_tree_made_in_parts_is_the_same(tmp_path):
    whole = await CodeTrees(tmp_path / "a").tree(repository())
    for number, path in enumerate(sorted(FILES), 1):
        some = dict(list(sorted(FILES.items()))[:number])
        last = await CodeTrees(tmp_path / "b").tree(repository(some, name=path))
    assert (last.paths, names(last)) == (whole.paths, names(whole))
    assert last.use_names.tolist() == whole.use_names.tolist()


async def test_many_commits_do_not_pile_up(tmp_path):
    for number in range(code_store.MOST_PACKS + 3):
        files = FILES | {"shop/n.py": b"def name_%d(): pass\n" % number}
        tree = await CodeTrees(tmp_path).tree(repository(files, name=f"c{number}"))
        assert f"name_{number}" in names(tree)
    (path,) = (tmp_path / "indexes").glob("*.db")
    assert len(code_store.CodeStore(path).packs("facts")) < 10
    back = repository(FILES | {"shop/n.py": b"def name_0(): pass\n"}, name="c0")
    assert "name_0" in names(await CodeTrees(tmp_path).tree(back))
    assert len(back.read_ids) == 1


async def test_a_missing_blob_is_said_and_read_once_it_is_there(tmp_path):
    partial = repository()
    entries = {entry.path: entry.blob for entry in await partial.entries()}
    partial.lost = (entries["shop/cart.py"],)
    tree = await CodeTrees(tmp_path).tree(partial)
    assert ("shop/cart.py", "missing from the repository") in tree.skipped
    assert "shop/cart.py" in (await CodeTrees(tmp_path).tree(repository())).paths


async def test_odd_files_have_a_reason_or_a_row(tmp_path):
    odd = repository(
        {
            "utf16.py": "def wide_name(): pass\n".encode("utf-16"),
            "crlf.py": b"def crlf_name():\r\n    pass\r\n",
            "na\udcefve.py": b"def odd_path(): pass\n",
            "one_line.js": b"var a=1;" * 100_000,
            "large.py": b"x = 1\n" * 200_000,
            "binary.py": b"\0" * 100,
            "lfs.py": b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
            "same.py": b"def crlf_name():\r\n    pass\r\n",
            "same.js": b"def crlf_name():\r\n    pass\r\n",
            "empty.py": b"",
        },
        links={"loop.py": b"loop.py"},
        submodules={"sub.py": "0" * 40},
    )
    tree = await CodeTrees(tmp_path).tree(odd)
    assert names(tree) == ["crlf_name", "odd_path", "crlf_name", "wide_name"]
    assert dict(tree.skipped) == {
        "binary.py": "binary",
        "large.py": "too large",
        "lfs.py": "an LFS pointer",
        "loop.py": "symlink",
        "one_line.js": "minified",
        "sub.py": "submodule",
    }


async def test_an_empty_tree(tmp_path):
    assert (await CodeTrees(tmp_path).tree(repository({}))).paths == ()
    assert (await CodeTrees(tmp_path).tree(repository({}))).paths == ()


async def test_a_few_trees_stay_in_memory(tmp_path):
    trees = CodeTrees(tmp_path)
    first = await trees.tree(repository())
    assert await trees.tree(repository()) is first
    for name in ("c2", "c3"):
        await trees.tree(repository(name=name))
    assert await trees.tree(repository()) is not first


async def test_processes_at_once_make_one_good_store(tmp_path):
    commit(tmp_path / "work", FILES)
    program = (
        "import asyncio, sys\n"
        "from pathlib import Path\n"
        "from resolveflow.backends.code_trees import CodeTrees\n"
        "from resolveflow.backends.repository_open import RepositoryOpener\n"
        "async def main():\n"
        "    home = Path(sys.argv[1])\n"
        "    repository = await RepositoryOpener(home)(sys.argv[2])\n"
        "    print(len((await CodeTrees(home).tree(repository)).paths))\n"
        "asyncio.run(main())\n"
    )
    started = [
        await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", program, str(tmp_path / "home"), str(tmp_path / "work")),
            stdout=asyncio.subprocess.PIPE,
        )
        for _ in range(4)
    ]
    assert [(await one.communicate())[0] for one in started] == [b"4\n"] * 4
    again = await RepositoryOpener(tmp_path / "home")(str(tmp_path / "work"))
    assert len((await CodeTrees(tmp_path / "home").tree(again)).paths) == 4


async def test_worktrees_share_what_is_known(tmp_path):
    commit(tmp_path / "work", FILES)
    git(tmp_path / "work", "worktree", "add", "--quiet", "../other")
    home = tmp_path / "home"
    opener = RepositoryOpener(home)
    await CodeTrees(home).tree(await opener(str(tmp_path / "work")))
    await CodeTrees(home).tree(await opener(str(tmp_path / "other")))
    assert len(list((home / "indexes").glob("*.db"))) == 1


@pytest.mark.parametrize("place", ["directory", "bare"])
async def test_other_places_give_the_same_tree(tmp_path, place):
    commit(tmp_path / "work", FILES)
    if place == "bare":
        git(tmp_path, "clone", "--quiet", "--bare", "work", "place")
    else:
        git(tmp_path / "work", "checkout-index", "--all", f"--prefix={tmp_path}/place/")
    opener = RepositoryOpener(tmp_path / "home")
    trees = [
        await CodeTrees(tmp_path / "home").tree(await opener(str(tmp_path / name)))
        for name in ("work", "place")
    ]
    assert trees[0].paths == trees[1].paths
    assert names(trees[0]) == names(trees[1])
