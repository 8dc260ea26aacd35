""".NET stack traces, in the languages that Windows prints them in."""

import re
from collections.abc import Iterator, Sequence

from resolveflow.domain.crash import Frame
from resolveflow.intake.formats.stack import (
    UNKNOWN,
    Found,
    Headline,
    crash_of,
    frame_of,
    headline_above,
    runs,
)

SIGNS = ("   at ", " in ", "Exception")

_FRAME = re.compile(
    r"\s{0,40}(?:at|bei|à|en|em|в|在|場所) "
    r"([\w.`<>$|+\[\], ]{1,300}?\.[\w.`<>$|+\[\],]{1,300})\(([^()]*)\)"
    r"(?: (?:in|dans|en|в|位置) (.+?):(?:line|Zeile|ligne|línea|строка|行号) ?(\d+))?\s*$"
)
_HEADLINE = re.compile(r".{0,60}?\b((?:[A-Z]\w*\.)+\w*(?:Exception|Error)\w*)(?:: (.*)|\s*$)")
_JAVA_PLACES = {"Native Method", "Unknown Source"}
_INNER = " ---> "
_INNER_END = "--- End of inner exception stack trace ---"


def scan(lines: Sequence[str]) -> Iterator[Found]:
    """Find stack traces; the innermost exception of `--->` is printed, and comes, first."""
    for run in runs(lines, _frame, gap=2):
        above = headline_above(lines, run.first, _headline)
        number, (kind, message) = above or (run.first, (UNKNOWN, ""))
        parts = _split(lines, run.first, run.last, run.frames)
        chain = _chain(f"{kind}: {message}")
        while len(chain) < len(parts):
            chain.append((UNKNOWN, ""))
        for headline, frames in zip(reversed(chain), parts, strict=False):
            yield Found(number, crash_of(headline, frames, "csharp"))


def _frame(line: str) -> Frame | None:
    match = _FRAME.match(line) if "(" in line else None
    if match is None or not _are_parameters(match[2]):
        return None
    return frame_of("csharp", match[1].strip(), match[3], match[4])


def _are_parameters(text: str) -> bool:
    # Java prints a place there instead: `(File.java:12)`, `(Native Method)`.
    return not text or (" " in text and ":" not in text and text not in _JAVA_PLACES)


def _headline(line: str) -> Headline | None:
    match = _HEADLINE.match(line)
    return (match[1], match[2] or "") if match else None


def _chain(text: str) -> list[Headline]:
    """Split `A: a ---> B: b` into its exceptions, the outermost first."""
    return [(kind, message) for kind, _, message in (p.partition(": ") for p in text.split(_INNER))]


def _split(
    lines: Sequence[str], first: int, last: int, frames: Sequence[Frame]
) -> list[list[Frame]]:
    """Split a run where the stack of an inner exception ends."""
    parts: list[list[Frame]] = [[]]
    remaining = iter(frames)
    for number in range(first, last + 1):
        if _INNER_END in lines[number]:
            parts.append([])
        elif _frame(lines[number]):
            parts[-1].append(next(remaining))
    return parts
