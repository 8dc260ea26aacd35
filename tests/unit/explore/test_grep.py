"""Patterns that nobody vouches for: bounded in time, right in their line numbers."""

import re
from collections.abc import AsyncIterator, Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resolveflow.explore import grep
from resolveflow.explore.grep import Pattern, Texts
from resolveflow.testing.memory_repository import MemoryRepository


class Counting(MemoryRepository):
    """Keeps the blobs that it was asked for."""

    def __init__(self, files: dict[str, bytes]) -> None:
        super().__init__(files)
        self.asked: list[str] = []

    async def blobs(self, ids: Iterable[str]) -> AsyncIterator[tuple[str, bytes]]:
        wanted = list(ids)
        self.asked += wanted
        async for one in super().blobs(wanted):
            yield one


async def search(
    pattern: str, files: dict[str, bytes], *, context: int = 0, limit: int = 50
) -> grep.Found:
    repository = MemoryRepository(files)
    entries = await repository.entries()
    return await grep.grep(
        Pattern(pattern), Texts(repository), entries, context=context, limit=limit
    )


async def test_an_expression_that_explodes_is_stopped_and_says_so():
    found = await search(r"(\w+\s?)+;|((a|a)*)*\d", {"a.py": b"ab c" * 2_000, "b.py": b"x;\n"})

    assert found.stopped == "the expression took 2 seconds in a.py"
    assert found.searched == 1


async def test_a_search_without_time_says_how_far_it_came():
    repository = MemoryRepository({"a.py": b"x\n"})
    entries = await repository.entries()

    found = await grep.grep(Pattern("x"), Texts(repository), entries, context=0, limit=1, seconds=0)

    assert (found.stopped, found.matches) == ("its time was up before a.py", 0)


async def test_one_line_of_a_megabyte_with_a_million_matches_is_searched():
    found = await search("a", {"a.js": b"a" * 999_999 + b"\n"})

    assert (found.matches, found.shown) == (1, 1)


async def test_files_are_read_once_between_searches_and_in_batches():
    files = {f"{n:04}.py": b"x = %d\n" % n for n in range(450)}
    repository = Counting(files)
    texts = Texts(repository)
    entries = await repository.entries()
    await grep.grep(Pattern("x"), texts, entries, context=0, limit=1)

    found = await grep.grep(Pattern("= 7$"), texts, entries, context=0, limit=1)

    assert found.lines == ["0007.py:1: x = 7"]
    assert found.searched == 450
    assert len(repository.asked) == len(set(repository.asked)) == 450


@pytest.mark.parametrize(
    "pattern", ["(", "[a", "a{2,1}", "(" * 150 + ")" * 150, "(?r)a", "(?P<n>", "\\"]
)
async def test_what_is_no_usable_expression_is_plain_text(pattern):
    found = await search(pattern, {"a.py": f"x {pattern} y\n".encode(), "b.py": b"a\n"})

    assert "a.py:1:" in found.lines[0]


async def test_context_of_near_matches_is_shown_once():
    found = await search("m", {"a": b"1\nm\n3\nm\n5\n6\n7\n8\nm\n"}, context=1)

    assert found.lines == [
        "a-1- 1",
        "a:2: m",
        "a-3- 3",
        "a:4: m",
        "a-5- 5",
        "--",
        "a-8- 8",
        "a:9: m",
    ]


async def test_an_empty_match_after_the_last_line_is_no_line():
    assert (await search("$", {"a": b"1\n2\n", "b": b""})).matches == 2


@given(
    st.lists(st.text(alphabet="ab \r", max_size=6), max_size=8).map("\n".join),
    st.sampled_from(["a", "b$", "^a", "a+", "[ab] ", "(a|b)b", "^$"]),
)
async def test_lines_are_those_that_a_plain_loop_finds(text, pattern):
    expected = [
        number
        for number, line in enumerate(re.split("\r\n|\r|\n", text), 1)
        if re.search(pattern, line)
    ]
    if text.endswith(("\n", "\r")) or not text:
        last = len(re.split("\r\n|\r|\n", text))
        expected = [number for number in expected if number != last]

    found = await search(pattern, {"f": text.encode()})

    assert [int(line.split(":")[1]) for line in found.lines] == expected
