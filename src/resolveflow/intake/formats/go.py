"""Go panics, fatal errors and data races."""

import re
from collections.abc import Iterator, Sequence

from resolveflow.domain.crash import Frame
from resolveflow.intake.formats.stack import (
    UNKNOWN,
    Found,
    Headline,
    Run,
    crash_of,
    frame_of,
    headline_above,
)

SIGNS = (".go:", "goroutine ")

_PLACE = re.compile(r"\s+(?!#)(\S(?:.{0,400}\S)?\.(?:go|s|c)):(\d+)(?: \+0x[0-9a-f]+)?\s*$")
_CALL = re.compile(r"\s*(?:created by )?([\w./~@$-][^\s{]*?)(?:\([^()]*\)| in goroutine \d+)?\s*$")
_GOROUTINE = re.compile(r"goroutine \d+ [^:]*:")
_WITHIN = 5  # lines between two places of one stack
_BETWEEN = 8  # lines between the stacks of one dump
_REACH = 12  # lines from a panic to its stack
_HEADLINE = re.compile(
    r".{0,120}?(panic: |fatal error: |(?=runtime error: )|WARNING: (?=DATA RACE))(.*)"
)


def scan(lines: Sequence[str]) -> Iterator[Found]:
    """Find stacks; of a dump only the goroutine that is printed first has crashed."""
    end = -_BETWEEN
    for stack in _stacks(lines):
        above = headline_above(lines, stack.first, _headline, reach=_REACH)
        another_goroutine = above is None or above[0] <= end
        if not (another_goroutine and stack.first - end < _BETWEEN):
            number, headline = above or (stack.first, (UNKNOWN, ""))
            yield Found(number, crash_of(headline, _below_panic(stack.frames), "go"))
        end = stack.last


def _stacks(lines: Sequence[str]) -> Iterator[Run]:
    stack: Run | None = None
    for number, line in enumerate(lines):
        if stack and (number - stack.last > _WITHIN or _GOROUTINE.match(line)):
            yield stack
            stack = None
        place = _PLACE.match(line) if ":" in line else None
        if place is None:
            continue
        stack = stack or Run(first=number, last=number)
        stack.last = number
        stack.frames.append(frame_of("go", _caller(lines, number), place[1].strip(), place[2]))
    if stack:
        yield stack


def _caller(lines: Sequence[str], number: int) -> str | None:
    """Read the function from the line above its place; its arguments may have wrapped."""
    for above in range(number - 1, max(number - 4, -1), -1):
        line = lines[above].strip()
        if not line or (line.startswith("(") and not line.startswith("(*")):
            continue
        match = _CALL.match(line)
        return match[1] if match else None
    return None


def _below_panic(frames: list[Frame]) -> list[Frame]:
    """Mark what ran after the panic, deferred functions, as not the cause."""
    marks = [
        at for at, frame in enumerate(frames) if frame.function in {"panic", "runtime.gopanic"}
    ]
    if not marks:
        return frames
    end = marks[-1]
    return [f.model_copy(update={"in_app": False}) for f in frames[:end]] + frames[end:]


def _headline(line: str) -> Headline | None:
    match = _HEADLINE.match(line)
    if not match or _PLACE.match(line):
        return None
    message = match[2].removesuffix(" [recovered]")
    kind = match[1].rstrip(": ") or "panic"
    return ("data race", message) if kind == "WARNING" else (kind, message)
