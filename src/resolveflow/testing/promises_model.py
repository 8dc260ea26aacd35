"""What every backend of the Model port promises, as one suite for all of them."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Literal

import pytest
from pydantic import Field

from resolveflow.domain.errors import InvalidAnswer
from resolveflow.domain.value import Value
from resolveflow.ports import Model
from resolveflow.prompts import prompt_hash

OpenScripted = Callable[[Sequence[str]], AbstractAsyncContextManager[Model]]
INSTRUCTIONS = "Judge the fruit."
PROMPT = "An apple, ripe."


class Fruit(Value):
    """A small value with a rule of its own."""

    name: str = Field(min_length=1)
    state: Literal["ripe", "rotten"]


GOOD = '{"name": "apple", "state": "ripe"}'
ROTTEN = '{"name": "apple", "state": "rotten"}'


def anything(_: Fruit) -> str | None:
    """Accept every fruit."""
    return None


def ripe(fruit: Fruit) -> str | None:
    """Refuse what is not ripe."""
    return None if fruit.state == "ripe" else "Only ripe fruit is wanted."


class ModelPromises:
    """Subclass it with an `open_scripted` fixture: a model that gives these texts in order."""

    async def test_text_is_given_as_it_came(self, open_scripted: OpenScripted) -> None:
        """Prose is not changed."""
        async with open_scripted(["First line.\n\nSecond — line."]) as model:
            answer = await model.text("critique", INSTRUCTIONS, PROMPT)
        assert answer.value == "First line.\n\nSecond — line."

    async def test_a_value_is_parsed(self, open_scripted: OpenScripted) -> None:
        """An answer that fits becomes the value."""
        async with open_scripted([GOOD]) as model:
            answer = await model.structured("judge", INSTRUCTIONS, PROMPT, Fruit, anything)
        assert answer.value == Fruit(name="apple", state="ripe")

    async def test_the_call_is_recorded(self, open_scripted: OpenScripted) -> None:
        """Model, purpose, prompt and usage are kept."""
        async with open_scripted([GOOD]) as model:
            call = (await model.structured("judge", INSTRUCTIONS, PROMPT, Fruit, anything)).call
            assert call.model == model.name
        assert call.purpose == "judge"
        assert call.temperature == 0.0
        assert call.prompt_sha256 == prompt_hash(f"{INSTRUCTIONS}\n\n{PROMPT}")
        assert call.input_tokens > 0
        assert call.output_tokens > 0

    async def test_a_failed_check_is_asked_again(self, open_scripted: OpenScripted) -> None:
        """The second answer counts when the first fails its check."""
        async with open_scripted([ROTTEN, GOOD]) as model:
            answer = await model.structured("judge", INSTRUCTIONS, PROMPT, Fruit, ripe)
        assert answer.value.state == "ripe"

    @pytest.mark.parametrize(
        "bad", ["It is an apple.", "{}", '{"name": "", "state": "ripe"}', '{"name": "a', "[]"]
    )
    async def test_a_misshapen_answer_is_asked_again(
        self, open_scripted: OpenScripted, bad: str
    ) -> None:
        """Prose, missing fields and broken JSON are handed back."""
        async with open_scripted([bad, GOOD]) as model:
            answer = await model.structured("judge", INSTRUCTIONS, PROMPT, Fruit, anything)
        assert answer.value.name == "apple"

    @pytest.mark.parametrize("bad", [ROTTEN, "It is an apple."])
    async def test_three_bad_answers_are_the_end(
        self, open_scripted: OpenScripted, bad: str
    ) -> None:
        """The third bad answer is an error that names the purpose; a fourth is never asked for."""
        async with open_scripted([bad, bad, bad, GOOD]) as model:
            with pytest.raises(InvalidAnswer, match="judge"):
                await model.structured("judge", INSTRUCTIONS, PROMPT, Fruit, ripe)

    async def test_a_sound_check_is_the_reason(self, open_scripted: OpenScripted) -> None:
        """The error repeats what was wrong in the end."""
        async with open_scripted([ROTTEN] * 3) as model:
            with pytest.raises(InvalidAnswer, match="Only ripe fruit is wanted"):
                await model.structured("judge", INSTRUCTIONS, PROMPT, Fruit, ripe)

    async def test_text_without_words_is_no_answer(self, open_scripted: OpenScripted) -> None:
        """Silence is an error, not an empty text."""
        async with open_scripted([""] * 3) as model:
            with pytest.raises(InvalidAnswer, match="critique"):
                await model.text("critique", INSTRUCTIONS, PROMPT)

    async def test_lone_surrogates_in_a_prompt_do_no_harm(
        self, open_scripted: OpenScripted
    ) -> None:
        """A report may hold what UTF-8 cannot."""
        async with open_scripted([GOOD]) as model:
            answer = await model.structured("judge", "a\ud800", "b\udfff", Fruit, anything)
        assert answer.value.name == "apple"
