"""How places and code are worded and quoted in a report."""

import re

from resolveflow.domain.crash import Frame
from resolveflow.domain.exploration import Symbol
from resolveflow.explore.conclusion import CodeSupport, Place
from resolveflow.explore.markdown import one_line
from resolveflow.explore.sources import Source, is_telling

CONTEXT = 2  # lines quoted around the one that an account is about
LONGEST_LINE = 400  # characters; names are not followed on longer ones
LONGEST_QUOTE = 300  # characters of one line
LONGEST_INLINE = 160
LONGEST_PLACE = 120  # lines; of a longer function only the lines around the place are named
AROUND = 10

STRING = re.compile(r"\"[^\"]*\"|'[^']*'")
_LAST_WORD = re.compile(r"\w+$")


def code(text: str) -> str:
    """The text in a code span; in quotation marks where it would end one."""
    line = one_line(text)
    shown = line if len(line) <= LONGEST_INLINE else line[: LONGEST_INLINE - 1] + "…"
    return f"“{shown}”" if "`" in shown else f"`{shown}`"


def where(source: Source, line: int, function: Symbol | None) -> str:
    """`path:line`, and the function that it is in."""
    inside = f" in {code(function.name)}" if function else ""
    return f"{source.path}:{line}{inside}"


def quoting(source: Source, line: int, *, context: int = 0) -> CodeSupport:
    """The line and those around it, verbatim: `context` many, or more until they tell something.

    They stay within the line's function; what is too long of a line is cut off.
    """
    for around in range(context, AROUND + 1):
        support = _quoting(source, line, around)
        if is_telling("\n".join(support.lines)):
            break
    return support


def _quoting(source: Source, line: int, around: int) -> CodeSupport:
    function = source.function_at(line)
    first = max(line - around, function.start_line if function else 1)
    last = min(line + around, function.end_line if function else len(source.lines))
    lines = tuple(_cut(source.line(number)) for number in range(first, last + 1))
    return CodeSupport(path=source.path, start_line=first, end_line=last, lines=lines)


def place_of(source: Source, line: int) -> Place:
    """The function around the line, or the lines around it where that is long or absent."""
    function = source.function_at(line)
    if function and function.end_line - function.start_line < LONGEST_PLACE:
        first, last = function.start_line, function.end_line
    else:
        first, last = max(1, line - AROUND), min(len(source.lines), line + AROUND)
    symbol = function.name if function else None
    return Place(path=source.path, start_line=first, end_line=last, symbol=symbol)


def outside(frame: Frame) -> str:
    """A frame that is not in the tree, as the log names it."""
    file = (frame.file or frame.module or "").replace("\\", "/").rpartition("/")[2]
    at = f" ({file}{f':{frame.line}' if frame.line else ''})" if file else ""
    name = code(frame.function) if frame.function else "a function without a name"
    return f"{name}{at}"


def _cut(line: str) -> str:
    if len(line) <= LONGEST_QUOTE:
        return line
    return _LAST_WORD.sub("", line[:LONGEST_QUOTE]) or line[:LONGEST_QUOTE]
