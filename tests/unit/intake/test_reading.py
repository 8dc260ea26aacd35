"""From a file's bytes to a report, or to one clear sentence."""

import json

import pytest

from resolveflow.domain.errors import InvalidReport
from resolveflow.intake.invisible import is_invisible, visible
from resolveflow.intake.reading import LARGEST, read_report


def test_an_issue_as_the_api_returns_it() -> None:
    payload = {"title": "Boom", "body": None, "number": 3, "labels": [{"name": "bug", "id": 1}]}
    report = read_report(json.dumps(payload).encode(), source="issue.json")
    assert report.kind == "issue"
    assert report.issue is not None
    assert (report.issue.title, report.issue.body) == ("Boom", None)


@pytest.mark.parametrize("data", [b"Traceback", b"{broken", b'{"a":' * 5_000, b"[1, 2]"])
def test_anything_else_that_is_text(data: bytes) -> None:
    report = read_report(data, source="x.log")
    assert (report.kind, report.text) == ("crash", data.decode())


@pytest.mark.parametrize(
    ("encoding", "bom"),
    [("utf-8", b"\xef\xbb\xbf"), ("utf-16-le", b"\xff\xfe"), ("utf-16-be", b"\xfe\xff")],
)
def test_byte_order_marks(encoding: str, bom: bytes) -> None:
    assert read_report(bom + "größer".encode(encoding), source="x").text == "größer"


def test_invalid_utf8_is_read_with_replacements() -> None:
    assert read_report(b"error: caf\xe9 is closed today", source="x").text == (
        "error: caf\N{REPLACEMENT CHARACTER} is closed today"
    )


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "empty"),
        (b" \n\t ", "empty"),
        (b"\x7fELF\0\0", "binary"),
        (bytes(range(1, 32)) * 10, "binary"),
        (bytes(range(128, 256)) * 10, "binary"),
        (b"x" * (LARGEST + 1), "20 MB"),
        (b'{"body": "no title"}', "title"),
        (b'{"title": 5}', "title"),
        (b'{"title": "t", "pull_request": {}}', "pull request"),
    ],
)
def test_what_cannot_be_used_is_named(data: bytes, said: str) -> None:
    with pytest.raises(InvalidReport, match=said) as raised:
        read_report(data, source="report.txt")
    assert str(raised.value).startswith("report.txt")
    assert "\n" not in str(raised.value)


def test_invisible_characters_are_kept_and_can_be_shown() -> None:
    text = "ab\N{RIGHT-TO-LEFT OVERRIDE}cd\N{ZERO WIDTH SPACE}\x1b[31m\n"
    report = read_report(text.encode(), source="x")
    assert report.text == text
    assert visible(text) == "ab⟨U+202E⟩cd⟨U+200B⟩⟨U+001B⟩[31m\n"
    assert visible("plain") == "plain"
    assert not is_invisible("ß")
