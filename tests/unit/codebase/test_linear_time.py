"""No content of a file takes more time than its length: twice the bytes, about twice the time."""

import time
from collections.abc import Callable

import pytest

from resolveflow.codebase.definitions import find_definitions
from resolveflow.codebase.languages import LANGUAGES, as_utf8, unread_by_content
from resolveflow.codebase.references import count_identifiers

# What each language's patterns go on with for long, and then fail at or must repeat.
SHAPES = {
    "brackets": b"(",
    "closed": b")",
    "braces": b"{",
    "angles": b"a<",
    "spaces": b" ",
    "tabs": b"\t",
    "line ends": b"\n",
    "blank lines": b" \n",
    "dots": b"a.b.c.",
    "scopes": b"a::",
    "letters": b"a",
    "capitals": b"A",
    "words": b"abcdefgh ",
    "wide words": b"a        ",
    "long words": b"a" * 80 + b" ",
    "stars": b"*&",
    "quotes": b'"',
    "equals": b"a = ",
    "arrows": b"=> ",
    "slashes": b"/",
    "attributes": b"@a ",
    "accents": "é".encode(),
    "ifs": b"if (\n",
    "modifiers": b"public static ",
    "open functions": b"public static int f(\n",
    "open definitions": b"def f(a,\n",
    "open methods": b"foo(a.b.c.d.e.f.g\n",
    "calls": b"f(x)\n",
    "prototypes": b"int f()\n",
    "scripts": b"const f = (",
    "generics": b"impl<T> for <U> for ",
    "macros": b"class ABCD(x) ",
    "operators": b"int operator",
    "members": b"foo((a) => ",
}
STARTS = {
    "": b"",
    "call": b"int f(",
    "script": b"const f = (",
    "type": b"class A ",
    "alone": b"def f(a)\n",
    "impl": b"impl ",
}
BYTES = 10_000
SLOW = 0.05  # seconds; in less time nothing can be told


def seconds(work: Callable[[], object]) -> float:
    """The processor's time, the best of three."""
    best = float("inf")
    for _ in range(3):
        begin = time.process_time()
        work()
        best = min(best, time.process_time() - begin)
        if best < SLOW / 8:
            break
    return best


def grows_too_fast(work: Callable[[bytes], object], start: bytes, unit: bytes) -> str:
    """Measure with 4 times the length; a quadratic growth would take 16 times as long."""
    small, large = (start + unit * (size // len(unit)) for size in (BYTES, 4 * BYTES))
    slow = seconds(lambda: work(large))
    if slow < SLOW:
        return ""
    quick = seconds(lambda: work(small))
    return f"{start + unit!r}: {quick:.3f} s, then {slow:.3f} s" if slow > 9 * quick else ""


@pytest.mark.parametrize("language", LANGUAGES)
def test_definitions_are_found_in_linear_time(language: str) -> None:
    told = [
        grows_too_fast(lambda text: find_definitions([text], [language]), start, unit)
        for start in STARTS.values()
        for unit in SHAPES.values()
    ]
    assert [one for one in told if one] == []


@pytest.mark.parametrize(
    "work", [as_utf8, unread_by_content, lambda text: count_identifiers([text])]
)
def test_texts_are_read_in_linear_time(work: Callable[[bytes], object]) -> None:
    starts = (b"", b"\xff\xfe", b"\0", b"a\0")
    told = [grows_too_fast(work, start, unit) for start in starts for unit in SHAPES.values()]
    assert [one for one in told if one] == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (b"(" * 5_000_000, 0),
        (b" " * 1_000_000 + b"x\n", 0),
        (b"a.b.c." * 170_000, 0),
        (b"if (\n" * 200_000, 0),
    ],
    ids=["brackets", "spaces", "dots", "ifs"],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_walls_of_text_hold_no_definition(language: str, text: bytes, count: int) -> None:
    assert len(find_definitions([text], [language]).lines) == count
