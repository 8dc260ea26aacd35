"""Accounts of a cause, each worded as strongly as what it rests on and no stronger."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from resolveflow.codebase.text import parts
from resolveflow.domain.crash import Crash
from resolveflow.domain.exploration import Suspect, Symbol
from resolveflow.explore.clues import Match
from resolveflow.explore.conclusion import CodeSupport, Finding, Place
from resolveflow.explore.sources import Source, is_telling, words_of
from resolveflow.explore.trail import Step, Trail
from resolveflow.explore.wording import code, outside, place_of, quoting, where
from resolveflow.intake.formats.stack import UNKNOWN

CONTEXT = 2  # lines shown around the failing one
MOST_CALLERS = 4
MOST_NAMES = 3  # of the failing line that are followed
LONGEST_LINE = 400  # characters; names are not followed on longer ones
LOOK_BACK = 300  # lines
# A file leads clearly from this score on, and by this factor over the next one: of the leads that
# pass on the development reports, 49 of 57 are files that the fix changed (86 %, all files 64 %).
SHORTEST_WORD = 5  # characters of a word that makes a cited line the report's own
LEAST_SCORE = 0.5
LEAST_LEAD = 1.5

_ATTESTED = ("shown", "named")
_PARAMETERS = ("is a parameter", "are parameters")
_VALUES = ("gets its value", "get their values")
# A call of a plain name or of the object's own method: whose another method is, no text tells.
_CALLED = re.compile(r"(?:(?<![\w$.>:])|\b(?:self|this|cls)\.)([A-Za-z_$][\w$]*)\s*\(")
_IMPORTS = re.compile(r"\b(?:import|require|include|use|from)\b")
_RAISES = re.compile(r"\s*(?:raise|throw|panic!)(?!\w)")
_MEMBER = re.compile(r"(?:\.|->|::)\s*[A-Za-z_$][\w$]*")
_OUTCOME = re.compile(r"\s*(?:return|raise|throw|panic)\b")
_STRING = re.compile(r"\"[^\"]*\"|'[^']*'")


@dataclass(frozen=True)
class Account:
    """What is claimed, the findings that it rests on, and the place it is about."""

    cause: str
    findings: tuple[Finding, ...]
    source: Source
    line: int
    caller: Step | None = None  # where a line that only refuses what it was given got it from

    @property
    def places(self) -> tuple[Place, ...]:
        """The lines that a change would be about."""
        place = place_of(self.source, self.line)
        if self.caller is None:
            return (place,)
        return tuple(dict.fromkeys((place, place_of(self.caller.source, self.caller.line))))

    @property
    def quoted(self) -> frozenset[tuple[str, int]]:
        """The lines that its findings quote."""
        return frozenset(
            (support.path, number)
            for finding in self.findings
            for support in finding.supports
            if isinstance(support, CodeSupport)
            for number in range(support.start_line, support.end_line + 1)
        )


def from_crash(trail: Trail, read: Sequence[Source]) -> Account:
    """The failing frame, the calls that led to it, and what its line takes and calls."""
    step, callers = trail.steps[0], _callers(trail)
    failing = Finding(
        claim=_failing(step),
        supports=(quoting(step.source, step.line, context=CONTEXT),),
    )
    called = list(_called(step, trail.crash, read)) if step.grade != "moved" else []
    findings = [
        failing,
        *(_passed(caller) for caller in trail.steps[1 : MOST_CALLERS + 1]),
        *(_bound(step) if step.grade != "moved" else ()),
        *(finding for finding, _ in called),
    ]
    insights = [insight for _, insight in called if insight]
    refuses = step.grade in _ATTESTED and _RAISES.match(step.text)
    caller = callers[0] if callers and refuses and trail.below is None else None
    if caller:
        at = where(caller.source, caller.line, caller.function)
        insights = [f"It refuses what it was given, so the cause may as well be at {at}."]
    return Account(
        cause=" ".join([*_cause(trail), *insights[:1]]),
        findings=tuple(findings),
        source=step.source,
        line=step.line,
        caller=caller,
    )


def from_match(match: Match) -> Account:
    """Words of the report that are in one place of the searched files only."""
    source, line, function = match.source, match.line, match.function
    spot, text = where(source, line, function), code(match.clue.text)
    if match.clue.kind == "message":
        cause = (
            f"The report's message {text} comes from {spot}. The line is "
            f"{code(source.line(line))}. What leads there is not shown by the report."
        )
    else:
        last = function.end_line if function else line
        cause = (
            f"The report is about {text}, which is defined at {source.path}:{line}-{last}. "
            "What fails in it is not shown by the report."
        )
    claim = f"Of the files searched, only {source.path} has {text}, at line {line}."
    finding = Finding(claim=claim, supports=(quoting(source, line, context=CONTEXT),))
    return Account(cause=cause, findings=(finding,), source=source, line=line)


def from_suspects(
    suspects: Sequence[Suspect], read: Mapping[str, Source], report: str
) -> Account | None:
    """The file that the report's words point to, if it leads clearly and has a line with them.

    A line that shares no word with the report would be real but not relevant: it is never cited.
    """
    if not suspects or suspects[0].score < LEAST_SCORE or suspects[0].path not in read:
        return None
    if len(suspects) > 1 and suspects[0].score < LEAST_LEAD * suspects[1].score:
        return None
    suspect, source = suspects[0], read[suspects[0].path]
    line = _first_told(source, suspect.symbols, report)
    if line is None:
        return None
    reasons = "; ".join(suspect.reasons[:3])
    why = f" ({reasons})" if reasons else ""
    claim = f"The report's words point to {source.path} more than to any other file{why}."
    spot = where(source, line, source.function_at(line))
    cause = f"{claim} Its lines most like the report begin at {spot}; none is shown to fail."
    finding = Finding(claim=claim, supports=(quoting(source, line),))
    return Account(cause=cause, findings=(finding,), source=source, line=line)


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
    moved = f", as line {step.frame.line}" if step.line != step.frame.line else ""
    grounds = {
        "shown": f"the report prints the same line{moved}",
        "named": "the trace names the same function",
        "moved": "the trace names this function, at another line",
        "placed": "by its line number alone",
    }
    return f"The innermost frame in this tree is {spot}: {grounds[step.grade]}."


def _passed(step: Step) -> Finding:
    spot = where(step.source, step.line, step.function)
    return Finding(
        claim=f"On the way there the trace passes {spot}.",
        supports=(quoting(step.source, step.line),),
    )


def _bound(step: Step) -> Iterator[Finding]:
    """Where the names of the failing line get their values, in the same function."""
    if len(step.text) > LONGEST_LINE or step.function is None:
        return
    names = dict.fromkeys(words_of(_MEMBER.sub("", _STRING.sub("", step.text))))
    found = [(name, line) for name in names if (line := _binding(name, step))][:MOST_NAMES]
    for line in dict.fromkeys(line for _, line in found):
        bound = [code(name) for name, line_of_name in found if line_of_name == line]
        hows = _PARAMETERS if line == step.function.start_line else _VALUES
        how = hows[len(bound) > 1]
        yield Finding(
            claim=f"{' and '.join(bound)} of that line {how} at {step.source.path}:{line}.",
            supports=(quoting(step.source, line),),
        )


def _binding(name: str, step: Step) -> int | None:
    """The nearest line above, in the function, that binds the name."""
    first = step.function.start_line if step.function else step.line
    word = rf"(?<![\w.$]){re.escape(name)}\b"
    assigned = re.compile(rf"{word}[^=()<>!]{{0,60}}(?::=|=(?![=>]))|\bfor\b.{{0,80}}{word}")
    for line in range(step.line - 1, max(first, step.line - LOOK_BACK), -1):
        if assigned.search(step.source.line(line)[:LONGEST_LINE]):
            return line
    return first if re.search(word, step.source.line(first)) and first != step.line else None


def _called(
    step: Step, crash: Crash, read: Sequence[Source]
) -> Iterator[tuple[Finding, str | None]]:
    """What the failing line calls, and the line of it that is most like the message."""
    if len(step.text) > LONGEST_LINE:
        return
    called = " ".join(_CALLED.findall(_STRING.sub("", step.text)))
    for name in dict.fromkeys(words_of(called)):
        found = _definition(name, step.source, read)
        if found is None or found[1] == step.function:
            continue
        source, symbol = found
        line = _most_like(crash, source, symbol)
        spot = f"{source.path}:{symbol.start_line}-{symbol.end_line}"
        supports = [quoting(source, _header(source, symbol))]
        insight = None
        if line is not None:
            supports.append(quoting(source, line))
            insight = (
                f"{code(name)}, which it calls ({spot}), has at line {line} "
                f"{code(source.line(line).strip())}."
            )
        claim = f"The line calls {code(name)}, defined at {spot}."
        yield Finding(claim=claim, supports=tuple(supports)), insight


def _definition(name: str, source: Source, read: Sequence[Source]) -> tuple[Source, Symbol] | None:
    """The one definition of a name in its own file, else in another if the file imports it."""
    places = [(source, symbol) for symbol in source.defined(name)]
    if not places and any(name in line and _IMPORTS.search(line) for line in source.lines):
        places = [(one, symbol) for one in read for symbol in one.defined(name)]
    return places[0] if len(places) == 1 else None


def _header(source: Source, symbol: Symbol) -> int:
    """The line of a definition that bears its name."""
    numbers = range(symbol.start_line, symbol.end_line + 1)
    return next((n for n in numbers if symbol.name in source.line(n)), symbol.start_line)


def _most_like(crash: Crash, source: Source, symbol: Symbol) -> int | None:
    """The line that gives or raises something in words of the failure, two or more of them."""
    wanted = set(parts(f"{crash.type} {crash.message}"))
    below = range(symbol.start_line + 1, symbol.end_line + 1)
    numbers = [n for n in below if _OUTCOME.match(source.line(n))]
    shared = {n: len(wanted & set(parts(source.line(n)[:LONGEST_LINE]))) for n in numbers}
    best = max(numbers, key=lambda n: (shared[n], -n), default=None)
    return best if best is not None and shared[best] >= 2 else None


def _first_told(source: Source, symbols: Sequence[Symbol], report: str) -> int | None:
    """The first telling line of the best region, else of the file, with a word of the report."""
    told = {word for word in _lower_parts(report) if len(word) >= SHORTEST_WORD}
    regions = [range(it.start_line, it.end_line + 1) for it in symbols[:1]]
    for numbers in (*regions, range(1, len(source.lines) + 1)):
        for number in numbers:
            if number > len(source.lines) or not is_telling(source.line(number)):
                continue
            if not told.isdisjoint(_lower_parts(source.line(number))):
                return number
    return None


def _lower_parts(text: str) -> set[str]:
    return {part.lower() for word in words_of(text) for part in (word, *parts(word))}
