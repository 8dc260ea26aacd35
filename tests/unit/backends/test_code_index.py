import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from datetime import UTC, datetime

import pytest

from resolveflow.backends.code_index import StoredCodeIndex
from resolveflow.backends.work_tree import SHALLOW
from resolveflow.domain.errors import InvalidPattern
from resolveflow.domain.report import IssueEvidence, TreeRef
from resolveflow.ports import Commit
from resolveflow.testing.memory_repository import MemoryRepository

FILES = {
    "shop/cart.py": b"class Cart:\n    def total(self):\n        return sum(self.prices)\n",
    "shop/stock.py": b"def reserve(item):\r\n    item.held += 1\r\n\r\ndef release(item): pass\r\n",
    "shop/wide.py": "def breite(straße):\n    return 1\n".encode("utf-16"),
    "README.md": b"# Shop\n",
}
COMMITS = (
    Commit(
        sha="a" * 40,
        time=datetime(2026, 1, 2, tzinfo=UTC),
        subject="Stop the warehouse from overselling",
        paths=("shop/stock.py", "lost-\udcff.py"),
    ),
)
REPORT = IssueEvidence(
    source="test", target=None, title="Overselling from the warehouse", body="", content_hash=""
)


class Counting(MemoryRepository):
    """Keeps the blobs that were read, and how often the history was; `lost` ones are missing."""

    def __init__(
        self, files: dict[str, bytes], *, commit: str = "c1", lost: Sequence[str] = ()
    ) -> None:
        ref = TreeRef(location="/src/shop", kind="git", commit=commit, reason="")
        super().__init__(files, ref=ref, commits=COMMITS)
        self.read_ids: list[str] = []
        self.histories = 0
        self._lost = lost

    async def blobs(self, ids: Iterable[str]) -> AsyncIterator[tuple[str, bytes]]:
        wanted = list(ids)
        self.read_ids += wanted
        async for blob, data in super().blobs(wanted):
            if blob not in self._lost:
                yield blob, data

    async def history(self, limit: int) -> Sequence[Commit]:
        self.histories += 1
        return await super().history(limit)


async def test_the_next_process_reads_only_the_shown_files(tmp_path):
    first, again = Counting(FILES), Counting(FILES)
    found = await StoredCodeIndex(tmp_path).localize(REPORT, first, 1)
    assert await StoredCodeIndex(tmp_path).localize(REPORT, again, 1) == found
    assert [suspect.path for suspect in found.suspects] == ["shop/stock.py"]
    assert (len(again.read_ids), again.histories) == (1, 0)


async def test_another_commit_reads_only_what_is_new(tmp_path):
    await StoredCodeIndex(tmp_path).tree_index(Counting(FILES))
    changed = Counting(FILES | {"shop/new.py": b"def refund(): pass\n"}, commit="c2")
    tree = await StoredCodeIndex(tmp_path).tree_index(changed)
    assert len(set(changed.read_ids)) == 1
    assert tree.files.rarity("refund") > 0
    assert tree.files.rarity("straße"[:4]) > 0


async def test_a_tree_joined_from_parts_scores_the_same(tmp_path):
    whole = await StoredCodeIndex(tmp_path / "a").tree_index(Counting(FILES))
    for number, path in enumerate(sorted(FILES), 1):
        some = dict(list(sorted(FILES.items()))[:number])
        tree = await StoredCodeIndex(tmp_path / "b").tree_index(Counting(some, commit=path))
    asked = {"item": 1.0, "cart": 2.0, "breite": 1.0, "prices": 1.0}
    assert tree.files.scores(asked).tolist() == whole.files.scores(asked).tolist()
    assert list(tree.regions) == list(whole.regions)


async def test_a_missing_file_is_said_and_the_others_are_ranked(tmp_path):
    entries = await Counting(FILES).entries()
    lost = [entry.blob for entry in entries if entry.path == "shop/cart.py"]
    found = await StoredCodeIndex(tmp_path).localize(REPORT, Counting(FILES, lost=lost), 3)
    said = "Ranked by their path alone, as missing from the repository: 1 of them."
    assert said in found.not_examined
    assert found.suspects[0].path == "shop/stock.py"


