from datetime import UTC, datetime

import pytest

from resolveflow.backends.code_index_memory import MemoryCodeIndex
from resolveflow.domain.crash import Crash, Frame
from resolveflow.domain.report import IssueEvidence
from resolveflow.ports import Commit
from resolveflow.testing.memory_repository import MemoryRepository

FILES = {
    "src/shop/cart.py": b"class Cart:\n    def total(self):\n        return sum(self.prices)\n",
    "src/shop/invoice.py": b'def render(order):\n    raise ValueError("no address")\n' * 3,
    "src/shop/stock.py": b"def reserve(item):\n    item.held += 1\n",
    "src/shop/codec.bin.py": b"\0\1\2",
    "tests/test_cart.py": b"def test_total():\n    assert Cart().total() == 0\n",
}
COMMITS = [
    Commit(
        sha="a" * 40,
        time=datetime(2026, 1, 2, tzinfo=UTC),
        subject="Stop the warehouse from overselling",
        paths=("src/shop/stock.py", "CHANGES.md"),
    )
]


def evidence(title: str, body: str = "", crashes: tuple[Crash, ...] = ()) -> IssueEvidence:
    return IssueEvidence(
        source="test", target=None, title=title, body=body, crashes=crashes, content_hash="0" * 64
    )


async def best(report: IssueEvidence, limit: int = 3) -> list[tuple[str, tuple[str, ...]]]:
    repository = MemoryRepository(FILES, commits=COMMITS)
    found = await MemoryCodeIndex().localize(report, repository, limit)
    return [(suspect.path, suspect.reasons) for suspect in found.suspects]


@pytest.mark.parametrize(
    ("report", "path", "reason"),
    [
        (evidence("Rendering an order: no address"), "src/shop/invoice.py", "the report's terms"),
        (evidence("Broken", "see `src/shop/stock.py`"), "src/shop/stock.py", "names 'src/shop/st"),
        (evidence("The cart is empty"), "src/shop/cart.py", "speaks of 'cart'"),
        (evidence("Overselling from the warehouse"), "src/shop/stock.py", "commit aaaaaaaaaa"),
        (
            evidence(
                "It fails",
                crashes=(
                    Crash(
                        type="ValueError",
                        message="",
                        frames=(Frame(file="/x/shop/invoice.py", line=2, function="render"),),
                    ),
                ),
            ),
            "src/shop/invoice.py",
            "render at line 2",
        ),
    ],
)
async def test_the_likeliest_file_comes_first_and_says_why(
    report: IssueEvidence, path: str, reason: str
) -> None:
    first, reasons = (await best(report))[0]
    assert first == path
    assert any(reason in one for one in reasons)


async def test_a_report_that_points_nowhere_has_no_suspects() -> None:
    assert await best(evidence("zzz qqq", "xxx")) == []


async def test_no_more_suspects_than_asked_for() -> None:
    assert len(await best(evidence("cart invoice stock shop"), limit=2)) == 2


async def test_what_was_not_ranked_is_said() -> None:
    repository = MemoryRepository(FILES, commits=COMMITS)
    found = await MemoryCodeIndex().localize(evidence("cart"), repository, 5)
    assert found.not_examined[0].startswith("Ranked 3 source files")
    assert any("1 source files are binary" in line for line in found.not_examined)


async def test_suspects_have_line_ranges_in_the_file() -> None:
    repository = MemoryRepository(FILES, commits=COMMITS)
    found = await MemoryCodeIndex().localize(evidence("cart total"), repository, 1)
    (symbol,) = found.suspects[0].symbols
    assert (symbol.name, symbol.start_line, symbol.end_line) == ("Cart", 1, 3)


async def test_an_empty_tree_has_no_suspects() -> None:
    found = await MemoryCodeIndex().localize(evidence("cart"), MemoryRepository({}), 5)
    assert found.suspects == ()
