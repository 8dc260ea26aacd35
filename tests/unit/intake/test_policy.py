"""A policy adds caution, in TOML, and says what is wrong with it."""

from pathlib import Path

import pytest

from resolveflow.domain.errors import InvalidSettings
from resolveflow.domain.report import FrameFile, IssueEvidence
from resolveflow.intake.policy import NO_POLICY, ToHuman, parse_policy


def evidence(**changes: object) -> IssueEvidence:
    values = {
        "source": "x",
        "target": None,
        "title": "Boom in Login",
        "body": "",
        "labels": ("area: auth",),
        "author_association": "NONE",
        "named_paths": ("src/auth/login.py",),
        "content_hash": "0",
    }
    return IssueEvidence.model_validate({**values, **changes})


def test_every_key_is_read() -> None:
    policy = parse_policy(
        b"""
        new_comments_void_approval = true
        [[to_human]]
        name = "auth"
        labels = ["Area: Auth"]
        words = ["login"]
        paths = ["src/auth/*"]
        associations = ["NONE"]
        """
    )
    assert policy.new_comments_void_approval
    (rule,) = policy.to_human
    assert rule.applies(evidence())
    for change in (
        {"labels": ()},
        {"title": "Boom"},
        {"named_paths": ()},
        {"author_association": "OWNER"},
    ):
        assert not rule.applies(evidence(**change))


def test_failing_files_count_as_paths() -> None:
    rule = ToHuman(name="auth", paths=("src/auth/*",))
    frame = FrameFile(crash=0, frame=0, paths=("src/auth/x.py",))
    assert rule.applies(evidence(named_paths=(), frame_files=(frame,)))


def test_a_rule_without_conditions_never_applies() -> None:
    assert not ToHuman(name="empty").applies(evidence())
    assert NO_POLICY.to_human == ()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"= broken", "no TOML"),
        (b"\xff\xfe", "no TOML"),
        (b"risk_ok = false", "risk_ok"),
        (b"[[to_human]]\nlabels = ['x']", "to_human.0.name"),
        (b"[[to_human]]\nname = 'x'\nroute = 'deterministic'", "to_human.0.route"),
        (b"[[to_human]]\nname = 'x'\nassociations = ['FRIEND']", "associations"),
    ],
)
def test_what_is_wrong_is_named(data: bytes, said: str) -> None:
    with pytest.raises(InvalidSettings, match=said):
        parse_policy(data)


def test_the_documented_example_is_a_policy() -> None:
    page = (Path(__file__).parents[3] / "docs" / "policy.md").read_text()
    policy = parse_policy(page.split("```toml\n")[1].split("```")[0].encode())
    assert [rule.name for rule in policy.to_human] == ["sign-in", "newcomers with logs"]
