"""Stated impact: the damage counts, not the name of a feature, and not its denial."""

import pytest

from resolveflow.domain.crash import Crash
from resolveflow.domain.report import IssueEvidence
from resolveflow.intake.impact import HIGH_IMPACT, severity_floor, stated_high_impact


def evidence(title: str = "Boom", body: str = "", **changes: object) -> IssueEvidence:
    values = {"source": "x", "target": None, "title": title, "body": body, "content_hash": "0"}
    return IssueEvidence.model_validate({**values, **changes})


@pytest.mark.parametrize(
    "phrase", [phrase for phrases in HIGH_IMPACT.values() for phrase in phrases]
)
def test_every_phrase_counts_in_title_and_body(phrase: str) -> None:
    assert stated_high_impact(evidence(title=f"There is {phrase.title()} here"))
    assert stated_high_impact(evidence(body=f"Since the update:\n{phrase}!"))
    assert severity_floor(evidence(body=phrase)) == "high"


@pytest.mark.parametrize(
    "text",
    [
        "This is not a security issue",
        "added 5 packages, found 0 vulnerabilities",
        "There was no data loss.",
        "If this is a security vulnerability please mail us",
        "Is there any data loss? I think so",
        "experimental_taintUniqueValue throws RangeError",
        "Unexpected token < in JSON",
        "The payment page has a wrong colour",
        "invulnerability potion has no effect",
        "> security vulnerability",
        "```\nsecurity vulnerability\n```",
        "- [ ] This is a security issue",
        "<!-- security issue? mail us -->",
    ],
)
def test_denied_asked_or_quoted_does_not_count(text: str) -> None:
    assert stated_high_impact(evidence(body=text)) is None


def test_a_denial_of_one_sentence_does_not_silence_the_next() -> None:
    assert stated_high_impact(evidence(body="It is not slow. Data loss happens."))
    assert stated_high_impact(evidence(body="This is not a security issue, but data loss happens"))


def test_a_cve_number_counts() -> None:
    assert stated_high_impact(evidence(body="this is CVE-2026-12345")) == "security: CVE-2026-12345"


@pytest.mark.parametrize("label", ["security", "Security", "type: security", "kind/data-loss"])
def test_labels_count(label: str) -> None:
    assert stated_high_impact(evidence(labels=(label,))) == f"label {label}"


def test_the_floor_of_ordinary_reports() -> None:
    crash = Crash(type="ValueError", message="")
    assert severity_floor(evidence()) == "low"
    assert severity_floor(evidence(crashes=(crash,))) == "medium"
    assert severity_floor(evidence(labels=("regression",))) == "medium"
    assert severity_floor(evidence(body="It crashes at start")) == "medium"
