"""The four tools: what they answer, how much of it, and what they refuse."""

import asyncio
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from resolveflow.backends.code_index import StoredCodeIndex
from resolveflow.domain.code import Definition
from resolveflow.explore.tools import MOST_RESULT, TOOLS, Dispatcher, tool_specs
from resolveflow.testing.fixed_index import FixedCodeIndex
from resolveflow.testing.memory_repository import MemoryRepository

CART = b"class Cart:\n    def add(self, value):\n        return parse_price(value)\n"
LONG = "\n".join(f"line {number}" for number in range(1, 121)).encode() + b"\n"
TREE = {
    "src/shop/cart.py": CART,
    "src/shop/Cart.ts": b"export class Cart {}\n",
    "src/long.txt": LONG,
    "src/wide.js": b"x" * 5_000 + b" needle " + b"y" * 5_000 + b"\n",
    "src/empty.py": b"",
    "img/logo.png": b"\x89PNG\0\0\0",
    "utf16.txt": "größe = 1\n".encode("utf-16"),
    "evil\x1b[2J\n.py": b"\x1b]0;owned\x07 = 'hidden\xe2\x80\xae'\n",
    "big.csv": b"1\n" * 600_000,
    ".git/config": b"[core]\n",
    "vendor/.GIT/hooks/x": b"secret\n",
}


def tools(files: dict[str, bytes] = TREE, **index: object) -> Dispatcher:
    repository = MemoryRepository(
        files, links={"link.py": b"/etc/passwd", "dir": b"src"}, submodules={"sub": "a" * 40}
    )
    return Dispatcher(repository=repository, index=FixedCodeIndex(**index))


async def said(tool: str, **arguments: object) -> str:
    result = await tools().call(tool, arguments)
    assert not result.is_error, result.text
    return result.text


async def refused(tool: str, **arguments: object) -> str:
    result = await tools().call(tool, arguments)
    assert result.is_error, result.text
    return result.text


def test_there_are_four_tools_with_closed_schemas():
    specs = {spec.name: spec for spec in tool_specs()}

    assert {name: list(spec.parameters["properties"]) for name, spec in specs.items()} == {
        "grep_code": ["pattern", "path_glob", "context", "limit"],
        "read_lines": ["path", "start", "end", "have_suspects"],
        "list_directory": ["path", "start"],
        "locate_symbol": ["name"],
    }
    for spec in specs.values():
        jsonschema.Draft202012Validator.check_schema(spec.parameters)
        assert spec.parameters["additionalProperties"] is False
        assert spec.description


async def test_read_lines_gives_numbered_lines():
    assert await said("read_lines", path="src/shop/cart.py", start=2, end=9) == (
        "src/shop/cart.py, lines 2-3 of 3\n"
        "    2|     def add(self, value):\n"
        "    3|         return parse_price(value)"
    )


async def test_a_long_file_is_cut_and_says_how_to_go_on():
    first = (await said("read_lines", path="src/long.txt")).split("\n")

    assert first[0] == "src/long.txt, lines 1-50 of 120"
    assert len(first) == 52
    assert first[-1] == "[cut: go on with start=51]"
    rest = await said("read_lines", path="src/long.txt", start=101)
    assert rest.endswith("  120| line 120")


async def test_a_wide_line_is_cut_and_grep_shows_the_part_around_a_match():
    line = await said("read_lines", path="src/wide.js")
    found = await said("grep_code", pattern="needle")

    assert "… [9808 more characters]" in line
    assert "grep_code with a word of a long line" in line
    assert " needle yyy" in found
    assert "[4951 characters] …" in found
    assert len(found) < 700


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"path": "src/shop/cart.py", "start": 9}, "has 3 lines"),
        ({"path": "src/shop/cart.py", "start": 3, "end": 2}, "end 2 lies before start 3"),
        ({"path": "img/logo.png"}, "is binary: 7 bytes"),
        ({"path": "big.csv"}, "is too large: 1,200,000 bytes"),
        ({"path": "src/shop"}, "is a directory: use list_directory"),
        ({"path": "link.py"}, "is a symbolic link"),
        ({"path": "dir/shop/cart.py"}, "dir is a symbolic link"),
        ({"path": "sub"}, "is a submodule"),
        ({"path": "sub/x"}, "sub is a submodule"),
        ({"path": "src/shop/cart.py/x"}, "src/shop/cart.py is a file"),
        ({"path": "src/shop/cart.py/"}, "src/shop/cart.py is a file"),
        ({"path": "../src/shop/cart.py"}, "leaves its folder with .."),
        ({"path": "src/../src/shop/cart.py"}, "near: src/shop/cart.py"),
        ({"path": "/etc/passwd"}, "is an absolute path"),
        ({"path": "C:\\x"}, "there is no file C:\\x"),
        ({"path": "~/x"}, "there is no file ~/x"),
        ({"path": "./src/shop/cart.py"}, "near: src/shop/cart.py"),
        ({"path": "src//shop/cart.py"}, "no empty parts"),
        ({"path": "a\0b"}, "holds a NUL"),
        ({"path": ".git/config"}, "git's own files"),
        ({"path": "vendor/.GIT/hooks/x"}, "git's own files"),
        ({"path": "SRC/shop/CART.py"}, "near: src/shop/cart.py"),
        ({"path": "shop/cart.py"}, "near: src/shop/cart.py"),
        ({"path": "cart.py"}, "near: src/shop/cart.py"),
        ({"path": "src/shop/crat.py"}, "near: src/shop/cart.py"),
        ({"path": ""}, "there is no file"),
        ({"path": "x\x1b[31m"}, "x⟨U+001B⟩[31m"),
    ],
)
async def test_what_read_lines_refuses(arguments, why):
    text = await refused("read_lines", **arguments)

    assert why in text
    assert len(text) < 1_200
    assert "\x1b" not in text


