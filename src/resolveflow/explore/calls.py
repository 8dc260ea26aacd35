"""What a line calls, and who calls a function, by their names in the files that were read."""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from resolveflow.domain.exploration import Symbol
from resolveflow.explore.conclusion import Finding
from resolveflow.explore.sources import Source, words_of
from resolveflow.explore.wording import LONGEST_LINE, STRING, code, quoting, where

MOST_CALLERS = 3  # that are quoted
SHORTEST_NAME = 4  # of a function whose callers are looked for: `get` is called everywhere

# A call of a plain name or of the object's own method: whose another method is, no text tells.
_CALLED = re.compile(r"(?:(?<![\w$.>:])|\b(?:self|this|cls)\.)([A-Za-z_$][\w$]*)\s*\(")
_IMPORTS = re.compile(r"\b(?:import|require|include|use|from)\b")
_COMMENTED = ("#", "//", "*", "/*", "--", ">>>", "...")
_BEFORE = re.compile(r"([A-Za-z_$][\w$]*)[>\]]*\s+[*&]*$")
_WORDS_BEFORE_CALLS = (
    "and assert await case do else elif if in is new not or raise return throw unless until when"
    " while yield"
)
_BEFORE_CALLS = frozenset(_WORDS_BEFORE_CALLS.split())
_MADE_BY_NAME = frozenset({"constructor", "construct", "initialize"})


@dataclass(frozen=True)
class Call:
    """A definition that a line calls."""

    source: Source
    symbol: Symbol

    @property
    def finding(self) -> Finding:
        """The call as a claim, with the line that bears the callee's name."""
        spot = f"{self.source.path}:{self.symbol.start_line}-{self.symbol.end_line}"
        claim = f"The line calls {code(self.symbol.name)}, defined at {spot}."
        return Finding(claim=claim, supports=(quoting(self.source, self.header),))

    @property
    def header(self) -> int:
        """The line that bears the callee's name."""
        numbers = range(self.symbol.start_line, self.symbol.end_line + 1)
        named = (number for number in numbers if self.symbol.name in self.source.line(number))
        return next(named, self.symbol.start_line)


@dataclass(frozen=True)
class Callers:
    """Lines that call something of a function's name, and in words where nobody looked."""

    findings: tuple[Finding, ...] = ()
    unseen: tuple[str, ...] = ()


def calls_at(source: Source, line: int, read: Sequence[Source]) -> Iterator[Call]:
    """The functions that a line calls, those whose one definition is in the files read."""
    text = source.line(line)
    if len(text) > LONGEST_LINE:
        return
    called = " ".join(_CALLED.findall(STRING.sub("", text)))
    for name in dict.fromkeys(words_of(called)):
        call = _definition(name, source, read)
        if call and call.symbol != source.function_at(line):
            yield call


def _definition(name: str, source: Source, read: Sequence[Source]) -> Call | None:
    """The one definition of a name in its own file, else in another if the file imports it."""
    places = [Call(source, symbol) for symbol in source.defined(name)]
    if not places and any(name in line and _IMPORTS.search(line) for line in source.lines):
        places = [Call(one, symbol) for one in read for symbol in one.defined(name)]
    return places[0] if len(places) == 1 else None


def callers_of(
    source: Source, function: Symbol, read: Sequence[Source], told: AbstractSet[tuple[str, int]]
) -> Callers:
    """Who else calls a function; `told` are the lines, by path, that need not be named again.

    A text search: a call of another thing of that name looks the same, so nothing is searched
    where the files read define the name more than once, and nothing is quoted as a support.
    """
    name = code(function.name)
    if len(function.name) < SHORTEST_NAME or _is_called_otherwise(function.name):
        return Callers(unseen=(f"Who calls {name}: the name alone does not tell",))
    if sum(len(one.defined(function.name)) for one in read) > 1:
        return Callers(unseen=(f"Who calls {name}: the files read define it more than once",))
    found = [
        (one, line)
        for one in read
        for line in _calling(function.name, one)
        if (one.path, line) not in told
        and not (one is source and function.start_line <= line <= function.end_line)
    ]
    unseen = (f"Callers of {name} outside the {len(read)} files that were read",)
    if not found:
        return Callers(unseen=unseen)
    lines = [
        f"{where(one, line, one.function_at(line))}: {code(one.line(line))}"
        for one, line in found[:MOST_CALLERS]
    ]
    lines += [f"and {len(found) - len(lines)} more"] if len(found) > len(lines) else []
    claim = f"Calls of something named {name} in the files that were read:"
    return Callers((Finding(claim="\n".join([claim, *lines])),), unseen)


def _is_called_otherwise(name: str) -> bool:
    """Whether a function runs without its name being written: `__init__`, a constructor."""
    return name in _MADE_BY_NAME or (name.startswith("__") and name.endswith("__"))


def _calling(name: str, source: Source) -> Iterator[int]:
    """The lines that call the name, as far as their text tells; no comments, no definitions."""
    call = re.compile(rf"(?<![\w$]){re.escape(name)}\s*\(")
    defining = {Call(source, symbol).header for symbol in source.defined(name)}
    for number, line in enumerate(source.lines, start=1):
        if name not in line or number in defining or len(line) > LONGEST_LINE:
            continue
        if line.lstrip().startswith(_COMMENTED):
            continue
        bare = STRING.sub("", line)
        if any(_is_call(bare[: found.start()]) for found in call.finditer(bare)):
            yield number


def _is_call(before: str) -> bool:
    """Whether a name after this is called: after another word it is declared."""
    word = _BEFORE.search(before)
    return word is None or word[1] in _BEFORE_CALLS
