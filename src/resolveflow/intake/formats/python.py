"""Python tracebacks: plain, chained, of exception groups, indented or in a log."""

import re
from collections.abc import Iterator, Sequence

from resolveflow.domain.crash import Frame
from resolveflow.intake.formats.stack import Found, Headline, Run, crash_of, frame_of, runs

SIGNS = ("Traceback (most recent call last)", 'File "', ", line ")

_FRAME = re.compile(r'[ |+\-\t]{0,40}File "([^"]{1,1000})", line (\d{1,9})(?:, in (.{1,300}))?')
_ERROR = re.compile(
    r"[ |+\-\t]{0,40}([A-Za-z_][\w.]{0,200}?(?:Error|Exception|Exit|Interrupt|Warning|Group"
    r"|Stop[A-Z]\w{0,40}|[A-Z]\w{0,60}))(?:: ?(.*))?$"
)
_TAIL = 6  # lines between the last frame and the error: the source line, carets, syntax marks


def scan(lines: Sequence[str]) -> Iterator[Found]:
    """Find every traceback; of a chain the original exception comes first, as it is printed."""
    for run in runs(lines, _frame, gap=4):
        headline = _error_below(lines, run)
        if headline is not None:
            yield Found(run.first, crash_of(headline, run.frames[::-1], "python"))


def _frame(line: str) -> Frame | None:
    if 'File "' not in line:
        return None
    match = _FRAME.match(line)
    return frame_of("python", match[3], match[1], match[2]) if match else None


def _error_below(lines: Sequence[str], run: Run) -> Headline | None:
    for line in lines[run.last + 1 : run.last + 1 + _TAIL]:
        match = _ERROR.match(line)
        if match and not line.startswith("    "):
            return match[1], match[2] or ""
    return None
