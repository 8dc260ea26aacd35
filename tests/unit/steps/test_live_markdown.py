import pytest

from tests.live_markdown import live_parts

MARKER = "<!-- resolveflow:case -->"


@pytest.mark.parametrize(
    "comment",
    [
        "see @octocat", "fixes #1", "GH-2", "https://e.com", "www.e.com", "![x](y)", "[x](y)",
        "a <b>bold</b>", "<!-- other -->", "# heading", "> quote", "1. one", "---", "\\@octocat",
        "a &commat;b", "0123abc", "| a |\n|---|\n| b |", "    code", "/close", "ok\n/lgtm",
        "a\u200bb", "a\u202eb", "~~x~~", "<https://e.com>",
    ],
)  # fmt: skip
def test_live_text_is_found(comment: str) -> None:
    assert live_parts(comment, MARKER) != []


def test_dead_text_is_not() -> None:
    comment = f"**Cause.** `@a` in `b.py:1`:\n\n```text\n1 | @a #1\n```\n\n- *x*\n\n{MARKER}"
    assert live_parts(comment, MARKER) == []
