"""Proving a diagnosis by running the report's reproduction."""

from resolveflow.domain.diagnosis import Investigation
from resolveflow.domain.report import IssueEvidence
from resolveflow.domain.review import Verification


async def verify_diagnosis(
    evidence: IssueEvidence, investigation: Investigation, *, sandbox: None = None
) -> Verification:
    """Say that nothing was run: there is no sandbox in which a stranger's code may run."""
    return Verification(reproduced=None, reason="not run: no sandbox is configured")
