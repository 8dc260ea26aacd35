"""A model that says what a test wrote down."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from pydantic import BaseModel, ValidationError

from resolveflow.domain.errors import InvalidAnswer, ModelUnavailable
from resolveflow.domain.exploration import ModelCall
from resolveflow.ports import Answer, Output
from resolveflow.prompts import prompt_hash

TRIES = 3
ScriptedAnswer = str | Mapping[str, object] | BaseModel | ModelUnavailable


@dataclass(frozen=True)
class Asked:
    """One request; `complaint` is what was wrong with the answer before it."""

    purpose: str
    instructions: str
    prompt: str
    complaint: str | None = None


class ScriptedModel:
    """Gives `answers` in order and keeps every request in `asked`.

    An answer is a text, a mapping or value for structured output, or a ModelUnavailable to raise.
    A request for which no answer is left raises InvalidAnswer.
    """

    def __init__(
        self, answers: Iterable[ScriptedAnswer] = (), *, name: str = "scripted:model"
    ) -> None:
        self._answers = iter(answers)
        self._name = name
        self.asked: list[Asked] = []

    @property
    def name(self) -> str:
        """The name that its calls are recorded under."""
        return self._name

    def prepare(self) -> None:
        """Do nothing: it can always be asked."""

    async def text(self, purpose: str, instructions: str, prompt: str) -> Answer[str]:
        """Give the next answer, which has to be a text."""
        answer = self._next(Asked(purpose, instructions, prompt))
        if not isinstance(answer, str) or not answer.strip():
            raise InvalidAnswer(f"{self._name} gave no text for {purpose}")
        return Answer(answer, self._call(purpose, instructions, prompt, answer))

    async def structured(
        self,
        purpose: str,
        instructions: str,
        prompt: str,
        output: type[Output],
        check: Callable[[Output], str | None],
    ) -> Answer[Output]:
        """Give the first of the next answers that fits `output` and passes `check`."""
        complaint: str | None = None
        for _ in range(TRIES):
            answer = self._next(Asked(purpose, instructions, prompt, complaint))
            try:
                value = _parse(answer, output)
            except ValidationError as error:
                complaint = f"not a {output.__name__}: {error.error_count()} errors"
                continue
            complaint = check(value)
            if complaint is None:
                text = value.model_dump_json()
                return Answer(value, self._call(purpose, instructions, prompt, text))
        raise InvalidAnswer(f"{self._name} failed {TRIES} times at {purpose}: {complaint}")

    def _next(self, asked: Asked) -> str | Mapping[str, object] | BaseModel:
        self.asked.append(asked)
        answer = next(self._answers, None)
        if answer is None:
            complaint = f": {asked.complaint}" if asked.complaint else ""
            raise InvalidAnswer(f"{self._name} has no answer left for {asked.purpose}{complaint}")
        if isinstance(answer, ModelUnavailable):
            raise answer
        return answer

    def _call(self, purpose: str, instructions: str, prompt: str, answer: str) -> ModelCall:
        return ModelCall(
            purpose=purpose,
            model=self._name,
            temperature=0.0,
            prompt_sha256=prompt_hash(f"{instructions}\n\n{prompt}"),
            input_tokens=len(instructions.split()) + len(prompt.split()),
            output_tokens=len(answer.split()),
        )


def _parse(answer: str | Mapping[str, object] | BaseModel, output: type[Output]) -> Output:
    if isinstance(answer, str):
        return output.model_validate_json(answer)
    if isinstance(answer, BaseModel):
        return output.model_validate(answer.model_dump())
    return output.model_validate(answer)
