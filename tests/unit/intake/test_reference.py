import pytest
from hypothesis import given
from hypothesis import strategies as st

from resolveflow.domain.errors import InvalidReference
from resolveflow.domain.report import IssueRef
from resolveflow.intake.reference import is_repository_name, parse_issue_url

WEB = "https://github.com/"
REF = IssueRef(owner="astanin", repo="python-tabulate", number=12)


@pytest.mark.parametrize(
    "text",
    [
        "https://github.com/astanin/python-tabulate/issues/12",
        "  https://github.com/astanin/python-tabulate/issues/12/\n",
        "https://GitHub.com/astanin/python-tabulate/issues/12?x=1#issuecomment-99",
        "https://github.com:443/astanin/python-tabulate/issues/12#issue-1",
        "HTTPS://github.com/astanin/python-tabulate/issues/12",
        "astanin/python-tabulate#12",
    ],
)
def test_an_issue_link_names_its_issue(text: str) -> None:
    assert parse_issue_url(text, web_url=WEB) == REF


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("https://github.com/a/b/pull/7", "a/b#7 is a pull request: give the issue's link"),
        ("https://github.com/a/b/pull/7/files", "is a pull request"),
        ("https://github.com/a/b/discussions/7", "is a discussion: give the issue's link"),
        ("https://github.com/a/b/issues", "names no issue"),
        ("https://github.com/a/b/issues/new", "names no issue"),
        ("https://github.com/a/b/issues/0", "names no issue"),
        ("https://github.com/a/b/issues/007", "names no issue"),
        ("https://github.com/a/b/issues/٣", "names no issue"),
        ("https://github.com/a/b/issues/1/../../2", "names no issue"),
        ("https://github.com/a/b%2fc/issues/1", "names no issue"),
        ("https://github.com/a/../issues/1", "no repository's name"),
        ("https://github.com/-a/b/issues/1", "names no issue"),
        ("https://github.com", "names no issue"),
        ("https://gitlab.com/a/b/issues/1", "leads to https://gitlab.com"),
        ("https://api.github.com/repos/a/b/issues/1", "leads to https://api.github.com"),
        ("http://github.com/a/b/issues/1", "leads to http://github.com"),
        ("https://github.com:8443/a/b/issues/1", "leads to https://github.com:8443"),
        ("https://github.com.evil.example/a/b/issues/1", "leads to https://github.com.evil"),
        ("https://github.com@evil.example/a/b/issues/1", "user name or a password"),
        ("https://github.com\\@evil.example/a/b/issues/1", "user name or a password"),
        ("https://github。com/a/b/issues/1", "is no issue's link"),
        ("https://ɡithub.com/a/b/issues/1", "is no issue's link"),
        ("file:///etc/passwd", "is no issue's link"),
        ("it crashes", "is no issue's link"),
        ("", "is no issue's link"),
        ("a/b#0", "is no issue's link"),
        ("a/..#1", "no repository's name"),
        ("https://github.com/" + "a" * 3000, "longer than any"),
    ],
)
def test_anything_else_is_refused_in_one_line_that_says_what_to_give(text: str, says: str) -> None:
    with pytest.raises(InvalidReference) as raised:
        parse_issue_url(text, web_url=WEB)
    message = str(raised.value)
    assert says in message
    assert message.endswith("Accepted: https://github.com/OWNER/REPO/issues/N or OWNER/REPO#N.")
    assert "\n" not in message


def test_a_password_in_a_link_is_not_repeated() -> None:
    with pytest.raises(InvalidReference) as raised:
        parse_issue_url("https://x:ghp_secret@github.com/a/b/issues/1", web_url=WEB)
    assert "ghp_secret" not in str(raised.value)


@pytest.mark.parametrize("web", ["http://127.0.0.1:8080", "http://[::1]:8080/", "https://ghe.corp"])
def test_the_host_is_the_configured_one(web: str) -> None:
    link = f"{web.rstrip('/')}/a/b/issues/3"
    assert parse_issue_url(link, web_url=web) == IssueRef(owner="a", repo="b", number=3)
    with pytest.raises(InvalidReference, match=r"leads to https://github\.com"):
        parse_issue_url("https://github.com/a/b/issues/3", web_url=web)


@given(st.text(max_size=200))
def test_no_text_gives_anything_but_a_reference_or_its_error(text: str) -> None:
    try:
        ref = parse_issue_url("https://github.com/" + text, web_url=WEB)
    except InvalidReference:
        return
    assert is_repository_name(ref.owner, ref.repo)
    assert ref.number > 0
