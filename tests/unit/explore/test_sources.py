import pytest

from resolveflow.domain.exploration import Budget
from resolveflow.explore.sources import LARGEST_FILE, Sources, is_telling, lines_of, words_of
from resolveflow.testing.memory_repository import MemoryRepository


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", ()),
        (b"a\nb\n", ("a", "b")),
        (b"a\r\nb\rc", ("a", "b", "c")),
        (b"\xef\xbb\xbfa", ("a",)),
        ("é\n".encode("utf-16"), ("é",)),
        (b"\xff\xfea", ("�",)),
        (b"caf\xe9", ("caf�",)),
        ("a\u2028b\x0cc\n".encode(), ("a\u2028b\x0cc",)),
        (b"a\n\n", ("a", "")),
    ],
)
def test_lines_are_counted_as_editors_do(data: bytes, lines: tuple[str, ...]) -> None:
    assert lines_of(data) == lines


@pytest.mark.parametrize("code", ["}", "return None", "else:", "pass", "", "x = 1", "    });"])
def test_code_that_could_be_anywhere_tells_nothing(code: str) -> None:
    assert not is_telling(code)


@pytest.mark.parametrize("code", ["return caster(cell)", "raise UnknownFormat", "price.amount"])
def test_code_with_names_of_its_own_tells_something(code: str) -> None:
    assert is_telling(code)


def test_words_are_names_without_the_languages_own() -> None:
    assert words_of("if self.cell is not None: return cast(cell)") == ["cell", "cast", "cell"]


async def test_files_are_read_once_and_what_is_not_is_said() -> None:
    tree = MemoryRepository(
        {"a.py": b"one\n", "b.py": b"two", "big.py": b"x" * (LARGEST_FILE + 1), "bad\n.py": b""},
        links={"link.py": b"/proc/self/environ"},
    )
    sources = Sources(tree, Budget(calls=2))
    opened = await sources.open_all(["a.py", "a.py", "big.py", "link.py", "../x", "bad\n.py"])
    assert [source.path for source in opened] == ["a.py"]
    assert await sources.open("a.py") is opened[0]
    assert await sources.open("b.py") is not None
    assert [source.path for source in sources.read] == ["a.py", "b.py"]
    assert sources.skipped == {
        "big.py": "has 1,000,001 bytes",
        "link.py": "is no file of this tree",
        "../x": "is no file of this tree",
        "bad\n.py": "has a name that cannot be shown",
    }


async def test_a_spent_budget_stops_the_reading() -> None:
    tree = MemoryRepository({"a.py": b"1", "b.py": b"2"})
    sources = Sources(tree, Budget(calls=1))
    assert await sources.open("a.py")
    assert await sources.open("b.py") is None
    assert sources.skipped == {"b.py": "was not read: the budget is spent"}
    late = Sources(tree, Budget(seconds=-1.0))
    assert await late.open("a.py") is None


class _Torn(MemoryRepository):
    async def read(self, path: str) -> bytes:
        return await super().read(f"missing {path}")


async def test_a_file_whose_content_is_missing_is_skipped() -> None:
    sources = Sources(_Torn({"a.py": b"1"}), Budget())
    assert await sources.open("a.py") is None
    assert "is no file" in sources.skipped["a.py"]


async def test_a_line_outside_the_file_is_empty() -> None:
    sources = Sources(MemoryRepository({"a.py": b"one\n"}), Budget())
    source = await sources.open("a.py")
    assert source is not None
    assert [source.line(number) for number in (0, 1, 2)] == ["", "one", ""]
