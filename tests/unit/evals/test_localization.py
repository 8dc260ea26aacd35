import json
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from resolveflow.domain.errors import InvalidReport
from resolveflow.evals.localization import (
    NOT_PRESENT,
    NOT_RANKED,
    Measured,
    Outcome,
    Signals,
    gold_ranks,
    measure,
)
from resolveflow.evals.localization_data import Row, function_lines, read_rows
from resolveflow.evals.localization_fit import fit
from resolveflow.evals.localization_lines import VIEWS, Seen
from resolveflow.evals.localization_repositories import Repositories
from resolveflow.evals.localization_summary import summarize
from resolveflow.evals.metrics import estimate, file_samples, region_samples
from resolveflow.testing.memory_repository import MemoryRepository

FILES = {
    "src/cart.py": b"class Cart:\n    def total(self):\n        return sum(self.prices)\n",
    "src/invoice.py": b'def render(order):\n    raise ValueError("no address")\n',
    "src/stock.py": b"def reserve(item):\n    item.held += 1\n",
    "tests/test_cart.py": b"def test_total():\n    assert Cart().total() == 0\n",
}
ROWS = (
    Row(
        id="shop-1",
        repo="acme/shop",
        base_commit="c1",
        gold_files=("src/cart.py",),
        gold_functions={"src/cart.py": ("Cart.total",)},
        issue_title="The cart's total is wrong",
        issue_body=None,
        language="python",
    ),
    Row(
        id="shop-2",
        repo="acme/shop",
        base_commit="c1",
        gold_files=("src/cart.py", "src/gone.py", "tests/test_cart.py"),
        issue_title="",
        issue_body="see src/stock.py",
        names_a_path=True,
    ),
    Row(id="none-1", repo="acme/none", base_commit="c1", gold_files=("a.py",), issue_title="a"),
    Row(id="shop-3", repo="acme/shop", base_commit="c1", gold_files=("gone.py",), issue_title="a"),
)


class Opener:
    """Opens one tree in `acme__shop` and counts how often."""

    def __init__(self) -> None:
        self.opened = 0

    async def __call__(
        self,
        location: str,
        *,
        commit: str | None = None,
        version: str | None = None,
        date: datetime | None = None,
    ) -> MemoryRepository:
        assert location.endswith("/acme__shop")
        assert commit == "c1"
        self.opened += 1
        return MemoryRepository(FILES)


async def run(directory: Path, opener: Opener | None = None) -> tuple[Measured, list[str]]:
    told = []

    async def tell(line: str) -> None:
        told.append(line)

    (directory / "acme__shop").mkdir(exist_ok=True)
    repositories = Repositories(directory, open_repository=opener or Opener())
    measured = await measure(ROWS, directory / "kept", repositories=repositories, tell=tell)
    return measured, told


async def test_ranks_of_all_methods_and_of_regions(tmp_path: Path) -> None:
    measured, told = await run(tmp_path)
    first, second = measured.outcomes
    assert first.ranks == {"resolveflow": (1,), "bm25": (1,), "named+bm25": (1,)}
    assert (first.region, first.has_functions) == (1, True)
    assert first.seen == {view: Seen(share=1.0, lines=3) for view in VIEWS}
    assert second.ranks["resolveflow"][1:] == (4, 4), "a gold file that is not ranked is last"
    assert (second.region, second.has_functions, second.seen) == (None, False, {})
    assert told == ["1/4 shop-1: 1", f"2/4 shop-2: {second.ranks['resolveflow'][0]}"]


async def test_gold_files_that_cannot_be_found_are_told(tmp_path: Path) -> None:
    measured, _ = await run(tmp_path)
    first, second = measured.outcomes
    assert first.unranked == {}
    assert second.unranked == {"src/gone.py": NOT_PRESENT, "tests/test_cart.py": NOT_RANKED}
    assert measured.skipped == {
        "none-1": f"{tmp_path}/acme__none does not exist: put a git directory of acme/none there, "
        "or add --fetch.",
        "shop-3": "none of its gold files is in acme/shop at c1: gone.py",
    }


async def test_what_was_measured_is_not_measured_again(tmp_path: Path) -> None:
    opener = Opener()
    before, _ = await run(tmp_path, opener)
    opened = opener.opened
    after, _ = await run(tmp_path, opener)
    assert opener.opened == opened + 1, "what could not be measured is tried again"
    assert after.outcomes == before.outcomes
    assert np.array_equal(after.signals[0].scores, before.signals[0].scores)


