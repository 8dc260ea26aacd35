from resolveflow.domain.crash import Crash
from resolveflow.domain.exploration import Budget
from resolveflow.explore.clues import MOST_CLUES, Clue, Match, clues_in, look_up
from resolveflow.explore.sources import Source, Sources
from tests.unit.explore.trees import FORMATS, JAVA, PYTHON, number_of, report, tree


async def sources_of(files: dict[str, str]) -> list[Source]:
    return await Sources(tree(files), Budget()).open_all(files)


def clues(title: str, body: str = "", *crashes: Crash) -> tuple[Clue, ...]:
    return clues_in(report(tree({}), [], title=title, body=body, crashes=crashes))


async def matches(files: dict[str, str], title: str, body: str = "") -> tuple[Match, ...]:
    return look_up(clues(title, body), await sources_of(files))


def test_messages_come_before_names_and_the_title_before_the_body() -> None:
    crash = Crash(type="ValueError", message="no such table format")
    found = clues(
        'render_table fails with "there is no table"',
        "I call `Table.lines` and `render_table` like this:\n```\nmy_own_code()\n```\n"
        'and see "cannot go on here" or "x".',
        crash,
    )
    assert [(clue.kind, clue.text) for clue in found] == [
        ("message", "there is no table"),
        ("message", "no such table format"),
        ("message", "cannot go on here"),
        ("name", "render_table"),
    ]
    assert [clue.titled for clue in found] == [True, False, False, True]


def test_plain_words_are_no_names() -> None:
    assert clues("Table breaks when the output is wrapped", "It's the user's own fault") == ()


async def test_a_message_is_found_by_its_unvarying_part() -> None:
    [match] = await matches(PYTHON, "“there is no table format 'github', see the manual”")
    assert match.source.path == "pkg/formats.py"
    assert match.line == number_of(FORMATS, "raise UnknownFormat")
    assert match.function is not None
    assert match.function.name == "render_table"
    assert match.alone


async def test_a_number_in_a_message_varies() -> None:
    [match] = await matches(JAVA, "`line is longer than the limit of 80`")
    assert match.function is not None
    assert match.function.name == "readLine"


async def test_a_name_is_found_at_the_line_that_bears_it() -> None:
    text = "package a\n\nimport b.Rule\n\nclass ReturnCount(x: Int) : Rule(x) {\n}\n"
    [match] = await matches({"a/Rules.kt": text}, "ReturnCount is wrong")
    assert (match.line, match.function.end_line if match.function else 0) == (5, 6)


async def test_a_name_is_found_where_it_is_defined_not_where_it_is_used() -> None:
    [match] = await matches(PYTHON, "wrap_cells drops the last word")
    assert match.source.path == "pkg/cells.py"
    assert match.clue.kind == "name"


async def test_the_name_of_a_package_is_no_definition() -> None:
    files = {"src/_core/a.py": "def _core():\n    pass\n", "b.py": "def _core_of():\n    pass\n"}
    found = await matches(files, "_core fails, _core_of too")
    assert [match.clue.text for match in found] == ["_core_of"]


async def test_what_is_in_many_places_is_no_match() -> None:
    twice = {"a.py": "def do_it(): pass", "b.py": "def do_it(): pass"}
    found = await matches(twice, "do_it fails")
    assert [match.alone for match in found] == [False, False]
    many = {f"{number}.py": "def do_it(): pass" for number in range(4)}
    assert await matches(many, "do_it fails") == ()


def test_a_hostile_report_has_a_bounded_number_of_clues() -> None:
    body = " ".join(f"`some_name_{number} is wrong`" for number in range(5_000)) + "`'\"" * 10_000
    assert len(clues("title", body)) == MOST_CLUES
