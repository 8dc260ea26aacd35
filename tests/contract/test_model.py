import logging
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager

import pytest
from pydantic import SecretStr

from resolveflow.backends.model_pydantic_ai import LONGEST_ANSWER, PydanticAIModel, open_model
from resolveflow.domain.errors import (
    InvalidAnswer,
    InvalidSettings,
    MissingProgram,
    ModelUnavailable,
)
from resolveflow.ports import Model
from resolveflow.testing.model_server import Broken, Fault, ModelServer, serve_model
from resolveflow.testing.promises_model import (
    GOOD,
    ROTTEN,
    Fruit,
    ModelPromises,
    OpenScripted,
    anything,
    ripe,
)
from resolveflow.testing.scripted_model import ScriptedModel

KEY = "sk-test-0123456789abcdef"


def client(server: ModelServer, **settings: object) -> PydanticAIModel:
    options = {"base_url": server.base_url, "api_key": SecretStr(KEY)} | settings
    model = open_model("openai:scripted", **options)  # type: ignore[arg-type]
    assert model is not None
    return model


class TestScriptedModel(ModelPromises):
    @pytest.fixture
    def open_scripted(self) -> OpenScripted:
        @asynccontextmanager
        async def opened(texts: Sequence[str]) -> AsyncIterator[Model]:
            yield ScriptedModel(texts)

        return opened


class TestPydanticAIModel(ModelPromises):
    @pytest.fixture
    def open_scripted(self) -> OpenScripted:
        @asynccontextmanager
        async def opened(texts: Sequence[str]) -> AsyncIterator[Model]:
            async with serve_model(texts) as server:
                yield client(server)

        return opened


class TestHostedModel(ModelPromises):
    """Providers by name: their own way of structured output, an address from their own variable."""

    @pytest.fixture
    def open_scripted(self, monkeypatch: pytest.MonkeyPatch) -> OpenScripted:
        @asynccontextmanager
        async def opened(texts: Sequence[str]) -> AsyncIterator[Model]:
            async with serve_model(texts) as server:
                monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
                model = open_model("openai:gpt-4o-mini", api_key=SecretStr(KEY))
                assert model is not None
                yield model

        return opened


async def test_the_wire() -> None:
    async with serve_model([ROTTEN, GOOD]) as server:
        await client(server).structured("judge", "Judge.", "An apple.", Fruit, ripe)
    first, second = server.requests
    assert first.body["model"] == "scripted"
    assert first.body["temperature"] == 0.0
    assert "response_format" not in first.body
    assert "tools" not in first.body
    assert "Judge." in first.text
    assert "An apple." in first.text
    assert '\\"rotten\\"' in first.text  # the schema
    assert first.headers["authorization"] == f"Bearer {KEY}"
    assert "Only ripe fruit is wanted." in second.text
    assert KEY not in second.text


async def test_a_hosted_model_answers_through_a_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serve_model(
        [{"name": "apple", "state": "rotten"}, {"name": "fig", "state": "ripe"}]
    ) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        model = open_model("openai:gpt-4o-mini")
        assert model is not None
        answer = await model.structured("judge", "Judge.", "A fruit.", Fruit, ripe)
    assert answer.value.name == "fig"
    assert "tools" in server.requests[0].body
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


async def test_temperature_can_be_left_to_the_provider() -> None:
    async with serve_model(["yes"]) as server:
        answer = await client(server, temperature=None).text("ask", "i", "p")
    assert "temperature" not in server.requests[0].body
    assert answer.call.temperature is None


async def test_usage_covers_every_try() -> None:
    async with serve_model([ROTTEN, GOOD]) as server:
        answer = await client(server).structured("judge", "i", "p", Fruit, ripe)
    assert (answer.call.input_tokens, answer.call.output_tokens) == (22, 14)


async def test_a_model_name_may_hold_colons() -> None:
    async with serve_model(["yes"]) as server:
        model = open_model("qwen2.5-coder:1.5b", base_url=server.base_url)
        assert model is not None
        await model.text("ask", "i", "p")
    assert server.requests[0].body["model"] == "qwen2.5-coder:1.5b"


@pytest.mark.parametrize("fault", ["rate_limited", "server_error"])
async def test_a_passing_trouble_passes(fault: Fault) -> None:
    async with serve_model([Broken(fault), "yes"]) as server:
        answer = await client(server).text("ask", "i", "p")
    assert answer.value == "yes"


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("rate_limited", "HTTP 429 slow down"),
        ("server_error", "HTTP 500 it broke"),
        ("unauthorized", r"HTTP 401 Incorrect API key provided: \[key\]"),
        ("truncated", "Connection error"),
        ("invalid_json", "Failed to decode response as JSON"),
    ],
)
async def test_a_lasting_trouble_is_named(fault: Fault, message: str) -> None:
    async with serve_model([Broken(fault)] * 3) as server:
        with pytest.raises(ModelUnavailable, match=message) as caught:
            await client(server).structured("judge", "i", "p", Fruit, anything)
    assert "openai:scripted" in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("fault", ["wrong_shape", "empty", "refusal", "cut_off"])
