"""What every CodeIndex promises. A backend's suite inherits it and provides the fixture `index`.

The tree is `repository()`; an index that answers from a script answers for that tree.
"""

from datetime import UTC, datetime

import pytest

from resolveflow.domain.errors import InvalidPattern
from resolveflow.domain.report import IssueEvidence
from resolveflow.ports import CodeIndex, Commit, Repository
from resolveflow.testing.memory_repository import MemoryRepository

FILES = {
    "shop/cart.py": b"class Cart:\n    def total(self):\n        return round_price(1)\n",
    "shop/money.py": b"def round_price(price):\n    return price\n",
    "shop/stock.py": b"def reserve(item):\n    return round_price(item)\n",
}
REPORT = IssueEvidence(
    source="promises",
    target=None,
    title="round_price is wrong",
    body="`round_price` in shop/money.py returns too much",
    content_hash="",
)


def repository() -> Repository:
    """The tree that the promises are about."""
    commit = Commit(
        sha="a" * 40,
        time=datetime(2026, 1, 2, tzinfo=UTC),
        subject="Round",
        paths=("shop/money.py",),
    )
    return MemoryRepository(FILES, commits=(commit,))


class CodeIndexPromises:
    """The promises; a method each."""

    async def test_the_likeliest_file_comes_first_with_reasons(self, index: CodeIndex) -> None:
        """And scores fall."""
        found = (await index.localize(REPORT, repository(), 3)).suspects
        assert found[0].path == "shop/money.py"
        assert found[0].reasons
        assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)

    async def test_no_more_than_asked_for(self, index: CodeIndex) -> None:
        """Neither suspects nor lines."""
        assert len((await index.localize(REPORT, repository(), 1)).suspects) == 1
        assert len(await index.search(repository(), "round_price", 2)) == 2

    async def test_what_was_not_examined_is_said(self, index: CodeIndex) -> None:
        """In sentences."""
        assert all((await index.localize(REPORT, repository(), 1)).not_examined)

    async def test_lines_come_in_order_of_path(self, index: CodeIndex) -> None:
        """Each with its number from 1 and its text."""
        found = await index.search(repository(), "round_price", 9)
        assert [(one.path, one.line) for one in found] == [
            ("shop/cart.py", 3),
            ("shop/money.py", 1),
            ("shop/stock.py", 2),
        ]
        assert found[1].text == "def round_price(price):"

    async def test_an_expression_matches_within_lines(self, index: CodeIndex) -> None:
        """A text that is none is taken as it is spelled."""
        found = await index.search(repository(), r"^def (round|reserve)", 9, regex=True)
        assert [one.path for one in found] == ["shop/money.py", "shop/stock.py"]
        assert await index.search(repository(), r"^def (round|reserve)", 9) == ()

    async def test_an_expression_that_is_none_is_refused(self, index: CodeIndex) -> None:
        """With its own error."""
        with pytest.raises(InvalidPattern):
            await index.search(repository(), "(", 9, regex=True)

    async def test_a_name_is_found_as_it_is_spelled(self, index: CodeIndex) -> None:
        """With the lines of its definition."""
        (found,) = await index.definitions(repository(), "round_price")
        assert (found.path, found.start_line, found.end_line) == ("shop/money.py", 1, 2)
        assert await index.definitions(repository(), "Round_price") == ()

    async def test_a_map_is_the_same_each_time(self, index: CodeIndex) -> None:
        """And names the key definitions."""
        text = await index.map(repository(), 500)
        assert "round_price" in text
        assert await index.map(repository(), 500) == text
