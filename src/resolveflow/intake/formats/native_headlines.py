"""The lines with which native tools say what went wrong, as a table."""

import re
from collections.abc import Callable

from resolveflow.domain.crash import Frame
from resolveflow.intake.formats.stack import MAX_MESSAGE, Headline, frame_of

Parsed = tuple[Headline, Frame | None]
_Read = Callable[[re.Match[str]], Parsed]


def _typed(match: re.Match[str]) -> Parsed:
    return (match["type"].strip(), (match["message"] or "").strip()), None


def _placed(kind: str) -> _Read:
    def read(match: re.Match[str]) -> Parsed:
        groups = match.groupdict()
        place = frame_of("native", groups.get("function"), match["file"], match["line"])
        return (kind, (groups.get("message") or "").strip()), place

    return read


def _named(kind: str) -> _Read:
    return lambda match: ((kind, match["message"].strip()), None)


def _checked(match: re.Match[str]) -> Parsed:
    (kind, message), place = _placed("Fatal error")(match)
    for mark in ("Check failed: ", "Assert failed: ", "NOTREACHED hit. ", "DCHECK failed: "):
        if message.startswith(mark):
            return (mark.rstrip(": ."), message.removeprefix(mark)), place
    return (kind, message), place


# (a text that must be in the line, the pattern, how it is read); the first that fits counts.
_TABLE: tuple[tuple[str, str, _Read], ...] = (
    ("Sanitizer: ", r"(?:ERROR|WARNING): \w+Sanitizer: (?P<type>attempting (?:double-)?free"
     r"|detected memory leaks|requested allocation size|data race|[\w-]+)(?P<message>.*)", _typed),
    ("libFuzzer: ", r"ERROR: (?P<type>libFuzzer): (?P<message>.*)", _typed),
    (" leak of ", r"(?P<type>(?:Direct|Indirect) leak) of (?P<message>.*)", _typed),
    ("runtime error: ", r"(?P<file>[^\s:]+):(?P<line>\d+):\d+: runtime error: (?P<message>.*)",
     _placed("runtime error")),
    ("FATAL:", r"\[[^\]]*FATAL:(?P<file>[^(\]]+)\((?P<line>\d+)\)\] ?(?P<message>.*)", _checked),
    ("] ", r"F\d{4} [\d:.]+ +\d+ (?P<file>[^:\]]+):(?P<line>\d+)\] (?P<message>.*)", _checked),
    ("F/", r"F/[\w.-]+\( *\d+\): (?P<file>[^:\s]+):(?P<line>\d+):? ?(?P<message>.*)", _checked),
    ("Fatal error in", r"# Fatal error in (?P<file>[^,\s]+), line (?P<line>\d+)",
     _placed("Fatal error")),
    ("Fatal error in", r"# (?P<type>Fatal error) in (?P<message>.*)", _typed),
    ("heck failed: ", r"# (?P<type>(?:Debug c|C)heck failed): (?P<message>.*)", _typed),
    ("correctness failure", r"# (?P<type>V8 correctness failure)(?P<message>)", _typed),
    ("sandbox violation", r"## (?P<type>V8 sandbox violation) (?P<message>.*)", _typed),
    ("# ", r"# (?P<message>(?:[A-Z]\w+Error|Type representation error|Allocation failed"
     r"|Cannot create).*)", _named("Fatal error")),
    ("correctness ", r"# V8 correctness (?P<message>(?:configs|sources).*)",
     _named("V8 correctness failure")),
    ("received signal ", r"received signal (?P<type>SIG\w+)(?:, (?P<message>.*))?", _typed),
    ("BUG: ", r"BUG: (?P<type>KASAN|KMSAN|KCSAN|UBSAN|unable to handle)\W+(?P<message>.*)", _typed),
    ("BUG DETECTED: ", r"BUG DETECTED: (?P<type>[^=]+)=*(?P<message>)", _typed),
    ("ERROR:", r"\S+:ERROR:(?P<file>[^\s:]+):(?P<line>\d+):(?P<function>\w+): (?P<message>.*)",
     _placed("assertion failed")),
    ("ssertion `", r"(?P<file>[^\s:]+):(?P<line>\d+): (?P<function>.{0,200}?): Assertion "
     r"`(?P<message>.*?)' failed", _placed("assertion failed")),
    ("Assertion failed: file", r"Assertion failed: file (?P<file>\S+), line (?P<line>\d+)",
     _placed("assertion failed")),
    ("CHECK", r"(?P<file>[\w./-]+):(?P<line>\d+):?\)? (?P<message>CHECK\w*\(.*failed.*)",
     _placed("CHECK failed")),
    ("terminate called", r"terminate called after throwing an instance of '(?P<type>[^']+)'"
     r"(?P<message>)", _typed),
    ("CANNOT LINK", r"CANNOT LINK EXECUTABLE.*?(?P<message>library .*)", _named("missing library")),
    ("loading shared libraries", r"error while loading shared libraries: (?P<message>.*)",
     _named("missing library")),
    ("ExceptionCode: ", r"ExceptionCode: \w+ \((?P<type>[^)]*)\)(?P<message>)", _typed),
    ("Access violation", r"(?P<type>Access violation)(?P<message> - code .*)", _typed),
    ("Segmentation fault", r"(?P<type>Segmentation fault)(?P<message>.*)", _typed),
)  # fmt: skip
_PATTERNS = tuple((mark, re.compile(pattern), read) for mark, pattern, read in _TABLE)


def parse_headline(line: str) -> Parsed | None:
    """Read what went wrong and, where the line tells it, at which place."""
    for mark, pattern, read in _PATTERNS:
        if mark in line and (match := pattern.search(line[: MAX_MESSAGE * 2])):
            return read(match)
    return None
