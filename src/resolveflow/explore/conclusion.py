"""What an explorer concludes, as values; `explore.report` writes them as Markdown."""

from collections.abc import Callable
from typing import Annotated

from pydantic import AfterValidator, Field

from resolveflow.domain.diagnosis import AffectedFile, Level
from resolveflow.domain.exploration import Suspect, Symbol
from resolveflow.domain.value import Value
from resolveflow.explore.markdown import one_line, prose


def _filled(normalise: Callable[[str], str]) -> Callable[[str], str]:
    def validate(text: str) -> str:
        normal = normalise(text)
        if not normal:
            raise ValueError("is empty")
        return normal

    return validate


def _without_break(line: str) -> str:
    if "\n" in line or "\r" in line:
        raise ValueError("a quoted line holds a line break")
    return line


Line = Annotated[str, AfterValidator(_filled(one_line))]
Prose = Annotated[str, AfterValidator(_filled(prose))]
Name = Annotated[str, Field(min_length=1)]
SourceLine = Annotated[str, AfterValidator(_without_break)]
Quote = Annotated[tuple[SourceLine, ...], Field(min_length=1)]


class Place(AffectedFile):
    """Lines of a file, and the function or class that they belong to."""

    symbol: Name | None = None


class Change(Place):
    """What to change there."""

    description: Line


class CodeSupport(AffectedFile):
    """Lines of code, quoted verbatim."""

    symbol: None = None
    lines: Quote


class PassageSupport(Value):
    """Lines of a retrieved passage, quoted verbatim."""

    id: Name
    lines: Quote


Support = CodeSupport | PassageSupport


class Finding(Value):
    """One claim and what it rests on."""

    claim: Prose
    supports: tuple[Support, ...] = ()


class Definition(Symbol):
    """A definition of a suspected file."""

    name: Name
    start_line: int = Field(ge=0)
    end_line: int = Field(ge=0)


class Lead(Value):
    """A suspect as the report lists it."""

    path: Name
    score: float = Field(allow_inf_nan=False)
    symbols: tuple[Definition, ...] = ()
    reasons: tuple[Line, ...] = ()

    @classmethod
    def of(cls, suspect: Suspect) -> "Lead":
        """The lead that a ranked suspect is, without unnamed regions and empty reasons."""
        symbols = [symbol.model_dump() for symbol in suspect.symbols if symbol.name]
        reasons = [reason for reason in suspect.reasons if one_line(reason)]
        return cls.model_validate(suspect.model_dump() | {"symbols": symbols, "reasons": reasons})


class ExplorationReport(Value):
    """What an explorer concludes; no `root_cause` means that it abstains."""

    root_cause: Prose | None
    severity: Level | None
    complexity: Level | None
    risk: Level | None
    findings: tuple[Finding, ...] = ()
    affected_files: tuple[Place, ...] = ()
    proposed_changes: tuple[Change, ...] = ()
    missing_info: tuple[Line, ...] = ()
    next_steps: tuple[Line, ...] = ()
    suspects: tuple[Lead, ...] = ()
    read: tuple[Line, ...] = ()
    not_examined: tuple[Line, ...] = ()