def damage(cache: Path) -> None:
    for kept in cache.glob("*.json"):
        kept.write_text("{")
    for kept in list(cache.glob("*.npz"))[:1]:
        kept.write_bytes(b"PK")


async def test_a_kept_outcome_that_is_damaged_is_measured_again(tmp_path: Path) -> None:
    before, _ = await run(tmp_path)
    damage(tmp_path / "kept")
    after, _ = await run(tmp_path)
    assert [one.ranks for one in after.outcomes] == [one.ranks for one in before.outcomes]


async def test_the_summary(tmp_path: Path) -> None:
    measured, _ = await run(tmp_path)
    summary = summarize(measured, fit(measured))
    assert summary.rows == 2
    assert summary.files["resolveflow"]["hit@1"].value == 0.5
    assert summary.gains["bm25"]["mrr"].value == 0
    assert summary.slices["neither"].rows == 1
    assert summary.slices["names a path"].rows == 1
    assert summary.slices["in python"].regions["region_hit@1"].value == 1
    assert summary.fit is not None


@pytest.mark.parametrize(
    ("files", "size"),
    [(200, "up to 200"), (201, "201 to 1000"), (1000, "201 to 1000"), (1001, "over 1000")],
)
def test_slices_by_size(files: int, size: str) -> None:
    one = outcome(1, "a").model_copy(update={"tree_files": files, "ranks": RANKS})
    summary = summarize(Measured(outcomes=(one,), signals=(), skipped={}))
    assert [name for name in summary.slices if "source files" in name] == [f"{size} source files"]


def test_line_coverage_counts_only_reports_whose_lines_are_known() -> None:
    seen = {view: Seen(share=0.5, lines=40) for view in VIEWS}
    more = {view: Seen(share=1.0, lines=60) for view in VIEWS}
    outcomes = tuple(
        outcome(number, "a").model_copy(update={"seen": lines, "ranks": RANKS})
        for number, lines in enumerate([seen, {}, more])
    )
    part = summarize(Measured(outcomes=outcomes, signals=(), skipped={})).slices["all"]
    assert (part.rows, part.lined) == (3, 2)
    assert part.lines["files@5"].value == 0.75
    assert part.lines_shown["regions@10"].value == 50


def test_gains_of_a_slice_are_paired_with_bm25() -> None:
    ranks = {"resolveflow": (1,), "bm25": (2,), "named+bm25": (1,)}
    one = outcome(1, "a").model_copy(update={"ranks": ranks})
    gains = summarize(Measured(outcomes=(one,), signals=(), skipped={})).slices["all"].gains
    assert (gains["mrr"].value, gains["hit@1"].value, gains["hit@3"].value) == (0.5, 1, 0)


def test_no_rows_are_a_summary_too() -> None:
    summary = summarize(Measured(outcomes=(), signals=(), skipped={}))
    assert (summary.rows, summary.repositories, summary.slices) == (0, 0, {})
    assert summary.files["resolveflow"]["hit@5"].value == 0


RANKS = {"resolveflow": (1,), "bm25": (2,), "named+bm25": (2,)}


def outcome(number: int, repo: str) -> Outcome:
    return Outcome(
        id=str(number),
        repo=repo,
        language="python",
        has_traceback=False,
        names_a_path=False,
        tree_files=3,
        ranks={},
        has_functions=False,
        region=None,
        seen={},
        unranked={},
        milliseconds=1.0,
    )


def test_fit_finds_the_signal_that_tells_and_never_uses_the_held_out_repository() -> None:
    # In repositories a and b the first signal is right and the second wrong; c is the reverse.
    right, wrong = [0.0, 0.0, 1.0], [1.0, 0.6, 0.0]
    signals = [
        Signals(
            scores=np.array(
                [[right, wrong][repo == "c"], [wrong, right][repo == "c"], *[[0.0] * 3] * 7]
            ),
            importance=np.ones(3, dtype=np.float32),
            gold=np.array([2]),
        )
        for repo in "aabbc"
    ]
    measured = Measured(
        outcomes=tuple(outcome(n, repo) for n, repo in enumerate("aabbc")),
        signals=tuple(signals),
        skipped={},
    )
    chosen = fit(measured)
    first, second = list(chosen.weights.values())[:2]
    assert first > second
    assert chosen.held_out_ranks[:4] == ((1,),) * 4
    assert chosen.held_out_ranks[4] != (1,)


