"""Verification, critique and the gates that decide what may be proposed."""

from typing import Literal

from resolveflow.domain.exploration import ModelCall
from resolveflow.domain.value import Value


class Verification(Value):
    """What running the report's reproduction showed; `reproduced` is None where nothing ran."""

    reproduced: bool | None = None
    public: str | None = None
    private: str | None = None
    tier: str | None = None
    reason: str


class Critique(Value):
    """A second model's commentary; it decides nothing."""

    text: str
    call: ModelCall


class Gate(Value):
    """One predicate's answer: None means that it could not be decided, which counts as no."""

    ok: bool | None
    reason: str


class Review(Value):
    """The gates by name, and the outcome that code computed from them."""

    gates: dict[str, Gate]
    outcome: Literal["approve", "escalate_to_human"]
    reasoning: str
    critique: Critique | None = None
