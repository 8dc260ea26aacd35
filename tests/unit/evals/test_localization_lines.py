"""Line coverage, by hand-counted lines."""

import pytest

from resolveflow.domain.exploration import Suspect, Symbol
from resolveflow.evals.localization_lines import VIEWS, Seen, Spans, line_coverage


def region(path: str, tenth: int) -> tuple[str, Symbol]:
    """Ten lines: 1 to 10, 11 to 20, …"""
    return path, Symbol(name="f", start_line=10 * tenth + 1, end_line=10 * tenth + 10)


def suspect(path: str, *spans: tuple[int, int]) -> Suspect:
    symbols = tuple(Symbol(name="f", start_line=first, end_line=last) for first, last in spans)
    return Suspect(path=path, score=1.0, symbols=symbols)


def test_regions_are_counted_down_to_each_depth() -> None:
    gold = {"a.py": [(1, 10)], "b.py": [(11, 20)]}
    others = [region("a.py", tenth) for tenth in (2, 3, 4, 5)]
    seen = line_coverage(gold, [region("a.py", 0), *others, region("b.py", 1)], [])
    assert seen["regions@5"] == Seen(share=0.5, lines=50)
    assert seen["regions@10"] == Seen(share=1.0, lines=60)


def test_files_show_their_symbols_down_to_each_depth() -> None:
    others = [suspect(f"{n}.py", (1, 5)) for n in range(5)]
    suspects = [*others[:4], suspect("a.py", (1, 4), (9, 12)), suspect("b.py", (1, 10))]
    seen = line_coverage({"a.py": [(3, 10)], "b.py": [(1, 8)]}, [], suspects)
    assert seen["files@5"] == Seen(share=4 / 16, lines=28)
    assert seen["files@10"] == Seen(share=12 / 16, lines=38)


@pytest.mark.parametrize(
    ("gold", "share"),
    [
        ({"a.py": [(1, 5), (3, 10), (3, 4)]}, 1.0),  # a line that two functions hold counts once
        ({"a.py": [(10, 11)]}, 0.5),
        ({"b.py": [(1, 10)]}, 0.0),  # the same lines of another file
        ({"gone.py": [(1, 10)], "a.py": [(1, 10)]}, 0.5),
        ({"a.py": [(1, 10**12)]}, 10 / 10**12),
        ({}, 0.0),
        ({"a.py": []}, 0.0),
    ],
)
def test_the_share_is_of_different_gold_lines(gold: Spans, share: float) -> None:
    seen = line_coverage(gold, [region("a.py", 0)], [suspect("a.py", (1, 6), (5, 10))])
    assert seen == {view: Seen(share=share, lines=10) for view in VIEWS}
