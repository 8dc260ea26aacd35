"""Java, Kotlin, Scala and Android stack traces, chained by `Caused by:`."""

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

SIGNS = (".java:", ".kt:", ".scala:", ".groovy:", ".clj:", "(Native Method)", "(Unknown Source)",
         "(SourceFile:")  # fmt: skip

_FRAME = re.compile(r"\s*at (?:[\w.@-]*/)*([^()]{1,300})\(([^()]{1,200})\)")
_PLACE = re.compile(
    r"(?:([\w$.-]+\.(?:java|kt|kts|scala|groovy|clj)|SourceFile)(?::(\d+))?"
    r"|Native Method|Unknown Source)$"
)
_HEADLINE = re.compile(
    r"\s*(?:Exception in thread \"[^\"]*\" |.{0,20}?== Java Exception: |Caused by: |Suppressed: )?"
    r"((?:[a-zA-Z_$][\w$]*\.)+[A-Za-z_$][\w$]*)(?:: ?(.*)|\s*$)"
)
_ANR = re.compile(r'\s*("[^"]{1,120}" (?:daemon )?prio=\d+)|ANR in (\S+)')


def scan(lines: Sequence[str]) -> Iterator[Found]:
    """Find stack traces; Java prints the root cause last, here it comes first."""
    chain: list[Found] = []
    for run in runs(lines, _frame, gap=1, ends=_headline):
        above = headline_above(lines, run.first, _headline, reach=4)
        number, headline = above or (run.first, (UNKNOWN, ""))
        if chain and not lines[number].lstrip().startswith("Caused by:"):
            yield from reversed(chain)
            chain = []
        first = chain[0].line if chain else number
        chain.append(Found(first, crash_of(headline, run.frames, "java")))
    yield from reversed(chain)


def _frame(line: str) -> Frame | None:
    if "(" not in line:
        return None
    match = _FRAME.match(line)
    place = _PLACE.match(match[2]) if match else None
    if match is None or place is None:
        return None
    return frame_of("java", match[1], place[1], place[2])


def _headline(line: str) -> Headline | None:
    if _frame(line):
        return None
    if match := _HEADLINE.match(line):
        return match[1], match[2] or ""
    if match := _ANR.match(line):
        return "ANR", match[1] or match[2]
    return None
