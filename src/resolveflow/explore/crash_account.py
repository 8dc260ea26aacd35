"""The account of a crash whose frames are in the tree."""

import re
from collections.abc import Iterator, Sequence

from resolveflow.codebase.text import parts
from resolveflow.domain.crash import Crash
from resolveflow.domain.exploration import Symbol
from resolveflow.explore.account import Account
from resolveflow.explore.calls import Call, calls_at
from resolveflow.explore.conclusion import Finding
from resolveflow.explore.sources import Source
from resolveflow.explore.trail import Step, Trail
from resolveflow.explore.value_flow import bound
from resolveflow.explore.wording import CONTEXT, LONGEST_LINE, code, outside, quoting, where
from resolveflow.intake.formats.stack import UNKNOWN

MOST_STEPS = 4  # of the trace above the failing line that are told

_ATTESTED = ("shown", "named")
_RAISES = re.compile(r"\s*(?:raise|throw|panic!)(?!\w)")
_OUTCOME = re.compile(r"\s*(?:return|raise|throw|panic)\b")


def from_crash(trail: Trail, read: Sequence[Source]) -> Account:
    """The failing frame, the calls that led to it, and what its line takes and calls."""
    step = trail.steps[0]
    known = step.grade != "moved"
    calls = calls_at(step.source, step.line, read) if known else ()
    called = [_answering(call, trail.crash) for call in calls]
    insights = [insight for _, insight in called if insight]
    caller = _caller_to_blame(trail)
    if caller:
        at = where(caller.source, caller.line, caller.function)
        insights = [f"It refuses what it was given, so the cause may as well be at {at}."]
    failing = quoting(step.source, step.line, context=CONTEXT)
    return Account(
        ground=step.grade,
        cause=" ".join([*_cause(trail), *insights[:1]]),
        findings=(
            Finding(claim=_failing(step), supports=(failing,)),
            *map(_passed, trail.steps[1 : MOST_STEPS + 1]),
            *(bound(step) if known else ()),
            *(finding for finding, _ in called),
        ),
        source=step.source,
        line=step.line,
        caller=caller,
    )


def _caller_to_blame(trail: Trail) -> Step | None:
    """Who gave a line that does no more than refuse it what it was given."""
    step, callers = trail.steps[0], _callers(trail)
    refuses = step.grade in _ATTESTED and _RAISES.match(step.text)
    return callers[0] if callers and refuses and trail.below is None else None


def _answering(call: Call, crash: Crash) -> tuple[Finding, str | None]:
    """The call as a finding, and in words its line that is most like the failure."""
    line = _most_like(crash, call.source, call.symbol)
    if line is None:
        return call.finding, None
    spot = f"{call.source.path}:{call.symbol.start_line}-{call.symbol.end_line}"
    insight = (
        f"{code(call.symbol.name)}, which it calls ({spot}), has at line {line} "
        f"{code(call.source.line(line).strip())}."
    )
    supports = (*call.finding.supports, quoting(call.source, line))
    return call.finding.model_copy(update={"supports": supports}), insight


def _most_like(crash: Crash, source: Source, symbol: Symbol) -> int | None:
    """The line that gives or raises something in words of the failure, two or more of them."""
    wanted = set(parts(f"{crash.type} {crash.message}"))
    below = range(symbol.start_line + 1, symbol.end_line + 1)
    numbers = [n for n in below if _OUTCOME.match(source.line(n))]
    shared = {n: len(wanted & set(parts(source.line(n)[:LONGEST_LINE]))) for n in numbers}
    best = max(numbers, key=lambda n: (shared[n], -n), default=None)
    return best if best is not None and shared[best] >= 2 else None


def _cause(trail: Trail) -> Iterator[str]:
    step = trail.steps[0]
    failure, ends = _headline(trail.crash)
    spot = where(step.source, step.line, step.function)
    callers = _callers(trail)
    called = f", called from {_from(callers[0], step)}" if callers else ""
    if step.grade == "moved":
        inside = step.function or Symbol(name="?", start_line=step.line, end_line=step.line)
        yield (
            f"{failure} passes through {code(inside.name)} "
            f"({step.source.path}:{inside.start_line}-{inside.end_line}). The trace says line "
            f"{step.frame.line}, which is outside it here, so the trace is of another version of "
            "this file and the failing line is not established."
        )
        return
    if trail.below:
        yield (
            f"{failure} {ends} in {outside(trail.below)}, outside what could be placed in this "
            f"tree, below the call at {spot}{called}."
        )
    else:
        yield f"{failure} {ends} at {spot}{called}."
    yield f"The line is {code(step.text.strip())}."
    if step.relocated:
        yield step.relocated
    if step.grade == "placed":
        yield "Nothing else in the report confirms that this tree is the version that failed."


def _callers(trail: Trail) -> list[Step]:
    """The attested calls above the failing line; a comprehension on that line is none."""
    own = trail.steps[0]
    return [
        step
        for step in trail.steps[1:]
        if step.grade in _ATTESTED and (step.source, step.line) != (own.source, own.line)
    ]


def _headline(crash: Crash) -> tuple[str, str]:
    """The crash as its headline has it, if any, and what it does where its trace ends."""
    known = [part for part in (crash.type, crash.message) if part and part != UNKNOWN]
    return (code(": ".join(known)), "is raised") if known else ("A trace without headline", "ends")


def _from(caller: Step, step: Step) -> str:
    path = "" if caller.source is step.source else f"{caller.source.path} "
    name = code(caller.function.name) if caller.function else "module level"
    return f"{name} ({path}line {caller.line})"


def _failing(step: Step) -> str:
    spot = where(step.source, step.line, step.function)
    grounds = {
        "shown": "the report prints the same line",
        "named": "the trace names the same function",
        "moved": "the trace names this function, at another line",
        "placed": "by its line number alone",
    }
    return _joined(f"The innermost frame in this tree is {spot}: {grounds[step.grade]}.", step)


def _passed(step: Step) -> Finding:
    spot = where(step.source, step.line, step.function)
    return Finding(
        claim=_joined(f"On the way there the trace passes {spot}.", step),
        supports=(quoting(step.source, step.line),),
    )


def _joined(claim: str, step: Step) -> str:
    return f"{claim} {step.relocated}".rstrip()
