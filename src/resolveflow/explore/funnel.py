"""The funnel: first four tools, then reading alone, then none; enforced call by call."""

from collections.abc import Callable
from time import monotonic
from typing import Literal

from pydantic import Field

from resolveflow.domain.exploration import Budget
from resolveflow.domain.value import Value
from resolveflow.explore.tools import (
    MOST_RESULT,
    TOOLS,
    Dispatcher,
    ReadLines,
    ToolCall,
    ToolResult,
    parse_call,
    refusal,
)

Phase = Literal["explore", "deep_dive", "produce"]

ALLOWED: dict[Phase, tuple[str, ...]] = {
    "explore": tuple(TOOLS),
    "deep_dive": (ReadLines.tool,),
    "produce": (),
}
_NEXT: dict[Phase, Phase] = {"explore": "deep_dive", "deep_dive": "produce", "produce": "produce"}
_EXPLORING = 0.6  # of the calls


class Limits(Value):
    """How far each phase may go; `repeats` in one phase end it, `characters` are of results."""

    explore_calls: int = Field(default=24, ge=0)
    deep_dive_calls: int = Field(default=16, ge=0)
    repeats: int = Field(default=3, ge=1)
    seconds: float = Field(default=300.0, gt=0)
    characters: int = Field(default=200_000, ge=0)

    @classmethod
    def of(cls, budget: Budget) -> "Limits":
        """Share an investigation's budget out; a quarter of its tokens may be tools' results."""
        explore = round(_EXPLORING * budget.calls)
        return cls(
            explore_calls=explore,
            deep_dive_calls=budget.calls - explore,
            seconds=budget.seconds,
            characters=budget.tokens,  # four characters a token: a quarter of them
        )


class ToolUsage(Value):
    """What was called so far: `calls` were admitted, `refused` were not, `failed` gave an error."""

    calls: int = 0
    refused: int = 0
    failed: int = 0
    repeated: int = 0
    characters: int = 0
    seconds: float = 0.0


class Funnel:
    """Guards a dispatcher for one investigation; time runs from the first call.

    A call is admitted or refused in one go before anything is awaited, so that calls made at the
    same time count one by one. A call that is malformed counts like one that is not.
    """

    def __init__(
        self,
        *,
        dispatcher: Dispatcher,
        limits: Limits | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._dispatcher = dispatcher
        self._limits = limits or Limits()
        self._clock = clock
        self._phase: Phase = "explore"
        self._why = ""
        self._in_phase = 0
        self._repeats = 0
        self._began: float | None = None
        self._usage = ToolUsage()
        self._reserved = 0
        self._seen: set[ToolCall] = set()
        self._ranges: dict[str, list[tuple[int, int]]] = {}
        self._skip_used_up()

    @property
    def phase(self) -> Phase:
        """Where the investigation is."""
        return self._phase

    @property
    def allowed(self) -> tuple[str, ...]:
        """The tools that may be called now."""
        return ALLOWED[self._phase]

    @property
    def usage(self) -> ToolUsage:
        """What was used so far."""
        return self._usage.model_copy(update={"seconds": self._elapsed()})

    def state_suspects(self) -> None:
        """The agent has said whom it suspects: searching ends."""
        if self._phase == "explore":
            self._advance("you have your suspects")

    def finish(self) -> None:
        """The agent has said that it has read enough, or its own budget is used up."""
        self._enter("produce", "reading has ended")

    async def call(self, tool: str, arguments: object) -> ToolResult:
        """Answer a call that is allowed now; any other gets an error that says what is."""
        refused = self._refused(tool)
        if refused:
            return self._count(refused, refused=1)
        self._in_phase += 1
        parsed = parse_call(tool, arguments)
        if isinstance(parsed, ToolResult):
            self._skip_used_up()
            return self._count(self._with_state(parsed, repeated=False), calls=1, failed=1)
        repeated = self._note(parsed)
        self._reserved += MOST_RESULT
        self._usage = _plus(self._usage, calls=1, repeated=int(repeated))
        self._move_on(parsed)
        try:
            result = await self._dispatcher.run(parsed)
        finally:
            self._reserved -= MOST_RESULT
        return self._count(self._with_state(result, repeated=repeated), failed=int(result.is_error))

    def _refused(self, tool: str) -> ToolResult | None:
        """Why the call may not run; running out of time or text ends the reading."""
        if self._began is None:
            self._began = self._clock()
        if self._elapsed() >= self._limits.seconds:
            self._enter("produce", f"{self._limits.seconds:g} seconds are used up")
        elif self._usage.characters + self._reserved + MOST_RESULT > self._limits.characters:
            if self._reserved:
                return refusal("too many calls at the same time: wait for their results")
            self._enter("produce", f"{self._limits.characters:,} characters are used up")
        if tool not in TOOLS or tool in self.allowed:
            return None if self.allowed else refusal(self._state())
        return refusal(f"{tool} is not allowed now. {self._state()}")

    def _note(self, call: ToolCall) -> bool:
        """Remember a call; says whether it repeats one, or reads mostly what was read."""
        known = call in self._seen
        self._seen.add(call)
        if isinstance(call, ReadLines) and call.last >= call.start:
            ranges = self._ranges.setdefault(call.path, [])
            wanted = set(range(call.start, call.last + 1))
            read = {n for first, last in ranges for n in wanted & set(range(first, last + 1))}
            ranges.append((call.start, call.last))
            known = known or 2 * len(read) > len(wanted)
        self._repeats += known
        return known

    def _move_on(self, call: ToolCall) -> None:
        if isinstance(call, ReadLines) and call.have_suspects:
            self.state_suspects()
        if self._repeats >= self._limits.repeats:
            self._advance("calls were repeated")
        self._skip_used_up()

    def _skip_used_up(self) -> None:
        while self.allowed and self._in_phase >= self._most_calls():
            self._advance(f"{self._in_phase} calls are used up")

    def _most_calls(self) -> int:
        limits = self._limits
        return limits.explore_calls if self._phase == "explore" else limits.deep_dive_calls

    def _advance(self, why: str) -> None:
        self._enter(_NEXT[self._phase], why)

    def _enter(self, phase: Phase, why: str) -> None:
        if phase != self._phase:
            self._phase, self._why = phase, why
            self._in_phase = self._repeats = 0

    def _state(self) -> str:
        """Where the investigation is, for the agent."""
        why = f" ({self._why})" if self._why else ""
        if not self.allowed:
            return f"Phase produce{why}: no tool may be called any more; write your report now."
        left = self._most_calls() - self._in_phase
        return f"Phase {self._phase}{why}: {left} calls left, of {', '.join(self.allowed)}."

    def _with_state(self, result: ToolResult, *, repeated: bool) -> ToolResult:
        said = "You had that already. " if repeated else ""
        return result.model_copy(update={"text": f"{result.text}\n[{said}{self._state()}]"})

    def _count(self, result: ToolResult, **more: int) -> ToolResult:
        self._usage = _plus(self._usage, characters=len(result.text), **more)
        return result

    def _elapsed(self) -> float:
        return 0.0 if self._began is None else self._clock() - self._began


def _plus(usage: ToolUsage, **more: int) -> ToolUsage:
    return usage.model_copy(update={key: getattr(usage, key) + n for key, n in more.items()})
