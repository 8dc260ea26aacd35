"""What a report lacks, and what an exploration did not look at, in words."""

from collections.abc import Iterator, Sequence

from resolveflow.domain.report import IssueEvidence
from resolveflow.explore.account import Account
from resolveflow.explore.markdown import one_line
from resolveflow.explore.sources import Sources
from resolveflow.explore.trail import Trail
from resolveflow.intake.missing import missing_facts


def missing(
    evidence: IssueEvidence, trails: Sequence[Trail], account: Account | None
) -> tuple[str, ...]:
    """What would make a diagnosis possible, or a better one."""
    facts = missing_facts(evidence, "crash" if evidence.crashes else "bug")
    return (*facts, *_lacking(evidence, trails, account))


def _lacking(
    evidence: IssueEvidence, trails: Sequence[Trail], account: Account | None
) -> Iterator[str]:
    frames = sum(len(crash.frames) for crash in evidence.crashes)
    if trails and account is None:
        step = trails[0].steps[0]
        yield (
            f"The version that the trace is of: its line {step.frame.line} of {step.source.path} "
            "is another one here"
        )
    elif frames and not evidence.frame_files:
        whose = "the frame's file" if frames == 1 else f"none of the {frames} frames' files"
        verb = "is not" if frames == 1 else "is"
        doubt = "" if account else ": is it the right repository?"
        yield f"A stack trace of this project: {whose} {verb} in this tree{doubt}"
    elif frames and not trails:
        yield (
            f"A stack trace of this version: none of the {frames} frames fits a line of this tree"
        )
    elif account is None:
        yield (
            "A stack trace, an exact error message or the name of a function: nothing in the "
            "report points to one place of this tree"
        )


def not_examined(
    evidence: IssueEvidence, trails: Sequence[Trail], sources: Sources, unseen: Sequence[str]
) -> tuple[str, ...]:
    """What was not run, read or followed, the most important first."""
    gaps = evidence.tree.gaps if evidence.tree else ()
    said = [
        "Nothing was run: the report's failure was not reproduced here",
        *gaps,
        *(f"In {trail.crash.type}: {note}" for trail in trails for note in trail.unclear),
        *(f"{trail.crash.type}, another crash of the report" for trail in trails[1:]),
        *(f"{path} {why}" for path, why in sources.skipped.items() if path.isprintable()),
        *unseen,
    ]
    return tuple(dict.fromkeys(one_line(line) for line in said))
