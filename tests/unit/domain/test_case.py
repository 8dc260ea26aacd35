"""What a case tells about its stages, and a tree about its commit."""

import pytest

from resolveflow.domain.case import did, summary
from resolveflow.domain.report import TreeRef
from resolveflow.domain.review import Verification
from tests.full_case import EVIDENCE, FRESH, POSTED, REVIEW, WAITING


def tree(commit: str) -> TreeRef:
    return TreeRef(location="/srv/r", kind="git", commit=commit, reason="HEAD")


@pytest.mark.parametrize(
    ("commit", "short"),
    [
        ("0123456789abcdef" * 4, "0123456789ab"),
        (f"sha256:{'0123456789abcdef' * 4}", "sha256:0123456789ab"),
    ],
)
def test_a_commit_is_shown_by_twelve_digits(commit: str, short: str) -> None:
    evidence = EVIDENCE.model_copy(update={"tree": tree(commit)})
    case = WAITING.model_copy(update={"evidence": evidence})
    assert tree(commit).short == short
    assert summary(case, "normalize_evidence") == f"no crash; {short}, HEAD"


def test_a_stage_that_had_nothing_to_work_with_did_not_do_its_work() -> None:
    ran = WAITING.model_copy(update={"verification": Verification(reproduced=False, reason="no")})
    refused = POSTED.resolution
    assert refused is not None
    refused = refused.model_copy(update={"outcome": "refused"})
    assert did(WAITING, "verify_diagnosis") is None
    assert did(ran, "verify_diagnosis") is True
    assert did(WAITING, "classify") is True
    assert did(POSTED, "execute") is True
    assert did(FRESH, "execute") is False
    assert did(POSTED.model_copy(update={"resolution": refused}), "execute") is False


def test_the_gates_approve_nothing_in_a_persons_stead() -> None:
    assert summary(WAITING, "independent_review") == "the gates let it through"
    review = REVIEW.model_copy(update={"outcome": "escalate_to_human"})
    case = WAITING.model_copy(update={"review": review})
    assert summary(case, "independent_review") == "for a person: risk_ok, permission_ok said no"
    case = WAITING.model_copy(update={"review": review.model_copy(update={"gates": {}})})
    assert summary(case, "independent_review") == "for a person"
