"""JavaScript stacks: V8 and Node, SpiderMonkey, JavaScriptCore, Edge, IE, React components."""

import re
from collections.abc import Iterator, Sequence

from resolveflow.domain.crash import Frame
from resolveflow.intake.formats.stack import (
    UNKNOWN,
    Found,
    Headline,
    Run,
    crash_of,
    frame_of,
    headline_above,
    runs,
)

SIGNS = ("at ", "@", ".js:")

_GAP = 8  # React prints the elements between two components, which have no place
_POSITION = re.compile(r":(\d{1,9})(?::(\d{1,9}))?$")
_EVAL = re.compile(r"\(([^()\s]+?):(\d{1,9})(?::(\d{1,9}))?\)")
_GECKO = re.compile(r"\s*([^@]{0,300})@((?:[a-z-]+:/|/|blob:|resource:)\S*?):(\d+)(?::(\d+))?$")
_BARE = re.compile(r"\s*((?:https?|file)://\S+?):(\d+)(?::(\d+))?$")
_COMPONENT = re.compile(r"\s*in ([\w$.()]{1,80}) \(at ([^():]+):(\d+)\)$")
_NATIVE = {"native", "<anonymous>", "[native code]", "native code"}
_ALIAS = re.compile(r" \[as [^\]]*\]$")
_NOT_SCRIPT = re.compile(
    r"\.(?:java|kt|kts|scala|groovy|cs|vb|go|rs|py|rb|php|swift|dart|cpp|cc|c|h|ex)$"
)
_HEADLINE = re.compile(
    r".{0,80}?\b((?:[A-Za-z_$][\w$]*\.)*[A-Z][\w$]*(?:Error|Exception)|Error|Exception)"
    r"(?: \[[\w-]+\])?(?:: (.*)|:?$)"
)


def scan(lines: Sequence[str]) -> Iterator[Found]:
    """Find stacks; of errors linked by `[cause]` the root cause comes first."""
    chain: list[Found] = []
    for run in runs(lines, _frame, gap=_GAP, ends=_parse_headline):
        if not any(_certain(lines[number]) for number in range(run.first, run.last + 1)):
            continue
        headline, is_cause = _headline(lines, run)
        if chain and not is_cause:
            yield from reversed(chain)
            chain = []
        first = chain[0].line if chain else run.first
        chain.append(Found(first, crash_of(headline, run.frames, "javascript")))
    yield from reversed(chain)


def _frame(line: str) -> Frame | None:
    stripped = line.lstrip()
    if stripped.startswith("at "):
        return _v8_frame(line)
    if "@" in line and (match := _GECKO.match(line)):
        return frame_of("javascript", match[1].strip(), match[2], match[3], match[4])
    if "://" in line and (match := _BARE.match(line)):
        return frame_of("javascript", None, match[1], match[2], match[3])
    if stripped.startswith("in ") and (match := _COMPONENT.match(line)):
        return frame_of("javascript", match[1], match[2], match[3])
    return None


def _v8_frame(line: str) -> Frame | None:
    call = line.strip().removeprefix("at ").removeprefix("async ")
    function, opened, place = call.partition(" (")
    if not opened:
        function, place = "", call
    elif place.endswith(")"):
        place = place[:-1]
    else:
        return None
    if place.startswith("eval at ") and (match := _EVAL.search(place + ")")):
        return frame_of("javascript", _name(function), *match.groups())
    if place in _NATIVE:
        return frame_of("javascript", _name(function), place)
    match = _POSITION.search(place)
    file = place[: match.start()] if match else ""
    if match is None or not _is_place(file):
        return None
    if _NOT_SCRIPT.search(file):
        return None  # a Java frame `at Class.method(File.java:12)` and its like
    return frame_of("javascript", _name(function), file, match[1], match[2])


def _is_place(text: str) -> bool:
    # Prose has spaces (`at 10:30`, `at the line a:1`); a path may have them too.
    return bool(text) and (" " not in text or "/" in text or text.startswith("eval"))


def _name(function: str) -> str | None:
    name = _ALIAS.sub("", function.removeprefix("new ").strip())
    return None if name in {"", "<anonymous>", "Anonymous function"} else name


def _certain(line: str) -> bool:
    """Whether a line is a frame even without neighbours (a bare link is not)."""
    return not _BARE.match(line) and ("(at " in line or "/" in line or ".js" in line or "(" in line)


def _headline(lines: Sequence[str], run: Run) -> tuple[Headline, bool]:
    above = headline_above(lines, run.first, _parse_headline)
    if above is None:
        return (UNKNOWN, ""), False
    number, headline = above
    return headline, "[cause]" in lines[number] or lines[number].lstrip().startswith("Caused by")


def _parse_headline(line: str) -> Headline | None:
    match = _HEADLINE.match(line)
    return (match[1], match[2] or "") if match else None
