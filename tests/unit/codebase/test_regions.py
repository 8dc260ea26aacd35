from hypothesis import given
from hypothesis import strategies as st

from resolveflow.codebase.definitions import find_definitions
from resolveflow.codebase.regions import MOST_LINES, regions
from resolveflow.domain.exploration import Symbol


def cut(text: str) -> list[Symbol]:
    found = find_definitions([text.encode()], ["python"])
    named = [(int(line), found.name(row)) for row, line in enumerate(found.lines)]
    return regions(named, text.count("\n") + (not text.endswith("\n")))


def test_a_region_begins_at_a_definition_and_short_ones_share_one() -> None:
    text = "import x\n\n" + "def first():\n" + "    x()\n" * 9 + "def second():\n    y()\n"
    text += "def third():\n    z()\n"
    found = [(r.name, r.start_line, r.end_line) for r in cut(text)]
    assert found == [("first", 1, 12), ("second", 13, 16)]


def test_a_long_definition_is_cut() -> None:
    found = cut("def long():\n" + "    x()\n" * 200)
    assert len(found) > 1
    assert {region.name for region in found} == {"long"}


@given(st.lists(st.sampled_from(["def f():", "    x = 1", "", "class A:"]), max_size=300))
def test_regions_cover_every_line_once(lines: list[str]) -> None:
    text = "\n".join(lines)
    covered = [n for r in cut(text) for n in range(r.start_line, r.end_line + 1)]
    assert covered == list(range(1, len(covered) + 1))
    assert len(covered) >= len(text.splitlines())
    assert all(r.end_line - r.start_line < MOST_LINES for r in cut(text))
