"""What an investigation read, suspected and wrote down."""

from typing import Literal

from resolveflow.domain.value import Value

Tier = Literal["maintainer", "reporter", "other"]


class Passage(Value):
    """A retrieved piece of a resolved issue; `score` is the cosine, `tier` who wrote it."""

    id: str
    text: str
    source: str
    tier: Tier
    score: float


class Symbol(Value):
    """A definition by name and lines (1-based, inclusive)."""

    name: str
    start_line: int
    end_line: int


class Suspect(Value):
    """A file that may hold the cause, and the reasons that put it there."""

    path: str
    score: float
    symbols: tuple[Symbol, ...] = ()
    reasons: tuple[str, ...] = ()


class Localization(Value):
    """Suspects, the best first, and what was not looked at."""

    suspects: tuple[Suspect, ...]
    not_examined: tuple[str, ...] = ()


class Budget(Value):
    """How much an explorer may spend."""

    calls: int = 40
    seconds: float = 300.0
    tokens: int = 200_000


class ModelCall(Value):
    """One exchange with a model, as metered by our client."""

    purpose: str
    model: str
    temperature: float | None
    prompt_sha256: str
    input_tokens: int
    output_tokens: int


class Exploration(Value):
    """An explorer's markdown report, what it read and what it did not."""

    explorer: str
    report: str
    suspects: tuple[Suspect, ...] = ()
    read: tuple[str, ...] = ()
    not_examined: tuple[str, ...] = ()
    calls: tuple[ModelCall, ...] = ()
