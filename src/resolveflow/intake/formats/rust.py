"""Rust panics, with and without a backtrace."""

import re
from collections.abc import Iterator, Sequence

from resolveflow.domain.crash import Frame
from resolveflow.intake.formats.stack import UNKNOWN, Found, crash_of, frame_of

SIGNS = ("panicked at", ".rs:")

_PANIC = re.compile(r".{0,120}?thread '?[^']{0,80}'? ?(?:\(\d+\) )?panicked at (.*)")
_PLACE = re.compile(r"([^\s'\"][^'\"]{0,400}?):(\d+):(\d+):?$")
_NUMBERED = re.compile(r"\s*\d+: +(?:0x[0-9a-f]+ - )?(\S.*)$")
_AT = re.compile(r"\s+at (\S.{0,400}?):(\d+)(?::(\d+))?\s*$")
_HASH = re.compile(r"::h[0-9a-f]{16}$")
_MESSAGE_LINES = 20  # over which the message of an old-style panic may run
_REACH = 12  # lines between a panic and its backtrace


def scan(lines: Sequence[str]) -> Iterator[Found]:
    """Find panics and the backtraces that follow them; the panic's own place is innermost."""
    number = 0
    while number < len(lines):
        panic = _PANIC.match(lines[number]) if "panicked at " in lines[number] else None
        if panic:
            end, message, place = _panic(lines, number, panic[1])
            end, frames = _backtrace(lines, end, _REACH)
            if place:
                frames = _with_place(place, frames)
            yield Found(number, crash_of(("panic", message), frames, "rust"))
            number = end
        elif _NUMBERED.match(lines[number]) and _at(lines, number + 1):
            end, frames = _backtrace(lines, number, 0)
            yield Found(number, crash_of((UNKNOWN, ""), frames, "rust"))
            number = max(end, number + 1)
        else:
            number += 1


def _panic(lines: Sequence[str], number: int, rest: str) -> tuple[int, str, Frame | None]:
    """Read message and place: `'message', src/a.rs:1:2`, or since 1.73 `src/a.rs:1:2:` first."""
    if not rest.startswith("'"):
        place = _PLACE.match(rest.strip())
        message = lines[number + 1] if number + 1 < len(lines) else ""
        return number + 2, message, _place(place)
    for end in range(number, min(number + _MESSAGE_LINES, len(lines))):
        text = rest if end == number else lines[end]
        message, separator, tail = text.rpartition("', ")
        if separator and (place := _PLACE.match(tail.strip())):
            start = rest if end > number else message
            return end + 1, start.lstrip("'"), _place(place)
    return number + 1, rest.strip("'"), None


def _place(match: re.Match[str] | None) -> Frame | None:
    return frame_of("rust", None, match[1], match[2], match[3]) if match else None


def _with_place(place: Frame, frames: list[Frame]) -> list[Frame]:
    same = [f for f in frames if f.line == place.line and f.file and place.file
            and f.file.endswith(place.file.lstrip("."))]  # fmt: skip
    return frames if same else [place, *frames]


def _backtrace(lines: Sequence[str], start: int, reach: int) -> tuple[int, list[Frame]]:
    """Read numbered functions and the `at` lines below them; returns the line after them."""
    frames: list[Frame] = []
    last = start
    number = start
    while number < len(lines) and number - last <= (2 if frames else reach):
        if function := _NUMBERED.match(lines[number]):
            at = _at(lines, number + 1)
            name = _HASH.sub("", function[1].strip())
            frames.append(frame_of("rust", name, *(at.groups() if at else ())))
            last = number + 1 if at else number
        number += 1
    return (last + 1 if frames else start), frames


def _at(lines: Sequence[str], number: int) -> re.Match[str] | None:
    return _AT.match(lines[number]) if number < len(lines) else None