def test_gold_ranks_count_ties_in_the_order_of_paths() -> None:
    assert gold_ranks(np.array([0.5, 0.5, 0.0]), [1, 0]) == (1, 2)
    assert gold_ranks(np.array([0.5, 0.9]), [0], missing=2) == (2, 3, 3)


def test_samples_count_hits() -> None:
    samples = file_samples([(1, 12), (4,)])
    assert samples["hit@1"].tolist() == [1, 0]
    assert samples["hit@5"].tolist() == [1, 1]
    assert samples["mrr"].tolist() == [1, 0.25]
    assert samples["all@10"].tolist() == [0, 1]
    assert region_samples([None, 5])["region_hit@5"].tolist() == [0, 1]


def test_an_interval_holds_its_mean_and_is_the_same_each_time() -> None:
    sample = np.array([0.0, 1.0, 1.0, 1.0] * 10)
    one = estimate(sample)
    assert one.low < one.value == 0.75 < one.high
    assert one == estimate(sample)


def test_function_lines() -> None:
    text = "class A:\n    x = 1\n    def f(self):\n        y()\n    def g(self):\n        z()\n"
    text += "def f():\n    pass\n"
    assert function_lines("a.py", text, ["A.g"]) == [(5, 6)]
    assert function_lines("a.py", text, ["A (class body)"]) == [(1, 2)]
    assert function_lines("a.py", text, ["f"]) == [(3, 4), (7, 8)]
    assert function_lines("a.py", text, ["h"]) == []


def test_rows_are_read_in_the_order_of_their_trees(tmp_path: Path) -> None:
    data = tmp_path / "rows.jsonl"
    kept = {"base_commit": "c", "gold_files": ["a"], "unknown": 1}
    lines = [json.dumps({"id": repo, "repo": repo, **kept}) for repo in ("b/b", "a/a")]
    data.write_text("\n".join([lines[0], "", lines[1]]))
    assert [row.id for row in read_rows(data).rows] == ["a/a", "b/b"]


GOOD = {"id": "x", "repo": "a/b", "base_commit": "c", "gold_files": ["a.py"]}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "Invalid JSON"),
        ("\x00", "Invalid JSON"),
        ("[" * 100_000, "Invalid JSON"),
        ("[]", "object"),
        ('{"id": "x"}', "repo: Field required; base_commit: Field required; gold_files: Field"),
        (json.dumps(GOOD | {"gold_files": []}), "gold_files: Tuple should have at least 1 item"),
        (json.dumps(GOOD | {"repo": "../b"}), "repo: String should match"),
        (json.dumps(GOOD | {"repo": "a/.."}), "repo: String should match"),
        (json.dumps(GOOD | {"changed_lines": {"a.py": [[0, 2]]}}), "changed_lines.a.py.0.0"),
        (json.dumps(GOOD | {"changed_lines": {"a.py": [[3, 2]]}}), "last line is before the first"),
    ],
)
def test_a_line_that_is_no_row_is_told(tmp_path: Path, line: str, said: str) -> None:
    data = tmp_path / "rows.jsonl"
    data.write_text(f"\n{line}\n{json.dumps(GOOD)}\n")
    read = read_rows(data)
    assert [row.id for row in read.rows] == ["x"]
    (problem,) = read.problems
    assert problem.startswith("line 2: ")
    assert said in problem
    assert "\n" not in problem


def test_an_id_that_comes_again_is_told(tmp_path: Path) -> None:
    data = tmp_path / "rows.jsonl"
    data.write_text(f"{json.dumps(GOOD)}\n{json.dumps(GOOD)}")
    assert read_rows(data).problems == ("line 2: the id 'x' was there before",)


def test_a_string_may_hold_any_character_that_json_allows(tmp_path: Path) -> None:
    data = tmp_path / "rows.jsonl"
    row = json.dumps(GOOD | {"issue_body": "one\u2028two"}, ensure_ascii=False)
    data.write_text(f"\ufeff{row}\r\n", "utf-8")
    assert read_rows(data).rows[0].issue_body == "one\u2028two"


@pytest.mark.parametrize("content", [b"\xff\xfe", b"", b" \n"])
def test_a_file_of_no_rows_is_one_clear_line(tmp_path: Path, content: bytes) -> None:
    data = tmp_path / "rows.jsonl"
    data.write_bytes(content)
    with pytest.raises(InvalidReport, match=r"no UTF-8 text|holds no reports"):
        read_rows(data)


def test_a_missing_file_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(InvalidReport, match="cannot be read"):
        read_rows(tmp_path / "none.jsonl")
