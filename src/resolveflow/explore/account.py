"""An account of a cause: what is claimed, what it rests on, and how often such a claim held."""

from dataclasses import dataclass
from typing import Literal

from resolveflow.domain.exploration import Symbol
from resolveflow.explore.conclusion import CodeSupport, Finding, Place
from resolveflow.explore.sources import Source
from resolveflow.explore.trail import Grade, Step
from resolveflow.explore.wording import place_of

Ground = Grade | Literal["message", "name", "lead"]

# Of the development reports' strongest accounts on each ground, how many name a file that the fix
# changed, and how many there are (`scripts/calibrate_static.py`; of leads, the clear ones).
RECORD: dict[Ground, tuple[int, int]] = {
    "message": (9, 9),
    "name": (15, 19),
    "lead": (37, 42),
    "placed": (2, 2),
    "shown": (9, 13),
    "named": (6, 10),
    "moved": (1, 3),
}
LEAST_CONFIDENCE = 0.5  # what is wrong as often as right establishes nothing


@dataclass(frozen=True)
class Account:
    """What is claimed, the findings that it rests on, and the place it is about."""

    ground: Ground
    cause: str
    findings: tuple[Finding, ...]
    source: Source
    line: int
    caller: Step | None = None  # where a line that only refuses what it was given got it from
    clear: bool = True  # False where another file is about as likely

    @property
    def function(self) -> Symbol | None:
        """The definition that the line is in."""
        return self.source.function_at(self.line)

    @property
    def establishes(self) -> bool:
        """Whether such a claim is right often enough to be made."""
        return self.clear and confidence(self.ground) >= LEAST_CONFIDENCE

    @property
    def spots(self) -> tuple[tuple[Source, int], ...]:
        """Its line, and that of the caller which may be to blame instead."""
        own = (self.source, self.line)
        return (own, (self.caller.source, self.caller.line)) if self.caller else (own,)

    @property
    def places(self) -> tuple[Place, ...]:
        """The lines that a change would be about."""
        return tuple(dict.fromkeys(place_of(source, line) for source, line in self.spots))

    @property
    def quoted(self) -> frozenset[tuple[str, int]]:
        """The lines that its findings quote."""
        return frozenset(
            (support.path, number)
            for finding in self.findings
            for support in finding.supports
            if isinstance(support, CodeSupport)
            for number in range(support.start_line, support.end_line + 1)
        )


def confidence(ground: Ground) -> float:
    """How likely an account on that ground is right, by Laplace's rule: few cases prove little."""
    right, made = RECORD[ground]
    return (right + 1) / (made + 2)
