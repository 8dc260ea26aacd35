"""The routing table: every row, every pair of neighbours, and what must not tip it."""

from itertools import combinations

import pytest

from resolveflow.domain.crash import Crash, Frame
from resolveflow.domain.report import Check, FrameFile, IssueEvidence, TreeRef
from resolveflow.intake.policy import Policy, ToHuman
from resolveflow.steps.classify import classify, has_failing_ci, is_information_sparse

LONG = "The app behaves in a strange way when I open the second window of it. " * 5
FAILED = Check(name="unit tests", conclusion="failure", commit="a" * 40)
CRASH = Crash(type="ValueError", message="no", frames=(Frame(function="f", file="a.py", line=3),))
POLICY = Policy(to_human=(ToHuman(name="legal", words=("second window",)),))


def evidence(**changes: object) -> IssueEvidence:
    values = {
        "source": "o/r#1",
        "target": None,
        "title": "It fails",
        "body": LONG,
        "content_hash": "0" * 64,
    }
    return IssueEvidence.model_validate({**values, **changes})


# Each rule with the least evidence that fires it, in the order of the table.
RULES: dict[str, tuple[dict[str, object], str]] = {
    "failing_checks": ({"checks": (FAILED,)}, "deterministic"),
    "stated_high_impact": ({"labels": ("security",)}, "human_review"),
    "policy:legal": ({"body": LONG}, "human_review"),
    "contradictory": ({"labels": ("bug", "question")}, "human_review"),
    "resolves_in_tree": ({"named_paths": ("src/a.py",)}, "ai_investigation"),
}


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_fires(rule: str) -> None:
    changes, route = RULES[rule]
    triage = classify(evidence(**changes), POLICY if rule.startswith("policy") else Policy())
    assert (triage.rule, triage.route) == (rule, route)


@pytest.mark.parametrize(("earlier", "later"), list(combinations(RULES, 2)))
def test_the_earlier_of_two_rules_wins(earlier: str, later: str) -> None:
    both = {**RULES[later][0], **RULES[earlier][0]}
    labels = (*RULES[earlier][0].get("labels", ()), *RULES[later][0].get("labels", ()))  # type: ignore[misc]
    policy = POLICY if "policy:legal" in (earlier, later) else Policy()
    assert classify(evidence(**{**both, "labels": labels}), policy).rule == earlier


def test_sparse_reports_are_investigated() -> None:
    triage = classify(
        evidence(
            title="experimental_taintUniqueValue throws RangeError for large binary values",
            body="",
        )
    )
    assert (triage.rule, triage.route) == ("information_sparse", "ai_investigation")


def test_sparse_comes_after_caution_and_before_contradiction() -> None:
    sparse = {"body": "", "title": "It broke in the second window"}
    assert classify(evidence(**sparse), POLICY).rule == "policy:legal"
    assert classify(evidence(**sparse, labels=("security",))).rule == "stated_high_impact"
    assert classify(evidence(**sparse, labels=("bug", "question"))).rule == "information_sparse"


def test_everything_else_goes_to_a_person() -> None:
    assert classify(evidence()).rule == "unclassified"
    assert classify(evidence(title="Weird", named_paths=("a.py",))).rule == "unclassified"
    assert classify(evidence(labels=("feature",), named_paths=("a.py",))).rule == "unclassified"


@pytest.mark.parametrize(
    ("conclusion", "fails"),
    [
        ("failure", True),
        ("error", True),
        ("timed_out", True),
        ("startup_failure", True),
        ("success", False),
        ("pending", False),
        ("skipped", False),
        ("neutral", False),
        ("cancelled", False),
        ("action_required", False),
    ],
)
def test_only_a_bad_end_is_a_failing_check(conclusion: str, fails: bool) -> None:
    check = FAILED.model_copy(update={"conclusion": conclusion})
    assert has_failing_ci(evidence(checks=(check,))) is fails


@pytest.mark.parametrize(
    ("changes", "sparse"),
    [
        ({"body": ""}, True),
        ({"body": "<!-- " + LONG + " -->"}, True),
        ({"body": LONG}, False),
        ({"body": "see `f(x)`"}, False),
        ({"body": "```\nx\n```"}, False),
        ({"body": "", "crashes": (CRASH,)}, False),
        ({"body": "", "named_paths": ("a.py",)}, False),
        ({"body": "", "frame_files": (FrameFile(crash=0, frame=0, paths=("a.py",)),)}, False),
    ],
)
def test_sparse_means_no_frame_no_path_no_code_few_words(
    changes: dict[str, object], sparse: bool
) -> None:
    assert is_information_sparse(evidence(**changes)) is sparse


def test_a_crash_whose_frames_resolve_is_investigated() -> None:
    files = (FrameFile(crash=0, frame=0, paths=("a.py",)),)
    triage = classify(evidence(crashes=(CRASH,), frame_files=files))
    assert (triage.kind, triage.rule) == ("crash", "resolves_in_tree")


def test_a_crash_of_something_else_is_not() -> None:
    assert classify(evidence(crashes=(CRASH,))).rule == "unclassified"


@pytest.mark.parametrize(
    ("title", "labels", "kind"),
    [
        ("Boom", ("bug",), "bug"),
        ("Boom", ("type: crash", "bug"), "crash"),
        ("Boom", ("kind/enhancement",), "feature"),
        ("Boom", ("question",), "question"),
        ("Add support for TOML", (), "feature"),
        ("[Feature] TOML", (), "feature"),
        ("How to read TOML", (), "question"),
        ("Can it read TOML?", (), "question"),
        ("Reading TOML raises an exception", (), "bug"),
        ("TOML", (), "other"),
    ],
)
def test_kinds(title: str, labels: tuple[str, ...], kind: str) -> None:
    assert classify(evidence(title=title, labels=labels)).kind == kind


def test_form_headings_tell_a_bug() -> None:
    body = f"### Actual behaviour\n\n{LONG}\n\n### Version\n\n_No response_"
    assert classify(evidence(title="TOML", body=body)).kind == "bug"


TREE = TreeRef(location="/srv/r", kind="git", commit="c" * 40, reason="HEAD")


def test_a_trace_of_other_sources_is_told() -> None:
    triage = classify(evidence(crashes=(CRASH,), tree=TREE))
    assert (triage.rule, triage.route) == ("unclassified", "human_review")
    assert "none of its stack trace's files is in /srv/r at cccccccccccc:" in triage.reason


@pytest.mark.parametrize(
    "changes",
    [
        {"crashes": (CRASH,)},
        {"tree": TREE},
        {"tree": TREE, "crashes": (CRASH.model_copy(update={"frames": ()}),)},
        {
            "tree": TREE,
            "crashes": (CRASH,),
            "frame_files": (FrameFile(crash=0, frame=0, paths=("a.py",)),),
            "labels": ("question",),
        },
    ],
)
def test_other_sources_are_suspected_only_where_a_trace_was_looked_up(changes) -> None:
    triage = classify(evidence(**changes))
    assert triage.rule in ("unclassified", "contradictory")
    assert "stack trace" not in triage.reason