async def test_lines_that_hold_a_text_or_match_an_expression(tmp_path):
    index, tree = StoredCodeIndex(tmp_path), Counting(FILES)
    (held,) = await index.search(tree, "held += 1", 10)
    assert (held.path, held.line, held.text) == ("shop/stock.py", 2, "    item.held += 1")
    found = await index.search(tree, r"^def (\w+)", 10, regex=True)
    assert [(one.path, one.line) for one in found] == [
        ("shop/stock.py", 1),
        ("shop/stock.py", 4),
        ("shop/wide.py", 1),
    ]
    assert len(await index.search(tree, r"def", 2, regex=True)) == 2


async def test_an_expression_that_is_none_is_refused(tmp_path):
    with pytest.raises(InvalidPattern, match=r"'\(' is no regular expression"):
        await StoredCodeIndex(tmp_path).search(Counting(FILES), "(", 1, regex=True)


async def test_definitions_of_a_name_as_it_is_spelled(tmp_path):
    index = StoredCodeIndex(tmp_path)
    (found,) = await index.definitions(Counting(FILES), "release")
    assert (found.path, found.start_line, found.signature) == (
        "shop/stock.py",
        4,
        "def release(item): pass",
    )
    assert await index.definitions(Counting(FILES), "Release") == ()


async def test_a_definition_ends_where_its_body_does(tmp_path):
    index = StoredCodeIndex(tmp_path)
    (cart,) = await index.definitions(Counting(FILES), "Cart")
    (total,) = await index.definitions(Counting(FILES), "total")
    (reserve,) = await index.definitions(Counting(FILES), "reserve")
    places = [(one.start_line, one.end_line) for one in (cart, total, reserve)]
    assert places == [(1, 3), (2, 3), (1, 2)]


async def test_the_map_leans_to_the_report(tmp_path):
    index, tree = StoredCodeIndex(tmp_path), Counting(FILES)
    text = await index.map(tree, 200)
    assert "class Cart" in text
    about = await index.map(tree, 200, "reserve() counts twice")
    assert about.index("shop/stock.py") < about.index("shop/cart.py")


async def test_many_commits_do_not_pile_up(tmp_path):
    for number in range(30):
        files = FILES | {"shop/n.py": b"def name_%d(): pass\n" % number}
        index = StoredCodeIndex(tmp_path)
        tree = await index.tree_index(Counting(files, commit=f"c{number}"))
    assert tree.files.rarity("name_29") > 0
    assert tree.files.rarity("name_1") == 0
    (store,) = (tmp_path / "indexes").glob("*.db")
    assert store.stat().st_size < 400_000


async def test_tasks_that_ask_at_once_share_one_index(tmp_path):
    index, tree = StoredCodeIndex(tmp_path), Counting(FILES)
    first, second = await asyncio.gather(index.tree_index(tree), index.tree_index(tree))
    assert first is second


async def test_the_history_of_a_shallow_clone_is_asked_for_again(tmp_path):
    ref = TreeRef(location="/src/shop", kind="git", commit="c1", reason="", gaps=(SHALLOW,))
    shallow = MemoryRepository(FILES, ref=ref)
    before = await StoredCodeIndex(tmp_path).tree_index(shallow)
    after = await StoredCodeIndex(tmp_path).tree_index(Counting(FILES))
    assert (len(before.commits), len(after.commits)) == (0, 1)


@pytest.mark.parametrize(
    "pattern", ["a{99999999999999999999}", "(" * 900, "\ud800", "x" * 1_001], ids=repr
)
async def test_no_expression_gives_another_error(pattern, tmp_path):
    with pytest.raises(InvalidPattern):
        await StoredCodeIndex(tmp_path).search(Counting(FILES), pattern, 1, regex=True)


async def test_a_questionable_expression_is_only_searched_for(tmp_path):
    assert await StoredCodeIndex(tmp_path).search(Counting(FILES), "[[z]", 1, regex=True) == ()


async def test_an_expression_without_an_end_is_given_up(tmp_path):
    tree = Counting({"a.py": b"x = '" + b"a" * 40 + b"!'\n"})
    with pytest.raises(InvalidPattern, match="make it simpler"):
        await StoredCodeIndex(tmp_path, match_seconds=0.2).search(tree, r"(a|aa)+\d", 1, regex=True)
