import pytest
from hypothesis import given
from hypothesis import strategies as st

from resolveflow.steps.inert import code_block, code_span, prose, redact
from tests.live_markdown import live_parts

MARKER = "<!-- resolveflow:case -->"
# fmt: off
FRAGMENTS = [
    "@octocat", "@", "#1", "#", "GH-1", "o/r#12", "octo/cat@0123456", "fixes #3", "0123abc", "`",
    "``", "```", "\\", "\\@a", "<!--", "-->", MARKER, "<img src=x>", "<b>", "&commat;a", "&#64;b",
    "![x](y)", "[x](y)", "[x]: y", "https://e.com", "www.e.com", "mailto:a@b.c", "a@b.c", "*", "_",
    "__x__", "~~", "|", "$x$", "---", "===", "# h", "> q", "- l", "1. l", "1)", "+", "\n", "\r",
    "\t", " ", "\u200b", "\u202e", "\u2066", "\U000e0041", "\u3164", "\ufe0f", "/close", "a", "é",
    "中", "(", ")", "!", "\x00", "\u2028", "\ud800",
]
# fmt: on
NASTY = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=5), max_size=30).map("".join)


@given(NASTY)
def test_prose_is_inert_wherever_it_stands(text: str) -> None:
    shown = prose(text)
    for comment in (f"**Cause.** {shown}", f"- {shown}\n- {shown}", f"A {shown} b {shown}."):
        assert live_parts(comment, MARKER) == []


@given(NASTY)
def test_prose_stays_on_its_line(text: str) -> None:
    assert len(prose(text).splitlines()) <= 1


@given(NASTY)
def test_a_code_span_is_inert(text: str) -> None:
    assert live_parts(f"At {code_span(text)} in {code_span(text)}:", MARKER) == []


@given(NASTY, st.integers(1, 10_000))
def test_a_code_block_is_one_fence(text: str, first_line: int) -> None:
    comment = f"Here:\n\n{code_block(text, first_line)}\n\nEnd."
    assert live_parts(comment, MARKER) == []
    assert comment.count("\n") < 40


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("The loop ends early.", "The loop ends early."),
        ('It\'s 100% of 2/3, "why"?', 'It\'s 100% of 2/3, "why"?'),
        ("Größe über 10 – 中文。", "Größe über 10 – 中文。"),
        ("`len(rows)` fails on None", "`len(rows)` fails on None"),
        ("my_var (foo_bar), x", "`my_var` (`foo_bar`), x"),
        ("ask @octocat.", "ask `@octocat`."),
        ("fixes #12!", "fixes `#12`!"),
        ("see https://e.com/x", "see `https://e.com/x`"),
        ("a ` b", "a b"),
        ("``` a `` b", "a b"),
        ("a\n\n  b\u200bc", "a bc"),
        ("- item", "`-` item"),
        ("2. item", "`2.` item"),
        ("since 1234567", "since `1234567`"),
        ("", ""),
        (" \u200b ", ""),
    ],
)
def test_prose_stays_readable(text: str, shown: str) -> None:
    assert prose(text) == shown


def test_prose_is_cut() -> None:
    shown = prose("word " * 1000, limit=20)
    assert shown == "word word word word…"


def test_backticks_cannot_leave_a_span() -> None:
    assert code_span("a`b") == "`a'b`"
    assert code_span("\u200b") == ""


def test_code_is_numbered_and_complete() -> None:
    assert code_block("if x:\n\n    y()", 9) == "```text\n 9 | if x:\n10 |\n11 |     y()\n```"


def test_a_fence_is_longer_than_any_run_of_backticks_inside() -> None:
    opening, *_, closing = code_block("a\n````\nb ``` c", 1).splitlines()
    assert (opening, closing) == ("`````text", "`````")


def test_code_shows_what_is_invisible() -> None:
    assert "1 | a<U+202E>b" in code_block("a\u202eb", 1)


def test_long_code_says_what_it_leaves_out() -> None:
    block = code_block("x\n" * 29 + "x" * 900, 1)
    assert "… 10 more lines" in block
    assert max(map(len, code_block("x" * 900, 1).splitlines())) < 210


SECRETS = [
    "ghp_" + "a1" * 18,
    "github_pat_" + "a1" * 20,
    "sk-proj-" + "a1" * 20,
    "sk_live_" + "a1" * 12,
    "AKIA" + "A1" * 8,
    "AIza" + "a1" * 18,
    "xoxb-1234567890-abc",
    "glpat-" + "a1" * 10,
    "npm_" + "a1" * 18,
    "hf_" + "a1" * 15,
    "pypi-" + "a1" * 20,
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdef",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----",
]


@pytest.mark.parametrize("secret", SECRETS)
def test_keys_are_redacted(secret: str) -> None:
    for text in (f"key={secret}", f"see {secret}.", f"'{secret}'"):
        for shown in (prose(text), code_span(text), code_block(text, 1)):
            assert secret not in shown
            assert secret[8:] not in shown
            assert "(redacted)" in shown


def test_a_key_with_an_invisible_break_is_redacted() -> None:
    secret = "ghp_" + "a" * 10 + "\u200b" + "b" * 26
    for shown in (prose(secret), code_span(secret), code_block(secret, 1)):
        assert "(redacted)" in shown


def test_a_password_in_a_link_is_redacted() -> None:
    assert redact("https://user:hunter2@host/x") == "https://(redacted)@host/x"


def test_redaction_keeps_line_numbers() -> None:
    assert redact(f"a\n{SECRETS[-1]}\nb").count("\n") == 4


@pytest.mark.parametrize("text", ["sketch-book", "task-1", "the eyJ", "hf_hub"])
def test_words_are_not_keys(text: str) -> None:
    assert redact(text) == text