async def test_what_has_no_content_is_said():
    assert await said("read_lines", path="src/empty.py") == "src/empty.py is empty"
    assert "    1| größe = 1" in await said("read_lines", path="utf16.txt")


async def test_nothing_in_a_name_or_a_line_acts():
    listed = await said("list_directory", path="")
    shown = "evil⟨U+001B⟩[2J⟨U+000A⟩.py"
    read = await said("read_lines", path=shown)

    assert f"{shown}  25 bytes" in listed
    assert "⟨U+001B⟩]0;owned⟨U+0007⟩ = 'hidden⟨U+202E⟩'" in read
    assert read.isprintable() or set(filter(lambda c: not c.isprintable(), read)) == {"\n"}


async def test_a_line_of_hidden_characters_is_cut_before_it_grows():
    dispatcher = tools({"a.py": "\u202e".encode() * 150})

    text = (await dispatcher.call("read_lines", {"path": "a.py"})).text

    assert text.count("⟨U+202E⟩") == 20
    assert "… [130 more characters]" in text


async def test_a_directory_is_listed_with_links_and_submodules_named():
    assert await said("list_directory", path="") == "\n".join(
        [
            "root: rows 1-8 of 8",
            "img/  (1 file)",
            "src/  (5 files)",
            "big.csv  1,200,000 bytes",
            "dir  (a symbolic link, not followed)",
            "evil⟨U+001B⟩[2J⟨U+000A⟩.py  25 bytes",
            "link.py  (a symbolic link, not followed)",
            "sub  (a submodule)",
            "utf16.txt  22 bytes",
        ]
    )
    assert await said("list_directory", path="src/shop/") == (
        "src/shop/: rows 1-2 of 2\nCart.ts  21 bytes\ncart.py  72 bytes"
    )


async def test_a_folder_with_a_hidden_character_can_be_listed_as_it_is_shown():
    dispatcher = tools({"a\u200b/b.py": b"1\n"})

    listed = await dispatcher.call("list_directory", {"path": "a⟨U+200B⟩"})

    assert listed.text.endswith("b.py  2 bytes")


async def test_a_long_directory_is_shown_in_pages():
    dispatcher = tools({f"d/{number:03}.py": b"" for number in range(120)})

    first = (await dispatcher.call("list_directory", {"path": "d"})).text
    last = (await dispatcher.call("list_directory", {"path": "d", "start": 101})).text
    over = await dispatcher.call("list_directory", {"path": "d", "start": 121})

    assert first.endswith("049.py  0 bytes\n[cut: go on with start=51]")
    assert last.endswith("119.py  0 bytes")
    assert over.is_error
    assert "has 120 rows" in over.text


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("src/long.txt", "is a file: use read_lines"),
        ("dir", "is a symbolic link"),
        ("sub", "is a submodule"),
        ("nowhere", "there is no directory nowhere"),
        ("..", "leaves its folder"),
        ("/", "is an absolute path"),
        (".git", "git's own files"),
    ],
)
async def test_what_list_directory_refuses(path, why):
    assert why in await refused("list_directory", path=path)


async def test_grep_finds_lines_in_files_and_counts_the_rest():
    found = await said("grep_code", pattern=r"\bCart\b", limit=1)

    assert found.split("\n")[:2] == [
        "2 matching lines in 2 of 7 files",
        "src/shop/Cart.ts:1: export class Cart {}",
    ]
    assert "[cut: narrow pattern or path_glob" in found
    assert "2 files not searched: binary, missing or too large" in found


