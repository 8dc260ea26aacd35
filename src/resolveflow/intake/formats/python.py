"""Python tracebacks: plain, chained, exception groups, notebooks, without a headline."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from resolveflow.domain.crash import Frame
from resolveflow.intake.formats.stack import UNKNOWN, Found, Headline, crash_of, frame_of

SIGNS = ('File "', "File ~", "File /", "Traceback (most recent call last)", "<ipython-input", "E  ")

_PATIENCE = 4  # lines without a frame or an exception after which a stack has ended
_BARS = re.compile(r" {0,40}(?:\| |\+ |\+-\+-)[ |+-]{0,40}")
_FRAME = re.compile(r'( *)(?:E +)?File "([^"]+)", line (\d+)(?:, in (.+))?')
_CELL = re.compile(
    r"( *)(?:File )?([~/.<]?[^\s:]+\.py|<ipython-input[^>]+>)(?::(\d+),)? in ([\w<>.]+)"
)
_ARROW = re.compile(r"-{1,8}> (\d+) ")
_PYTEST = re.compile(r"([^\s:]+\.py):(\d+): (?:in ([\w<>.]+))?$")
_EXCEPTION = re.compile(r"( *)(?:E {3})?((?:\w+\.)*_*[A-Z]\w*|(?:\w+\.)+\w+)(?:: ?(.*)| *$)")
_NAMED_LIKE_ONE = re.compile(r"Error|Exception|Warning|Interrupt|Exit|Failure|Fault|Timeout|Stop")
_HEADER = "Traceback (most recent call last)"


@dataclass
class _Stack:
    """An unfinished traceback; its frames are in printed order, the outermost first."""

    line: int
    indent: int
    above: Headline | None = None
    frames: list[Frame] = field(default_factory=list)
    idle: int = 0
    headed: bool = False  # a header stands above, so an exception is one even without frames


def scan(lines: Sequence[str]) -> Iterator[Found]:
    """Find tracebacks; of a chain Python itself prints the root cause first."""
    groups: list[Found] = []
    for found in _tracebacks(lines):
        # The parts of a group are what failed; the group only carries them.
        if found.crash.type.endswith("ExceptionGroup"):
            groups.append(Found(len(lines), found.crash))
        else:
            yield found
    yield from groups


def _tracebacks(lines: Sequence[str]) -> Iterator[Found]:
    stack: _Stack | None = None
    for number, raw in enumerate(lines):
        line = _without_bars(raw)
        if _HEADER in line:
            yield from _unfinished(stack)
            above = _headline_before(lines, number)
            stack = _Stack(number, _indent(line), above=above, headed=True)
        elif frame := _frame(line):
            stack = stack or _Stack(number, _indent(line))
            stack.frames.append(frame)
            stack.idle = 0
        elif stack is None:
            continue
        elif headline := _headline(line, stack):
            yield Found(stack.line, crash_of(headline, stack.frames[::-1], "python"))
            stack = None
        elif not _goes_on(line, stack):
            yield from _unfinished(stack)
            stack = None
    yield from _unfinished(stack)


def _without_bars(line: str) -> str:
    bars = _BARS.match(line) if "|" in line or "+" in line else None
    return line[bars.end() :] if bars else line


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _frame(line: str) -> Frame | None:
    if match := _FRAME.match(line):
        _, file, number, function = match.groups()
        return frame_of("python", (function or "").strip(), file, number)
    if " in " in line and (match := _CELL.match(line)):
        _, file, number, function = match.groups()
        return frame_of("python", function, file, number)
    if line.startswith(("/", "src", "test")) and (match := _PYTEST.match(line)):
        file, number, function = match.groups()
        return frame_of("python", function, file, number)
    return None


def _headline(line: str, stack: _Stack) -> Headline | None:
    match = _EXCEPTION.match(line)
    if not match or not (stack.frames or stack.headed):
        return None
    _, name, message = match.groups()
    last = name.rpartition(".")[2]
    if last.isupper():
        return None  # INFO: and its like
    if _indent(line) > stack.indent + 1 and not _NAMED_LIKE_ONE.search(last):
        return None  # a line of source code
    return name, message or ""


def _headline_before(lines: Sequence[str], number: int) -> Headline | None:
    match = _EXCEPTION.match(lines[number - 1]) if number else None
    if match and not match[2].isupper() and _NAMED_LIKE_ONE.search(match[2]):
        return match[2], match[3] or ""
    return None


def _goes_on(line: str, stack: _Stack) -> bool:
    """Whether a line may stand inside a traceback; notes the line number of a notebook's cell."""
    arrow = _ARROW.match(line)
    if arrow and stack.frames and stack.frames[-1].line is None:
        stack.frames[-1] = stack.frames[-1].model_copy(update={"line": int(arrow[1])})
    stack.idle = 0 if arrow else stack.idle + 1
    return stack.idle <= (12 if _is_cell(stack) else _PATIENCE)


def _is_cell(stack: _Stack) -> bool:
    # A notebook prints source lines around each frame.
    return (
        bool(stack.frames)
        and stack.frames[-1].file is not None
        and (stack.frames[-1].file.startswith("<ipython") or stack.frames[-1].line is None)
    )


def _unfinished(stack: _Stack | None) -> Iterator[Found]:
    if stack is not None and stack.frames:
        headline = stack.above or (UNKNOWN, "")
        yield Found(stack.line, crash_of(headline, stack.frames[::-1], "python"))
