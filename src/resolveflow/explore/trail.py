"""From a crash's frames to lines of the tree, as far as report and tree agree about them."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from resolveflow.domain.crash import Crash, Frame
from resolveflow.domain.exploration import Symbol
from resolveflow.domain.report import FrameFile, IssueEvidence
from resolveflow.explore.sources import Source, Sources, is_telling

MOST_STEPS = 12  # frames of one crash that are looked up
MOST_CANDIDATES = 4  # files that one frame may mean

Grade = Literal["shown", "named", "moved", "placed"]
_RANK: dict[Grade, int] = {"shown": 3, "named": 2, "moved": 1, "placed": 0}
_CLOSURE = re.compile(r"^lambda\$([A-Za-z_]\w*)\$\d+$")
_ALIAS = re.compile(r" \[as [^\]]*\]")
_ARGUMENTS = re.compile(r"\([^()]*\)$")
_RUST_CLOSURE = re.compile(r"(?:::\{+closure[^}]*\}+)+$")
_MARGIN = "> \t|"
_FRAME_LINE = re.compile(r'File "[^"]{1,300}", line (\d{1,7})')
_POINTED_LINE = re.compile(r"-{2,}> ?(\d{1,7}) (.*)")
_SEPARATOR = re.compile(r"\.|::|#|/|\s")


@dataclass(frozen=True)
class Step:
    """One frame as a line of the tree, and how far the two agree.

    shown: the report prints this very line, perhaps under another number · named: the line is in
    the function that the frame names · moved: the function is here, but not at that line (`line`
    is where it starts) · placed: there is such a line, and nothing else speaks for it.
    """

    source: Source
    line: int
    function: Symbol | None
    frame: Frame
    depth: int
    grade: Grade

    @property
    def text(self) -> str:
        """The line itself."""
        return self.source.line(self.line)

    @property
    def relocated(self) -> str:
        """A sentence on the line's number in the report, empty where it is the same here."""
        reported = self.frame.line
        if not reported or reported == self.line or self.grade == "moved":
            return ""
        return f"Line {reported} of the report is line {self.line} in this tree."


@dataclass(frozen=True)
class Trail:
    """A crash and those of its frames that are in the tree, the innermost first."""

    crash: Crash
    steps: tuple[Step, ...]
    unclear: tuple[str, ...] = ()

    @property
    def below(self) -> Frame | None:
        """The frame where it broke, if that is outside the tree."""
        inner = self.crash.frames[0]
        return inner if self.steps[0].depth > 0 else None


@dataclass(frozen=True)
class Printed:
    """The lines of code that a report prints, and those it prints as a frame's line number."""

    lines: set[str] = field(default_factory=set)
    numbered: defaultdict[int, set[str]] = field(default_factory=lambda: defaultdict(set))

    def line_in(self, source: Source, line: int) -> int:
        """The line of the file that a frame means: the one printed with it; 0 if that is not here.

        Where the report prints no code with that number, the number is all there is.
        """
        texts = self.numbered.get(line)
        if not texts or source.line(line).strip() in texts:
            return line
        same = [n for n, text in enumerate(source.lines, 1) if text.strip() in texts]
        return same[0] if len(same) == 1 and is_telling(source.line(same[0])) else 0


async def follow(evidence: IssueEvidence, sources: Sources) -> tuple[Trail, ...]:
    """The trails of the crashes that have a frame in the tree, the best attested first."""
    printed = _printed(evidence)
    trails = []
    for number, crash in enumerate(evidence.crashes):
        resolved = [found for found in evidence.frame_files if found.crash == number]
        trail = Trail(crash=crash, steps=())
        for found in sorted(resolved, key=lambda one: one.frame)[:MOST_STEPS]:
            trail = await _with_step(trail, found, sources, printed)
        if trail.steps:
            trails.append(trail)
    return tuple(sorted(trails, key=lambda one: -_RANK[one.steps[0].grade]))


async def _with_step(trail: Trail, found: FrameFile, sources: Sources, printed: Printed) -> Trail:
    frame = trail.crash.frames[found.frame]
    opened = await sources.open_all(found.paths[:MOST_CANDIDATES])
    graded = [step for one in opened if (step := _step(one, frame, found, printed))]
    best = max((_RANK[step.grade] for step in graded), default=-1)
    chosen = [step for step in graded if _RANK[step.grade] == best]
    if len(chosen) == 1:
        return replace(trail, steps=(*trail.steps, chosen[0]))
    where = f"{frame.file or frame.module or '?'}:{frame.line or '?'}"
    if chosen:
        paths = ", ".join(step.source.path for step in chosen)
        note = f"the frame {where} may be in any of {paths}"
    else:
        note = f"the frame {where} is nothing that this tree has at that place"
    return replace(trail, unclear=(*trail.unclear, note))


def _step(source: Source, frame: Frame, found: FrameFile, printed: Printed) -> Step | None:
    line = printed.line_in(source, found.line or frame.line or 0)
    text = source.line(line).strip()
    function = source.function_at(line) if text else None
    name = plain_name(frame.function)
    grade: Grade | None = None
    if text in printed.lines and is_telling(text):
        grade = "shown"
    elif text and name and function and name in _names(function, source, line):
        grade = "named"
    elif name and len(source.defined(name)) == 1:
        [function] = source.defined(name)
        line, grade = function.start_line, "moved"
    elif is_telling(text) and name is None:
        grade = "placed"
    if grade is None:
        return None
    return Step(source, line, function, frame, found.frame, grade)


def plain_name(function: str | None) -> str | None:
    """The bare name in `pkg.Class.method`, `Object.f [as g]`, `lambda$run$0`; None for none."""
    if not function:
        return None
    called = _RUST_CLOSURE.sub("", _ARGUMENTS.sub("", _ALIAS.sub("", function).strip()))
    last = _SEPARATOR.split(called)[-1]
    closure = _CLOSURE.match(last)
    name = closure.group(1) if closure else last
    return name if name.isidentifier() or name.replace("$", "_").isidentifier() else None


def _names(function: Symbol, source: Source, line: int) -> Iterator[str]:
    """The names under which the line's function may appear in a trace."""
    return (s.name for s in source.functions if s.start_line <= line <= s.end_line)


def _printed(evidence: IssueEvidence) -> Printed:
    printed = Printed()
    for text in (evidence.body, *(comment.body or "" for comment in evidence.comments)):
        for line, number in _numbered(text):
            printed.lines.add(line)
            if number:
                printed.numbered[number].add(line)
    return printed


def _numbered(text: str) -> Iterator[tuple[str, int]]:
    """Each line without its margin, and the number that a Python trace gives to it, or 0."""
    number = deeper_than = 0
    for raw in text.splitlines():
        line = raw.lstrip(_MARGIN)
        depth = len(raw) - len(line)
        frame, pointed = _FRAME_LINE.match(line), _POINTED_LINE.match(line)
        if pointed:
            yield pointed.group(2).strip(), int(pointed.group(1))
        else:
            yield line.rstrip(), number if depth > deeper_than and not frame else 0
        number, deeper_than = (int(frame.group(1)), depth) if frame else (0, 0)
