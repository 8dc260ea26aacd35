from resolveflow.explore.calls import MOST_CALLERS, Callers, callers_of, calls_at
from resolveflow.explore.sources import Source


def source(path: str, text: str) -> Source:
    return Source(path, tuple(text.splitlines()))


PARSER = source("parser.py", "def parse_row(row):\n    return parse_row(row[1:])\n")


def callers(*others: Source, told: frozenset[tuple[str, int]] = frozenset()) -> Callers:
    [function] = PARSER.functions
    return callers_of(PARSER, function, [PARSER, *others], told)


def test_callers_in_the_files_read_are_listed_and_the_others_are_said_to_be_unseen() -> None:
    reader = source("reader.py", "def read(rows):\n    return [parse_row(row) for row in rows]\n")
    main = source("main.py", "parser.parse_row (stdin)\n")
    found = callers(reader, main)
    [finding] = found.findings
    assert finding.claim.splitlines() == [
        "Calls of something named `parse_row` in the files that were read:",
        "reader.py:2 in `read`: `return [parse_row(row) for row in rows]`",
        "main.py:1: `parser.parse_row (stdin)`",
    ]
    assert finding.supports == ()
    assert found.unseen == ("Callers of `parse_row` outside the 3 files that were read",)


def test_what_is_no_call_is_none() -> None:
    lines = [
        "# parse_row(x) is slow",
        ">>> parse_row(x)",
        "say('parse_row(x)')",
        "my_parse_row(x)",
        "parse_row = 1",
        "Row parse_row(String x);",
        "List<Row> parse_row(x);",
        "Row *parse_row(char *x);",
        f"{' ' * 500}parse_row(x)",
    ]
    assert callers(source("other.java", "\n".join(lines))).findings == ()


def test_a_call_may_stand_after_a_keyword_or_an_operator() -> None:
    lines = [
        "return parse_row(x)",
        "a && parse_row(x)",
        "if (!parse_row(x)) {",
        "await parse_row(x)",
    ]
    found = callers(source("other.js", "\n".join(lines)))
    assert len(found.findings[0].claim.splitlines()) == 1 + MOST_CALLERS + 1
    assert found.findings[0].claim.endswith("and 1 more")


def test_lines_that_are_told_already_and_recursion_are_left_out() -> None:
    reader = source("reader.py", "parse_row(1)\n")
    assert callers(reader, told=frozenset({("reader.py", 1)})).findings == ()


def test_a_name_that_two_definitions_bear_is_not_searched() -> None:
    found = callers(source("other.py", "def parse_row(x):\n    return parse_row(x)\n"))
    assert found == Callers(
        unseen=("Who calls `parse_row`: the files read define it more than once",)
    )


def test_a_name_that_is_everywhere_or_never_written_is_not_searched() -> None:
    text = "def get(x):\n    return x\n\n\nclass A:\n    def __init__(self):\n        pass\n"
    one = source("a.py", text + "get(__init__())\n")
    for function in (one.functions[0], one.functions[2]):
        found = callers_of(one, function, [one], frozenset())
        assert found == Callers(
            unseen=(f"Who calls `{function.name}`: the name alone does not tell",)
        )


def test_a_line_calls_what_its_file_defines_or_imports() -> None:
    other = source("b.py", "def helper(x):\n    return x\n\n\ndef stranger(x):\n    return x\n")
    text = (
        "from b import helper\n\n\ndef own(x):\n    return x\n\n\n"
        "def go(x):\n    return own(helper(stranger(x.own(go(x)))))\n"
    )
    one = source("a.py", text)
    called = [(call.source.path, call.symbol.name) for call in calls_at(one, 9, [one, other])]
    assert called == [("a.py", "own"), ("b.py", "helper")]


def test_nothing_is_followed_on_a_line_that_no_person_wrote() -> None:
    one = source("a.js", "function known() {\n}\n" + "known();" * 100)
    assert list(calls_at(one, 3, [one])) == []
