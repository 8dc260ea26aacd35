import pytest

from resolveflow.domain.errors import InvalidAnswer, ModelUnavailable
from resolveflow.testing.promises_model import Fruit, anything, ripe
from resolveflow.testing.scripted_model import Asked, ScriptedModel


async def test_every_request_is_kept_with_the_complaint_before_it() -> None:
    model = ScriptedModel([{"name": "a", "state": "rotten"}, Fruit(name="b", state="ripe")])
    answer = await model.structured("judge", "i", "p", Fruit, ripe)
    assert answer.value.name == "b"
    complaint = "Only ripe fruit is wanted."
    assert model.asked == [Asked("judge", "i", "p"), Asked("judge", "i", "p", complaint)]


async def test_no_answer_left_is_an_invalid_answer() -> None:
    with pytest.raises(InvalidAnswer, match="no answer left for judge"):
        await ScriptedModel().structured("judge", "i", "p", Fruit, anything)


async def test_running_out_repeats_the_complaint() -> None:
    model = ScriptedModel([{"name": "a", "state": "rotten"}])
    with pytest.raises(InvalidAnswer, match="no answer left for judge: Only ripe fruit"):
        await model.structured("judge", "i", "p", Fruit, ripe)


async def test_a_scripted_outage_is_raised() -> None:
    with pytest.raises(ModelUnavailable, match="down"):
        await ScriptedModel([ModelUnavailable("down")]).text("ask", "i", "p")


async def test_the_name_can_be_chosen() -> None:
    answer = await ScriptedModel(["yes"], name="scripted:other").text("ask", "i", "p")
    assert answer.call.model == "scripted:other"
