"""C, C++, Swift and kernel crashes: sanitizers, fuzzers, debuggers, checks, glog, V8, WinDbg."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from resolveflow.domain.crash import Frame
from resolveflow.intake.formats.native_frames import parse_frame
from resolveflow.intake.formats.native_headlines import parse_headline
from resolveflow.intake.formats.stack import UNKNOWN, Found, Headline, crash_of

SIGNS = (
    "#0 ", "#1 ", "ERROR: ", "WARNING: ", "runtime error: ", "Sanitizer", "FATAL", "Fatal error",
    "Call trace:", "Call Trace:", "received signal", "Backtrace:", "ssertion", "CHECK", "BUG: ",
    "frame #", "terminate called", "correctness", "CANNOT LINK", "loading shared libraries",
    "stack trace", "leak of ", "heck failed", "+0x", "@     0x", ".cc:", ".cpp:", ".c:", ".h:",
)  # fmt: skip

_REACH = 400  # lines from a headline to its first frame: loaders list their modules between
_REACTION = 12  # lines from a failed check to the signal that it raises
_INTRODUCTIONS = {"Fatal error", "libFuzzer", "detected memory leaks", "V8 correctness failure"}
_SIGNALS = {"ABRT", "TRAP", "ILL", "libFuzzer"}
_GAP = 8  # lines between two frames of one stack


@dataclass
class _Event:
    """A headline and the stack below it."""

    line: int
    headline: Headline
    places: list[Frame] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    last: int = 0
    number: int = -1  # of the last frame, where frames are numbered
    closed: bool = False


def scan(lines: Sequence[str]) -> Iterator[Found]:
    """Find crashes; of several stacks below one headline (freed by, allocated by) the first."""
    event: _Event | None = None
    for number, line in enumerate(lines):
        if parsed := parse_frame(line):
            index, frame = parsed
            event = _for_frame(event, number)
            if event.line == number or not _is_new_stack(event, number, index):
                _add(event, number, index, frame)
        elif found := parse_headline(line):
            headline, place = found
            if event is not None and _same_event(event, headline, place, number):
                event.headline = _joined(event.headline, headline)
            else:
                yield from _finished(event)
                event = _Event(number, headline, last=number)
            if place is not None:
                event.places.append(place)
    yield from _finished(event)


def _for_frame(event: _Event | None, number: int) -> _Event:
    if event is None or number - event.last > _REACH:
        return _Event(number, (UNKNOWN, ""), last=number)
    return event


def _add(event: _Event, number: int, index: int, frame: Frame) -> None:
    if not event.closed:
        event.frames.append(frame)
        event.last, event.number = number, index


def _is_new_stack(event: _Event, number: int, index: int) -> bool:
    """Whether a frame begins another stack; a stack without one name gives way to the next."""
    if not event.frames:
        return False
    restarts = 0 <= index < event.number or (index < 0 and number - event.last > _GAP)
    if restarts and not any(frame.function for frame in event.frames):
        event.frames.clear()
        return False
    event.closed = event.closed or restarts
    return event.closed


def _same_event(event: _Event, headline: Headline, place: Frame | None, number: int) -> bool:
    """Whether a headline only goes on with the one above it (a failed check, then its SIGABRT)."""
    if event.frames:
        return False
    if headline[0] == event.headline[0] and place is None:
        return True
    completes = event.headline[0] in _INTRODUCTIONS and number - event.line <= 3
    return completes or (place is None and number - event.line <= _REACTION)


def _joined(first: Headline, second: Headline) -> Headline:
    if first[0] in _INTRODUCTIONS and second[0] not in _SIGNALS:
        return second
    return first[0], first[1] or second[1]


def _finished(event: _Event | None) -> Iterator[Found]:
    if event is None:
        return
    if event.headline[0] == UNKNOWN and not _tells_something(event.frames):
        return
    frames = event.frames or []
    seen = {(_base(frame), frame.line) for frame in frames}
    places = [place for place in event.places if (_base(place), place.line) not in seen]
    yield Found(event.line, crash_of(event.headline, [*places, *frames], "native"))


def _tells_something(frames: list[Frame]) -> bool:
    return len(frames) >= 2 and any(frame.function for frame in frames)


def _base(frame: Frame) -> str:
    return (frame.file or "").replace("\\", "/").rpartition("/")[2]
