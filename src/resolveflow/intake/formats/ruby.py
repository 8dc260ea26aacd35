"""Ruby backtraces."""

import re
from collections.abc import Iterator, Sequence

from resolveflow.domain.crash import Frame
from resolveflow.intake.formats.stack import UNKNOWN, Found, Headline, Run, crash_of, frame_of, runs

SIGNS = (":in `", ":in '")

_FRAME = re.compile(r"\s*(?:\d+: )?(?:from )?(\S[^:\s]*(?::/[^:\s]*)?):(\d+):in [`']([^`']+)'(.*)")
_RAISED = re.compile(r": (.*?)(?: \(([A-Z][\w:]*)\))?$")
_TYPED = re.compile(
    r".{0,80}?\b((?:[A-Z]\w*::)*[A-Z]\w*(?:Error|Exception|NotFound))(?:: (.*)|\s*$)"
)
_BLOCK = re.compile(r"^(?:block (?:\(\d+ levels\) )?in |rescue in |ensure in )+")


def scan(lines: Sequence[str]) -> Iterator[Found]:
    """Find backtraces, whose first line may hold message and type."""
    for run in runs(lines, _frame, gap=1):
        yield Found(run.first, crash_of(_headline(lines, run), run.frames, "ruby"))


def _frame(line: str) -> Frame | None:
    match = _FRAME.match(line) if ":in " in line else None
    return frame_of("ruby", _BLOCK.sub("", match[3]), match[1], match[2]) if match else None


def _headline(lines: Sequence[str], run: Run) -> Headline:
    first = _FRAME.match(lines[run.first])
    raised = _RAISED.match(first[4]) if first else None
    if raised:
        return raised[2] or UNKNOWN, raised[1]
    above = lines[run.first - 1].strip() if run.first else ""
    typed = _TYPED.match(above)
    return (typed[1], typed[2] or "") if typed else (UNKNOWN, above)
