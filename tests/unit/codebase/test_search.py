import pytest
import regex

from resolveflow.codebase.search import LONGEST_LINE, SourcePack
from resolveflow.codebase.symbols import SymbolIndex
from tests.unit.codebase.code_trees import SHOP, tree_of

PACK = SourcePack(
    [
        ("a.py", b"alpha beta\nBeta alphabet\n"),
        ("empty.py", b""),
        ("z.py", b"no newline alpha"),
        ("long.js", b"x" * 1_000 + b"needle" + b"x" * 1_000),
        ("crlf.txt", b"one\r\nalpha\r\n"),
    ]
)


def places(found):
    return [(match.path, match.line) for match in found]


def test_a_literal_is_found_once_a_line():
    found = PACK.literal("alpha")
    assert places(found) == [("a.py", 1), ("a.py", 2), ("z.py", 1), ("crlf.txt", 2)]
    assert found[-1].text == "alpha"


def test_case_counts():
    assert places(PACK.literal("beta")) == [("a.py", 1)]


def test_an_expression_is_found_by_the_line_it_begins_in():
    assert places(PACK.expression(regex.compile(rb"b\w*et\w*$", regex.MULTILINE))) == [
        ("a.py", 1),
        ("a.py", 2),
    ]
    assert places(PACK.expression(regex.compile(rb"alpha$", regex.MULTILINE))) == [("z.py", 1)]
    assert places(PACK.expression(regex.compile(rb"^$", regex.MULTILINE))) == []


def test_the_limit_and_what_cannot_match():
    assert len(PACK.literal("a", limit=2)) == 2
    assert PACK.literal("") == ()
    assert PACK.literal("a\nb") == ()
    assert PACK.literal("nowhere") == ()
    assert SourcePack([]).literal("x") == ()


def test_a_long_line_is_cut():
    (match,) = PACK.literal("needle")
    assert len(match.text) == LONGEST_LINE


def test_symbols_by_exact_name():
    index = SymbolIndex(tree_of(SHOP | {"web/other.py": "def place_order(x): pass\n"}))
    found = index.definitions("place_order")
    assert [(one.path, one.line) for one in found] == [("shop/orders.py", 4), ("web/other.py", 1)]
    assert found[1].signature == "def place_order(x): pass"
    assert index.definitions("Place_order") == ()
    assert index.definitions("") == ()
    assert SymbolIndex(tree_of({})).definitions("x") == ()


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        (rb'= "[^"]*"', [("b.py", 1)]),
        (rb"one\s*y", []),
        (rb"(?s)one.*two", []),
        (rb"y\s", []),
        (rb"two\S+$", [("b.py", 1)]),
    ],
)
def test_a_match_stays_in_its_line(pattern, found):
    pack = SourcePack([("a.py", b'x = "one\ny\n'), ("b.py", b'z = "two"\n')])
    matches = pack.expression(regex.compile(pattern, regex.MULTILINE))
    assert [(match.path, match.line) for match in matches] == found
