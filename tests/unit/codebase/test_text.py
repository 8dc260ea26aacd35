import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resolveflow.codebase.quotes import quotes
from resolveflow.codebase.text import MOST_TERMS, parts, query, terms, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("parseHTMLFile", {"parsehtmlfile": 1, "parse": 1, "html": 1, "file": 1}),
        ("snake_case_name", {"snake_case_name": 1, "snake": 1, "case": 1, "name": 1}),
        ("_private", {"private": 1}),
        ("the parser and the lexer", {"parser": 1, "lexer": 1}),
        ("x = y", {}),
        ("parser Parser", {"parser": 2}),
    ],
)
def test_terms_are_identifiers_and_their_parts(text: str, expected: dict[str, int]) -> None:
    assert terms(text) == expected


def test_words_and_parts_keep_the_order() -> None:
    assert words("label editing of labelBox") == ["label", "editing", "of", "label", "box"]
    assert parts("parseHTMLFile2") == ["parse", "html", "file", "2"]


def test_the_title_weighs_more_than_the_body() -> None:
    asked = query("parser", "lexer")
    assert asked.weights["parser"] > asked.weights["lexer"] > 0
    assert set(asked.title_weights) == {"parser"}


def test_a_first_sentence_stands_in_for_an_empty_title() -> None:
    body = "## What happened?\nNode: 6.1\n\nThe lexer drops every comma\nlater words here too"
    asked = query(" ", body)
    assert asked.title == "The lexer drops every comma"
    assert "comma" in asked.title_weights


@pytest.mark.parametrize(
    "body",
    [
        "<!-- hidden -->",
        "<!-- hidden, never closed",
        "![hidden](https://x.test/hidden.png)",
        '<img alt="hidden" src="hidden">',
        "https://x.test/hidden?hidden=1",
        "## hidden",
        "**hidden**",
        "What hidden version of it are you using?",
        "- [x] I have searched for hidden",
        "Hidden Version: 6.6.0",
        "### Environment\nhidden\n",
    ],
)
def test_what_a_template_says_is_not_asked(body: str) -> None:
    assert "hidden" not in query("Crash", body).weights


def test_a_section_after_the_environment_counts_again() -> None:
    asked = query("", "# Environment\nlinux\n# Steps\nopen the drawer now")
    assert "drawer" in asked.weights
    assert "linux" not in asked.weights


def test_code_counts_less_than_prose() -> None:
    asked = query("", "prose\n```\ncode\n```\nagain")
    assert 0 < asked.weights["code"] < asked.weights["prose"] == asked.weights["again"]


def test_the_raw_text_keeps_addresses() -> None:
    assert "https://x.test/a.py" in query("t", "see https://x.test/a.py").raw


def test_quotes_are_more_than_a_word() -> None:
    text = 'It says `no such file` and "cannot open it" but not `word`\nTypeError: x is not a y'
    assert quotes(text) == ["no such file", "cannot open it", "x is not a y"]


@pytest.mark.parametrize(
    "text",
    [
        "x" * 1939,
        "<!--" * 50_000,
        "![" * 100_000,
        "<img " * 40_000,
        "https://" * 25_000,
        "**" * 100_000,
        "__a" * 60_000,
        " " * 200_000,
        "A" + "a " * 100_000 + "?",
        "`" * 200_000,
        "a: " * 60_000,
        "aA" * 100_000,
        "- [ ]\n" * 30_000,
        "\ud800\u202e\0" * 50_000,
    ],
)
def test_hostile_text_costs_no_more_than_its_length(text: str) -> None:
    started = time.process_time()
    query(text, text)
    quotes(text)
    # Backtracking takes minutes on these; the bound is loose so that a slow machine passes.
    assert time.process_time() - started < 5


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_report_gives_positive_weights(title: str, body: str) -> None:
    asked = query(title, body)
    assert all(weight > 0 for weight in asked.weights.values())
    assert set(asked.title_weights) <= set(asked.weights)


def test_of_too_many_terms_the_heaviest_are_asked() -> None:
    body = " ".join(f"word{number}x" for number in range(3_000)) + " cart" * 5
    asked = query("The receipt", body)
    assert len(asked.weights) == MOST_TERMS
    assert asked.weights.keys() >= {"receipt", "cart"}
