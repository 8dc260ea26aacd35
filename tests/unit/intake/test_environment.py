"""Reported versions, forms, and what is missing."""

import pytest

from resolveflow.domain.crash import Crash, Frame
from resolveflow.domain.github import Comment
from resolveflow.domain.report import IssueEvidence
from resolveflow.intake.environment import package_version, reported_versions
from resolveflow.intake.forms import form_fields
from resolveflow.intake.missing import missing_facts
from resolveflow.intake.prose import has_code, prose


@pytest.mark.parametrize(
    ("text", "name", "version"),
    [
        ("Python 3.11.7", "python", "3.11.7"),
        ("tabulate==0.9.0", "tabulate", "0.9.0"),
        ("I use tabulate 0.9.0 on Linux", "tabulate", "0.9.0"),
        ("node v20.1.0", "node", "20.1.0"),
        ("Version: 1.2.3", "version", "1.2.3"),
        ("- **Version**: v1.2.3", "version", "1.2.3"),
        ("### Version\n\n1.2.3\n", "version", "1.2.3"),
        ("### React version\n\nv19.0.0-rc.1", "react", "19.0.0-rc.1"),
        ("Lighthouse version: 6.0", "lighthouse", "6.0"),
        ("react@18.2.0", "react", "18.2.0"),
        ("Django: 5.2.19", "django", "5.2.19"),
        ("OS: Windows 11", "os", "Windows 11"),
        ("I run Linux .", "os", "Linux"),
        ("On Ubuntu 22.04.", "os", "Ubuntu 22.04"),
    ],
)
def test_versions(text: str, name: str, version: str) -> None:
    assert reported_versions(text)[name] == version


@pytest.mark.parametrize("text", ["see line 12.5", "took 3.5 seconds", "in 1.2.3", "", "1.2.3.4"])
def test_numbers_that_are_no_versions(text: str) -> None:
    assert set(reported_versions(text)) <= {"took"}


def test_the_first_mention_counts() -> None:
    assert reported_versions("foo 1.0.0\nfoo 2.0.0")["foo"] == "1.0.0"


def test_a_hostile_line_is_cut() -> None:
    assert reported_versions("a" * 1_000_000 + " 1.2.3") == {}


def test_the_reported_project_comes_before_the_unnamed_version() -> None:
    found = {"tabulate": "0.9.0", "version": "1.0.0", "my-lib": "2.0.0"}
    assert package_version(found, ("tabulate",)) == "0.9.0"
    assert package_version(found, ("My_Lib",)) == "2.0.0"
    assert package_version(found, ("other",)) == "1.0.0"
    assert package_version({}, ("other",)) is None


def test_form_fields() -> None:
    body = "intro\n### Steps\n\n1. run\n```\n### not a heading\n```\n### Version\n\n_No response_\n"
    assert form_fields(body) == {"steps": "1. run\n```\n### not a heading\n```", "version": ""}


def test_prose_leaves_code_quotes_and_templates_out() -> None:
    text = (
        "mine\n> quoted\n# Heading\n~~~\ncode\n```\n~~~\n- [ ] box\n    indented\n"
        "a <!-- hidden\n --> b\n<!-- open"
    )
    assert prose(text).split() == ["mine", "a", "b"]
    assert has_code("a `b` c")
    assert not has_code("a ` c")


def evidence(body: str, **changes: object) -> IssueEvidence:
    values = {"source": "x", "target": None, "title": "Boom", "body": body, "content_hash": "0"}
    return IssueEvidence.model_validate({**values, **changes})


def test_everything_absent_is_missing() -> None:
    assert len(missing_facts(evidence("It broke"), "bug")) == 3
    assert len(missing_facts(evidence("It broke"), "crash")) == 3
    assert missing_facts(evidence("It broke"), "feature") == ()


def test_nothing_is_asked_that_is_there() -> None:
    body = "### Version\n\nlatest\n\n### Steps to reproduce\n\nrun\n\nExpected: no error"
    assert missing_facts(evidence(body), "bug") == ()
    crash = Crash(type="E", message="", frames=(Frame(function="f"),))
    full = evidence("`f()`", crashes=(crash,), environment={"pkg": "3.11"})
    assert missing_facts(full, "crash") == ()


def test_an_answer_in_the_thread_counts() -> None:
    said = Comment(id=1, body="### Version\n\n1.2\n\nTo reproduce: run. I expected nothing.")
    assert missing_facts(evidence("It broke", comments=(said,)), "bug") == ()