async def test_grep_shows_lines_around_a_match():
    found = await said("grep_code", pattern="add", path_glob="*.py", context=1)

    assert "src/shop/cart.py-1- class Cart:\nsrc/shop/cart.py:2:     def add" in found


async def test_an_expression_that_is_none_is_plain_text():
    found = await said("grep_code", pattern="parse_price(value")

    assert "src/shop/cart.py:3:" in found
    assert "searched as plain text" in found


async def test_grep_never_shows_gits_own_files_or_what_lies_behind_links():
    found = await said("grep_code", pattern="secret|core|root:")

    assert found.startswith("0 matching lines in 0 of 7 files")


async def test_a_glob_that_matches_nothing_is_an_error():
    assert "matches no file" in await refused("grep_code", pattern="x", path_glob="*.zig")


async def test_locate_symbol_gives_places_and_takes_qualified_names():
    places = [
        Definition(name="add", path="src/shop/cart.py", start_line=2, end_line=2, signature=line)
        for line in ("    def add(self, value):",)
    ]
    dispatcher = tools(definitions=places)

    for spelled in ("add", "Cart.add", "Cart::add", "Cart#add"):
        result = await dispatcher.call("locate_symbol", {"name": spelled})
        assert result.text == ("definitions of add: 1\nsrc/shop/cart.py:2: def add(self, value):")
    missing = await dispatcher.call("locate_symbol", {"name": "nowhere."})
    assert missing.is_error
    assert "grep_code searches for text" in missing.text


async def test_many_definitions_are_cut():
    places = [
        Definition(name="f", path=f"{n}.py", start_line=1, end_line=1, signature="def f(): ...")
        for n in range(80)
    ]

    result = await tools(definitions=places).call("locate_symbol", {"name": "f"})

    assert "[cut: 30 more; grep_code with path_glob" in result.text


async def test_the_real_index_answers(tmp_path: Path):
    dispatcher = Dispatcher(repository=MemoryRepository(TREE), index=StoredCodeIndex(tmp_path))

    result = await dispatcher.call("locate_symbol", {"name": "Cart.add"})

    assert "src/shop/cart.py:2: def add(self, value)" in result.text


@pytest.mark.parametrize(
    ("tool", "arguments", "why"),
    [
        ("rm_rf", {}, "there is no tool rm_rf: there are grep_code, read_lines"),
        ("read_lines", None, "read_lines was not run: arguments:"),
        ("read_lines", [], "read_lines was not run: arguments:"),
        ("read_lines", {}, "path: Field required"),
        ("read_lines", {"path": 1}, "path: Input should be a valid string"),
        ("read_lines", {"path": "a", "start": "1"}, "start: Input should be a valid integer"),
        ("read_lines", {"path": "a", "start": True}, "start: Input should be a valid integer"),
        ("read_lines", {"path": "a", "start": 0}, "greater than or equal to 1"),
        ("read_lines", {"path": "a", "mode": "w"}, "mode: Extra inputs are not permitted"),
        ("read_lines", {"path": "a" * 5_000}, "at most 4096 characters"),
        ("grep_code", {"pattern": ""}, "at least 1 character"),
        ("grep_code", {"pattern": "x" * 301}, "at most 300 characters"),
        ("grep_code", {"pattern": "x", "limit": 51}, "less than or equal to 50"),
        ("grep_code", {"pattern": "\ud800"}, "pattern:"),
        ("locate_symbol", {"name": "x", "\x1b" * 999: 1}, "⟨U+001B⟩"),
    ],
)
async def test_a_call_is_checked_before_anything_happens(tool, arguments, why):
    result = await tools().call(tool, arguments)

    assert result.is_error
    assert why in result.text
    assert len(result.text) < 1_000


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=6,
)
NAMED = st.fixed_dictionaries(
    {},
    optional={
        "path": JSON | st.sampled_from(sorted(TREE)),
        "pattern": JSON | st.text(alphabet="ab(|)*+?.[]{}\\^$,1:<>=!P", max_size=40),
        "path_glob": JSON | st.text(alphabet="*?[]{},/a.", max_size=20),
        "name": JSON,
        "start": JSON,
        "end": JSON,
        "limit": JSON,
        "context": JSON,
    },
)


@given(st.sampled_from([*TOOLS, "other"]), JSON | NAMED)
def test_any_call_gets_a_bounded_answer(tool, arguments):
    small = {path: data for path, data in TREE.items() if path != "big.csv"}

    result = asyncio.run(tools(small).call(tool, arguments))

    assert len(result.text.encode()) <= MOST_RESULT
    assert len(result.text.split("\n")) <= 52
    if not result.is_error:
        schema = next(spec.parameters for spec in tool_specs() if spec.name == tool)
        jsonschema.validate(arguments, schema)
