"""What a report quotes and names, looked up exactly in source files."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from resolveflow.domain.exploration import Symbol
from resolveflow.domain.report import IssueEvidence
from resolveflow.explore.sources import Source, is_telling

LONGEST_TEXT = 100_000  # characters of a report that are searched for clues
MOST_CLUES = 40
MOST_PLACES = 3  # more places of one clue say nothing
SHORTEST_MESSAGE = 12
SHORTEST_NAME = 5

Kind = Literal["message", "name"]
_FENCED = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)
_QUOTED = re.compile(
    r"`([^`\n]{3,200})`|\"([^\"\n]{3,200})\"|(?<!\w)'([^'\n]{3,200})'(?!\w)|“([^”\n]{3,200})”"
)
_NAME = re.compile(r"[A-Za-z_$][\w$]{2,79}")
_COMPOUND = re.compile(r"[a-z0-9]_[a-z0-9]|[a-z][A-Z]|^_\w|[A-Z]{2}[a-z]", re.ASCII)
_VARIABLE = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`|<[^<>\n]*>|\d+|[%{}\[\]:;,]")


@dataclass(frozen=True)
class Clue:
    """A message that the report quotes, or a name that it uses as code; `titled` in its title."""

    kind: Kind
    text: str
    titled: bool


@dataclass(frozen=True)
class Match:
    """A clue at a line of a file; for a name, the definition that bears it."""

    clue: Clue
    source: Source
    line: int
    function: Symbol | None
    alone: bool  # nowhere else in what was searched


def clues_in(evidence: IssueEvidence) -> tuple[Clue, ...]:
    """The clues of the report, the most telling first: messages, then names; the title's first."""
    title, body = evidence.title[:LONGEST_TEXT], evidence.body[:LONGEST_TEXT]
    messages = [crash.message for crash in evidence.crashes]
    messages += _quoted(title) + _quoted(body)
    names = [*_names(title), *_names("\n".join(_quoted(body)))]
    found = [Clue("message", text, text in title) for text in messages if _is_message(text)]
    found += [Clue("name", text, text in title) for text in names]
    ordered = sorted(dict.fromkeys(found), key=lambda clue: (clue.kind, not clue.titled))
    return tuple(ordered[:MOST_CLUES])


def look_up(clues: Sequence[Clue], sources: Sequence[Source]) -> tuple[Match, ...]:
    """Where the clues are, those that are in few places only, in the order of the clues."""
    found = []
    folders = {part for one in sources for part in one.path.split("/")[:-1]}
    for clue in clues:
        if clue.kind == "message":
            places = _messages(clue.text, sources)
        elif clue.text in folders:
            continue  # the name of a package, whatever else bears it
        else:
            places = [(one, one.header(s), s) for one in sources for s in one.defined(clue.text)]
        if 0 < len(places) <= MOST_PLACES:
            alone = len(places) == 1
            found += [Match(clue, one, line, function, alone) for one, line, function in places]
    return tuple(found)


def _messages(text: str, sources: Sequence[Source]) -> list[tuple[Source, int, Symbol | None]]:
    """The lines that hold the message, else the longest of its unvarying parts that some hold."""
    parts = sorted((part.strip(" .'\"") for part in _VARIABLE.split(text)), key=len, reverse=True)
    for wanted in (text, *(part for part in parts if _is_message(part))):
        places = [
            (one, number, one.function_at(number))
            for one in sources
            for number, line in enumerate(one.lines, start=1)
            if wanted in line and is_telling(line)
        ]
        if places:
            return places
    return []


def _quoted(text: str) -> list[str]:
    """What stands in quotation marks or code spans, outside fenced blocks."""
    prose = "\n".join(_FENCED.split(text)[::2])
    return [next(filter(None, match.groups())).strip() for match in _QUOTED.finditer(prose)]


def _names(text: str) -> Iterator[str]:
    """Names that can only be code: `snake_case`, `camelCase`, `_private`."""
    for name in _NAME.findall(text):
        if len(name) >= SHORTEST_NAME and _COMPOUND.search(name):
            yield name


def _is_message(text: str) -> bool:
    return len(text) >= SHORTEST_MESSAGE and len(text.split()) >= 2
