"""Sorting a report by plain rules, in microseconds and without a model.

| rule               | holds when                                           | route            |
|--------------------|------------------------------------------------------|------------------|
| failing_checks     | a check of a commit that the issue names failed      | deterministic    |
| stated_high_impact | a security report, data loss or payments are stated  | human_review     |
| policy:NAME        | a maintainer's rule applies                          | human_review     |
| information_sparse | no frame, no path, no code, few words                | ai_investigation |
| contradictory      | its labels or its words say two kinds at once        | human_review     |
| resolves_in_tree   | a bug or crash whose frames or names are in the tree | ai_investigation |
| unclassified       | anything else                                        | human_review     |

The first rule that holds decides. The order is a safety constant and pinned by a test.
"""

from resolveflow.domain.report import IssueEvidence
from resolveflow.domain.triage import Kind, Triage
from resolveflow.intake.impact import stated_high_impact
from resolveflow.intake.kinds import kinds_of
from resolveflow.intake.policy import NO_POLICY, Policy
from resolveflow.intake.prose import has_code, prose

FEW_WORDS = 40


def classify(evidence: IssueEvidence, policy: Policy = NO_POLICY) -> Triage:
    """Apply the table to the evidence."""
    kinds = kinds_of(evidence)
    kind: Kind = kinds[0] if len(kinds) == 1 else "other"
    if has_failing_ci(evidence):
        failed = ", ".join(check.name for check in evidence.checks if check.failed)
        return Triage(
            kind=kind, route="deterministic", rule="failing_checks", reason=f"failing: {failed}"
        )
    return _cautious(evidence, policy, kind) or _investigable(evidence, kinds, kind)


def _cautious(evidence: IssueEvidence, policy: Policy, kind: Kind) -> Triage | None:
    impact = stated_high_impact(evidence)
    if impact:
        return Triage(
            kind=kind,
            route="human_review",
            rule="stated_high_impact",
            reason=f"high impact is stated ({impact}): a person decides what is said in public",
        )
    for rule in policy.to_human:
        if rule.applies(evidence):
            return Triage(
                kind=kind,
                route="human_review",
                rule=f"policy:{rule.name}",
                reason=f"the policy's rule “{rule.name}” sends it to a person",
            )
    return None


def _investigable(evidence: IssueEvidence, kinds: tuple[Kind, ...], kind: Kind) -> Triage:
    if is_information_sparse(evidence):
        return Triage(
            kind=kind,
            route="ai_investigation",
            rule="information_sparse",
            reason="the report says little: the repository has to say the rest",
        )
    if len(kinds) > 1:
        return Triage(
            kind="other",
            route="human_review",
            rule="contradictory",
            reason=f"it reads as {' and as '.join(kinds)} at once",
        )
    if kind in ("bug", "crash") and resolves(evidence):
        return Triage(
            kind=kind,
            route="ai_investigation",
            rule="resolves_in_tree",
            reason="its frames or names are in the repository",
        )
    return Triage(
        kind=kind,
        route="human_review",
        rule="unclassified",
        reason=of_other_sources(evidence) or "no rule says what to do with it: a person decides",
    )


def of_other_sources(evidence: IssueEvidence) -> str | None:
    """Say that a stack trace is of other sources than those that were read."""
    if evidence.tree is None or evidence.frame_files:
        return None
    if not any(crash.frames for crash in evidence.crashes):
        return None
    place = f"{evidence.tree.location} at {evidence.tree.short}"
    return f"none of its stack trace's files is in {place}: is that the right repository?"


def has_failing_ci(evidence: IssueEvidence) -> bool:
    """Whether a check of a linked pull request or of a commit that the issue names failed."""
    return any(check.failed for check in evidence.checks)


def is_information_sparse(evidence: IssueEvidence) -> bool:
    """Whether there is no frame, no path, no code and hardly a word."""
    if evidence.crashes or evidence.frame_files or evidence.named_paths:
        return False
    return not has_code(evidence.body) and len(prose(evidence.body).split()) < FEW_WORDS


def resolves(evidence: IssueEvidence) -> bool:
    """Whether a frame or a name of the report is a file of the tree."""
    return bool(evidence.named_paths) or any(frame.paths for frame in evidence.frame_files)
