"""Untrusted text in a terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resolveflow.entrypoints.cli.visible import links, one_line, visible


@pytest.mark.parametrize(
    ("hidden", "shown"),
    [
        ("\x1b]0;owned\x07", "⟨U+001B⟩]0;owned⟨U+0007⟩"),
        ("\x9b31m", "⟨U+009B⟩31m"),
        ("a\rb", "a⟨U+000D⟩b"),
        ("\u202eevil", "⟨U+202E⟩evil"),
        ("a\u200bb", "a⟨U+200B⟩b"),
        ("\U000e0041", "⟨U+E0041⟩"),
        ("\u3164", "⟨U+3164⟩"),
        ("\ufe0f", "⟨U+FE0F⟩"),
        ("a\u00a0b", "a⟨U+00A0⟩b"),
        ("\ud800", "⟨U+D800⟩"),
        ("\u2028", "⟨U+2028⟩"),
    ],
)
def test_hidden_characters_are_spelled_out(hidden, shown):
    assert visible(hidden) == shown


@pytest.mark.parametrize("text", ["plain", "zwei\nZeilen", "日本語", "ß ü é", "עברית"])
def test_what_can_be_seen_stays(text):
    assert visible(text) == text


def test_tabs_are_widened():
    assert visible("\tx") == "    x"


@given(st.text())
def test_nothing_that_acts_is_left(text):
    assert all(c == "\n" or c.isprintable() for c in visible(text))


def test_one_line():
    assert one_line("a\n b\t c") == "a b c"
    assert one_line("x" * 500, 10) == "x" * 9 + "…"


def test_links_are_found_in_every_disguise():
    text = "see [here](https://evil.example/a?b) <http://x.y> ftp://z https://evil.example/a?b"

    assert links(text) == ("https://evil.example/a?b", "http://x.y", "ftp://z")
    assert links("no link") == ()
