"""The diagnosis: what is wrong, where, and on what grounds."""

from typing import Literal

from pydantic import Field, model_validator

from resolveflow.domain.exploration import Exploration, Passage
from resolveflow.domain.value import Value

Level = Literal["low", "medium", "high"]


class AffectedFile(Value):
    """Lines of a file at the pinned commit (1-based, inclusive)."""

    path: str = Field(min_length=1)
    start_line: int = Field(ge=1)
    end_line: int = Field(ge=1)
    symbol: str | None = None

    @model_validator(mode="after")
    def _ordered(self) -> "AffectedFile":
        if self.end_line < self.start_line:
            raise ValueError(f"end_line {self.end_line} is before start_line {self.start_line}")
        return self


class ProposedChange(AffectedFile):
    """What to change there; `patch` is a unified diff where one is offered."""

    description: str = Field(min_length=1)
    patch: str | None = None


class Citation(Value):
    """What a claim rests on: a retrieved passage by id, or lines of code at the commit.

    `ok` and `reason` are set by code when it has checked the citation, never by a model.
    """

    kind: Literal["code", "passage"]
    quote: str
    id: str | None = None
    path: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    score: float | None = None
    ok: bool | None = None
    reason: str = ""


class Diagnosis(Value):
    """What an investigation concludes.

    `complexity`: low = one place, medium = several places of one module, high = several modules.
    `risk` of the change: low = local behaviour, medium = a public behaviour, high = data,
    security or compatibility.
    """

    root_cause: str = Field(min_length=1)
    severity: Level
    affected_files: tuple[AffectedFile, ...] = ()
    proposed_changes: tuple[ProposedChange, ...] = ()
    complexity: Level
    risk: Level
    missing_info: tuple[str, ...] = ()
    recommended_next_steps: tuple[str, ...] = ()
    citations: tuple[Citation, ...] = ()


class Investigation(Value):
    """Everything `generate_diagnosis` found; without a diagnosis, `abstained` says why."""

    passages: tuple[Passage, ...] = ()
    exploration: Exploration | None = None
    diagnosis: Diagnosis | None = None
    abstained: str | None = None
