"""Apple crash reports as text (`.crash`), as JSON (`.ips`) and KSCrash's JSON."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from resolveflow.domain.crash import Frame
from resolveflow.intake.formats.native_frames import apple_frame
from resolveflow.intake.formats.stack import UNKNOWN, Found, crash_of, frame_of

SIGNS = ("Exception Type:", '"binary_images"', '"usedImages"')

_FIELD = re.compile(r"(Exception Type|Exception Codes|Termination Reason): *(.*)")
_REASON = re.compile(r"\*\*\* Terminating app due to uncaught exception '(\w+)', reason: '(.*)'")


def scan(lines: Sequence[str]) -> Iterator[Found]:
    """Find the crashed thread; the stack of an uncaught exception goes before it."""
    yield from _text(lines)
    yield from _documents(lines)


def _text(lines: Sequence[str]) -> Iterator[Found]:
    fields: dict[str, str] = {}
    first = 0
    stacks: dict[str, list[Frame]] = {}
    current: list[Frame] | None = None
    for number, line in enumerate(lines):
        if field := _FIELD.match(line):
            first = first if fields else number
            fields.setdefault(field[1], field[2])
        elif reason := _REASON.match(line):
            fields["type"], fields["message"] = reason[1], reason[2]
        elif line.startswith("Last Exception Backtrace:") or line.rstrip().endswith(" Crashed:"):
            current = stacks.setdefault(line.split()[0], [])
        elif current is not None and (numbered := apple_frame(line)):
            current.append(numbered[1])
        elif not line.strip():
            current = None
    frames = stacks.get("Last") or stacks.get("Thread")
    if frames:
        kind = fields.get("type") or fields.get("Exception Type", UNKNOWN)
        message = fields.get("message") or fields.get("Exception Codes", "")
        yield Found(first, crash_of((kind, message), frames, "apple"))


def _documents(lines: Sequence[str]) -> Iterator[Found]:
    """Read the JSON document that begins on the first or, after a header, the second line."""
    starts = [number for number, line in enumerate(lines[:50]) if line.startswith("{")][:2]
    for number in starts:
        try:
            report = json.loads("\n".join(lines[number:]))
        except (ValueError, RecursionError):
            continue
        if isinstance(report, dict):
            yield from _kscrash(report) if "crash" in report else _ips(report)
            return


def _kscrash(report: dict[str, Any]) -> Iterator[Found]:
    crash = _mapping(report.get("crash"))
    error = _mapping(crash.get("error"))
    exception = _mapping(error.get("nsexception"))
    signal = _mapping(error.get("signal"))
    kind = exception.get("name") or signal.get("name") or error.get("type") or UNKNOWN
    message = error.get("reason") or exception.get("reason") or ""
    for thread in map(_mapping, _items(crash.get("threads"))):
        if thread.get("crashed"):
            contents = map(_mapping, _items(_mapping(thread.get("backtrace")).get("contents")))
            frames = [
                frame_of("native", _text_of(c, "symbol_name"), module=_text_of(c, "object_name"))
                for c in contents
            ]
            yield Found(0, crash_of((str(kind), str(message)), frames, "apple"))


def _ips(report: dict[str, Any]) -> Iterator[Found]:
    images = [_text_of(_mapping(i), "name") for i in _items(report.get("usedImages"))]
    threads = [_mapping(thread) for thread in _items(report.get("threads"))]
    crashed = [t for t in threads if t.get("triggered")]
    stacks = [
        _items(report.get("lastExceptionBacktrace")),
        *(_items(t.get("frames")) for t in crashed),
    ]
    exception = _mapping(report.get("exception"))
    for stack in [stack for stack in stacks if stack][:1]:
        frames = [_ips_frame(_mapping(frame), images) for frame in stack]
        headline = _text_of(exception, "type") or UNKNOWN, _text_of(exception, "signal") or ""
        yield Found(0, crash_of(headline, frames, "apple"))


def _ips_frame(frame: dict[str, Any], images: list[str | None]) -> Frame:
    index, line = frame.get("imageIndex"), frame.get("sourceLine")
    module = images[index] if isinstance(index, int) and 0 <= index < len(images) else None
    return frame_of(
        "native",
        _text_of(frame, "symbol"),
        _text_of(frame, "sourceFile"),
        line if isinstance(line, int) else None,
        module=module,
    )


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _items(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _text_of(mapping: dict[str, Any], key: str) -> str | None:
    value = mapping.get(key)
    return value if isinstance(value, str) else None
