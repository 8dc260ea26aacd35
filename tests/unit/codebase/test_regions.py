import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resolveflow.codebase.regions import MOST_LINES, definitions, regions
from resolveflow.domain.exploration import Symbol


def cut(text: str) -> list[Symbol]:
    return regions(definitions(text), text.count("\n") + (not text.endswith("\n")))


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("def parse(text):", "parse"),
        ("    async def parse(text):", "parse"),
        ("class Parser(Base):", "Parser"),
        ("export default async function parse(a) {", "parse"),
        ("export const parse = async (a, b) => {", "parse"),
        ("app.use = function use(fn) {", "use"),
        ("Parser.prototype.parse = function (a) {", "parse"),
        ("  static async parse(a) {", "parse"),
        ("  parse: function (a) {", "parse"),
        ("  parse: (a) => a,", "parse"),
        ("    public static List<String> parse(int a) throws X {", "parse"),
        ("override fun parse(a: Int): Int {", "parse"),
        ("private fun <T> KtClass.parse(a: T) = a", "parse"),
        ("func (p *Parser) Parse(a int) error {", "Parse"),
        ("pub(crate) fn parse<T>(a: T) {", "parse"),
        ("impl<T> Parser for X {", "Parser"),
        ("void Parser::parse(int a) const {", "parse"),
    ],
)
def test_definitions_of_many_languages(line: str, name: str) -> None:
    assert definitions(f"\n{line}\n") == [(2, name)]


@pytest.mark.parametrize(
    "line", ["if (a) {", "  } else if (a) {", "  return parse(a) {", "for (a of b) {", "parse(a);"]
)
def test_statements_are_no_definitions(line: str) -> None:
    assert definitions(line) == []


def test_a_region_begins_at_a_definition_and_short_ones_share_one() -> None:
    text = "import x\n\n" + "def first():\n" + "    x()\n" * 9 + "def second():\n    y()\n"
    text += "def third():\n    z()\n"
    found = [(r.name, r.start_line, r.end_line) for r in cut(text)]
    assert found == [("first", 1, 12), ("second", 13, 16)]


def test_a_long_definition_is_cut() -> None:
    found = cut("def long():\n" + "    x()\n" * 200)
    assert len(found) > 1
    assert {region.name for region in found} == {"long"}


@given(st.lists(st.sampled_from(["def f():", "    x = 1", "", "class A {"]), max_size=300))
def test_regions_cover_every_line_once(lines: list[str]) -> None:
    text = "\n".join(lines)
    covered = [n for r in cut(text) for n in range(r.start_line, r.end_line + 1)]
    assert covered == list(range(1, len(covered) + 1))
    assert len(covered) >= len(text.splitlines())
    assert all(r.end_line - r.start_line < MOST_LINES for r in cut(text))


@pytest.mark.parametrize(
    "text",
    [
        " " * 200_000,
        "a " * 100_000,
        "a(" * 100_000,
        "fun " + "a." * 100_000,
        "const a = (" + "a," * 100_000,
        "a<b " * 50_000 + "{",
        "\n" * 200_000,
        ("a " * 5 + "a(" + "b" * 290) * 600,
    ],
)
def test_hostile_source_costs_no_more_than_its_length(text: str) -> None:
    started = time.process_time()
    cut(text)
    # Backtracking takes minutes on these; the bound is loose so that a slow machine passes.
    assert time.process_time() - started < 5
