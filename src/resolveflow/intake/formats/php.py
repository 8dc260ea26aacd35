"""PHP fatal errors and exception traces."""

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

SIGNS = (".php",)

_CALL = re.compile(r"\s*#\d+ (?:(\S[^()]*)\((\d+)\)|\[internal function\]): ([^()]+)\(")
_THROWN = r"(?: in (/?[^\s:]+\.php)(?::| on line )(\d+))?$"
_UNCAUGHT = re.compile(r".{0,120}?(?:Uncaught |Next )([\w\\]+)(?:: (.*?))?" + _THROWN)
_PLAIN = re.compile(r".{0,120}?\b([\w\\]*(?:Error|Exception)|Fatal error)\b:? *(.*?)" + _THROWN)


def scan(lines: Sequence[str]) -> Iterator[Found]:
    """Find traces; PHP prints the root cause before what follows from it (`Next`).

    A line names the function called and the place of the call, so places move down by one.
    """
    for run in runs(lines, _call, gap=1, ends=_headline):
        above = headline_above(lines, run.first, _headline, reach=3)
        number, headline = above or (run.first, (UNKNOWN, ""))
        thrown = _match(lines[number]) if above else None
        frames = _moved(run.frames, *(thrown.groups()[2:] if thrown else (None, None)))
        yield Found(number, crash_of(headline, frames, "php"))


def _call(line: str) -> Frame | None:
    match = _CALL.match(line) if "#" in line else None
    return frame_of("php", match[3], match[1], match[2]) if match else None


def _headline(line: str) -> Headline | None:
    match = _match(line)
    return (match[1], match[2] or "") if match else None


def _match(line: str) -> re.Match[str] | None:
    return _UNCAUGHT.match(line) or _PLAIN.match(line)


def _moved(calls: Sequence[Frame], file: str | None, line: str | None) -> list[Frame]:
    frames: list[Frame] = []
    place: tuple[str | None, str | int | None] = (file, line)
    for call in calls:
        frames.append(frame_of("php", call.function, *place))
        place = (call.file, call.line)
    return [*frames, frame_of("php", None, *place)]
