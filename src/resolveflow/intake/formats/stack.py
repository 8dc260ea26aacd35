"""What the families share: a found crash, runs of frame lines, the headline above a run."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from resolveflow.domain.crash import Crash, Frame
from resolveflow.intake.origin import in_app

UNKNOWN = "unknown"  # the type of a stack whose headline is not in the text
MAX_FRAMES = 250  # innermost frames kept; a stack overflow prints thousands
MAX_MESSAGE = 500  # characters

Headline = tuple[str, str]  # type, message
ParseFrame = Callable[[str], Frame | None]
ParseHeadline = Callable[[str], Headline | None]


@dataclass(frozen=True)
class Found:
    """A crash and the line that its chain begins on."""

    line: int
    crash: Crash


@dataclass
class Run:
    """Neighbouring frame lines, from `first` to `last`."""

    first: int
    last: int
    frames: list[Frame] = field(default_factory=list)


def runs(
    lines: Sequence[str], parse: ParseFrame, *, gap: int = 1, ends: ParseHeadline | None = None
) -> Iterator[Run]:
    """Find runs of frame lines with at most `gap` other lines, and no headline, between two."""
    run: Run | None = None
    for number, line in enumerate(lines):
        frame = parse(line)
        if frame is None:
            if run and ends and number - run.last <= gap and ends(line):
                yield run
                run = None
            continue
        if run is None or number - run.last > gap + 1:
            if run is not None:
                yield run
            run = Run(first=number, last=number)
        run.last = number
        run.frames.append(frame)
    if run is not None:
        yield run


def headline_above(
    lines: Sequence[str], first: int, parse: ParseHeadline, *, reach: int = 6
) -> tuple[int, Headline] | None:
    """Find the nearest headline among the `reach` lines above a run, with its line number."""
    for number in range(first - 1, max(first - 1 - reach, -1), -1):
        if headline := parse(lines[number]):
            return number, headline
    return None


def crash_of(headline: Headline, frames: Sequence[Frame], language: str) -> Crash:
    """Make a crash of frames that are ordered innermost first."""
    kind, message = headline
    return Crash(
        type=kind,
        message=message.strip()[:MAX_MESSAGE],
        frames=tuple(frames[:MAX_FRAMES]),
        language=language,
    )


def frame_of(
    language: str,
    function: str | None,
    file: str | None = None,
    line: str | int | None = None,
    column: str | int | None = None,
    module: str | None = None,
) -> Frame:
    """Make a frame from a pattern's groups and decide whether it is the application's own."""
    return Frame(
        function=function or None,
        file=file or None,
        line=_number(line),
        column=_number(column),
        module=module or None,
        in_app=in_app(language, function or "", file or "", module or ""),
    )


def _number(digits: str | int | None) -> int | None:
    # A line number of more digits is none, and int() of very long digits is refused by Python.
    return int(digits) if digits is not None and len(str(digits)) <= 9 else None
