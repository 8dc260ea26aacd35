from hypothesis import given
from hypothesis import strategies as st

from resolveflow.codebase.definitions import find_definitions
from resolveflow.codebase.regions import MOST_LINES, Begun, regions
from resolveflow.domain.exploration import Symbol


def cut(text: str) -> list[Symbol]:
    found = find_definitions([text.encode()], ["python"])
    begun = [
        Begun(int(line), found.name(row), int(found.indents[row]))
        for row, line in enumerate(found.lines)
    ]
    return regions(begun, text.encode())


def test_a_region_begins_at_a_definition_and_short_ones_share_one() -> None:
    text = "import x\n\n" + "def first():\n" + "    x()\n" * 9 + "def second():\n    y()\n"
    text += "def third():\n    z()\n"
    found = [(r.name, r.start_line, r.end_line) for r in cut(text)]
    assert found == [("first", 1, 12), ("second, third", 13, 16)]


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


def test_a_region_is_named_after_what_begins_in_it_or_what_it_is_in() -> None:
    text = "class Shop:\n" + "".join(f"    def f{n}(self):\n        x()\n" for n in range(4))
    text += "    def long(self):\n        def inner():\n            y()\n" + "        z()\n" * 150
    assert [r.name for r in cut(text)] == [
        "Shop, f0, f1, …",
        "long, inner",
        "long",
        "long",
    ]
    assert [r.name for r in cut("def f():\n    x()\n" + "y = 1\n" * 100)][1:] == [""]


def test_thousands_of_definitions_cost_no_more_than_their_number() -> None:
    begun = [Begun(line, f"f{line}", 4) for line in range(1, 200_000)]
    text = b"    def f(): pass\n" * 200_000 + b"x\n" * 200_000
    assert len(regions(begun, text)) > 25_000