async def test_an_unusable_answer_is_named(fault: Fault) -> None:
    async with serve_model([Broken(fault)] * 3) as server:
        with pytest.raises(InvalidAnswer, match="openai:scripted gave no usable") as caught:
            await client(server).structured("judge", "i", "p", Fruit, anything)
    assert len(str(caught.value).splitlines()) == 1
    assert len(str(caught.value)) <= 300


async def test_a_megabyte_of_text_is_refused() -> None:
    async with serve_model(["a" * 1_000_000] * 3) as server:
        with pytest.raises(InvalidAnswer, match=f"longer than {LONGEST_ANSWER} characters"):
            await client(server).text("ask", "i", "p")


async def test_a_megabyte_inside_a_value_is_refused() -> None:
    huge = {"name": "a" * 1_000_000, "state": "ripe"}
    async with serve_model([huge] * 3) as server:
        with pytest.raises(InvalidAnswer, match=f"longer than {LONGEST_ANSWER} characters"):
            await client(server).structured("judge", "i", "p", Fruit, anything)


async def test_an_endless_answer_ends() -> None:
    async with serve_model([Broken("hang")]) as server:
        with pytest.raises(ModelUnavailable, match=r"no answer for ask in 0\.2 seconds"):
            await client(server, timeout=0.2).text("ask", "i", "p")


async def test_nobody_listens() -> None:
    model = open_model("m", base_url="http://127.0.0.1:9/v1", timeout=20.0)
    assert model is not None
    with pytest.raises(ModelUnavailable, match="Connection error"):
        await model.text("ask", "i", "p")


async def test_a_second_call_needs_nothing_of_the_first() -> None:
    async with serve_model(["one", "two"]) as server:
        model = client(server)
        assert (await model.text("ask", "i", "p")).value == "one"
        assert (await model.text("ask", "i", "p")).value == "two"


@pytest.fixture
def every_log(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    with caplog.at_level(logging.DEBUG):
        yield caplog


async def test_the_key_is_never_shown(every_log: pytest.LogCaptureFixture) -> None:
    async with serve_model([Broken("unauthorized"), "yes"]) as server:
        model = client(server)
        with pytest.raises(ModelUnavailable) as caught:
            await model.text("ask", "i", "p")
        await model.text("ask", "i", "p")
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in f"{caught.value!r} {model!r} {model.name}"
    assert KEY not in every_log.text


async def test_the_environment_neither_diverts_a_request_nor_adds_a_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    async with serve_model(["yes"]) as server:
        await client(server, api_key=None).text("ask", "i", "p")
    assert KEY not in server.requests[0].headers["authorization"]


def test_no_model_is_no_error() -> None:
    assert open_model(None) is None
    assert open_model("") is None


def test_a_server_without_a_model_is_an_error() -> None:
    with pytest.raises(InvalidSettings, match="no model is named for http://127"):
        open_model(None, base_url="http://127.0.0.1:1/v1")


@pytest.mark.parametrize("spec", ["gpt-4o-mini", ":x", "openai:"])
def test_a_spec_without_provider_or_name_is_an_error(spec: str) -> None:
    with pytest.raises(InvalidSettings, match="write provider:name"):
        open_model(spec)


@pytest.mark.parametrize("key", [None, SecretStr(KEY)])
async def test_an_unknown_provider_is_an_error(key: SecretStr | None) -> None:
    model = open_model("nonesuch:model", api_key=key)
    assert model is not None
    with pytest.raises(InvalidSettings, match="'nonesuch' is no known provider"):
        model.prepare()
    with pytest.raises(InvalidSettings, match="nonesuch:model cannot be used"):
        await model.text("ask", "i", "p")


@pytest.mark.parametrize("key", [None, SecretStr("")])
async def test_a_missing_key_is_told_by_our_variable(
    key: SecretStr | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    model = open_model("openai:gpt-4o-mini", api_key=key)
    assert model is not None
    with pytest.raises(InvalidSettings, match="RESOLVEFLOW_MODEL_API_KEY or OPENAI_API_KEY: set"):
        model.prepare()
    with pytest.raises(InvalidSettings, match="OPENAI_API_KEY"):
        await model.text("ask", "i", "p")


async def test_another_missing_variable_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OLLAMA_BASE_URL", raising=False)
    model = open_model("ollama:small", api_key=SecretStr(KEY))
    assert model is not None
    with pytest.raises(InvalidSettings, match="ollama:small needs OLLAMA_BASE_URL: set it"):
        model.prepare()


async def test_a_missing_package_is_named() -> None:
    model = open_model("mistral:mistral-small", api_key=SecretStr(KEY))
    assert model is not None
    with pytest.raises(MissingProgram, match=r"pydantic-ai-slim\[mistral\]"):
        model.prepare()


def test_pydantic_ai_is_imported_late() -> None:
    code = (
        "import sys; from resolveflow.backends.model_pydantic_ai import open_model;"
        "open_model('openai:x'); sys.exit('pydantic_ai' in sys.modules or 'openai' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


async def test_a_script_that_has_ended_is_an_error() -> None:
    async with serve_model([]) as server:
        with pytest.raises(ModelUnavailable, match="HTTP 400 no reply is left in the script"):
            await client(server).text("ask", "i", "p")
