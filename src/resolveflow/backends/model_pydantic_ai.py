"""The Model port over PydanticAI: hosted providers by name, or any OpenAI-compatible server."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from pydantic import SecretStr

from resolveflow.domain.errors import (
    InvalidAnswer,
    InvalidSettings,
    MissingProgram,
    ModelUnavailable,
)
from resolveflow.domain.exploration import ModelCall
from resolveflow.ports import Answer, Output
from resolveflow.prompts import prompt_hash

if TYPE_CHECKING:  # importing it costs a second, so that is left to the first call
    from pydantic_ai import Agent
    from pydantic_ai.exceptions import ModelAPIError, UnexpectedModelBehavior, UserError
    from pydantic_ai.models import Model as Client
    from pydantic_ai.providers import Provider
    from pydantic_ai.usage import RunUsage

T = TypeVar("T")
RETRIES = 2
LONGEST_ANSWER = 100_000  # characters: a comment on GitHub holds 65,536
_VARIABLE = re.compile(r"`([A-Z][A-Z0-9_]+)`")  # as PydanticAI writes the name of one
_NO_KEY = "no-key"  # the SDK insists on one, and would else send the environment's to this server


def open_model(
    spec: str | None,
    *,
    base_url: str | None = None,
    api_key: SecretStr | None = None,
    temperature: float | None = 0.0,
    timeout: float = 300.0,
) -> "PydanticAIModel | None":
    """Describe the configured model, or None where none is; nothing is contacted yet.

    `spec` is `provider:name`; with `base_url`, the name that the OpenAI-compatible server there
    knows. `timeout` bounds one request with its retries, in seconds.

    Raises:
        InvalidSettings: the settings contradict each other.
    """
    if not spec:
        if base_url:
            raise InvalidSettings(f"no model is named for {base_url}: set RESOLVEFLOW_MODEL")
        return None
    provider, _, name = spec.partition(":")
    if not base_url and not (provider and name):
        raise InvalidSettings(
            f"RESOLVEFLOW_MODEL is {spec!r}: write provider:name, e.g. openai:gpt-4o-mini, "
            "or set RESOLVEFLOW_MODEL_BASE_URL for a server of your own"
        )
    return PydanticAIModel(spec, base_url, api_key, temperature, timeout)


@dataclass(frozen=True)
class PydanticAIModel:
    """A model as PydanticAI reaches it; its client lives no longer than one call."""

    name: str
    base_url: str | None
    api_key: SecretStr | None
    temperature: float | None
    timeout: float

    def prepare(self) -> None:
        """Make sure that the model could be asked; nothing is contacted.

        Raises:
            InvalidSettings: the provider is unknown, or its key is not set.
            MissingProgram: the provider needs a package that is not installed.
        """
        if self.base_url is None:
            self._hosted()

    async def text(self, purpose: str, instructions: str, prompt: str) -> Answer[str]:
        """Ask for prose."""
        return await self._ask(purpose, instructions, prompt, str, _too_long)

    async def structured(
        self,
        purpose: str,
        instructions: str,
        prompt: str,
        output: type[Output],
        check: Callable[[Output], str | None],
    ) -> Answer[Output]:
        """Ask for a value; a wrong one is handed back twice with what is wrong about it."""

        def both(value: Output) -> str | None:
            return _too_long(value.model_dump_json()) or check(value)

        return await self._ask(purpose, instructions, prompt, output, both)

    async def _ask(
        self,
        purpose: str,
        instructions: str,
        prompt: str,
        output: type[T],
        check: Callable[[T], str | None],
    ) -> Answer[T]:
        instructions, prompt = _encodable(instructions), _encodable(prompt)
        async with self._errors(purpose), self._client() as client:
            agent = self._agent(client, instructions, output, check)
            async with agent:
                result = await agent.run(prompt)
        digest = prompt_hash(f"{instructions}\n\n{prompt}")
        return Answer(result.output, self._call(purpose, digest, result.usage))

    def _agent(
        self,
        client: "Client",
        instructions: str,
        output: type[T],
        check: Callable[[T], str | None],
    ) -> "Agent[object, T]":
        from pydantic_ai import Agent, ModelRetry, ModelSettings, PromptedOutput

        def validate(answer: T) -> T:
            if complaint := check(answer):
                raise ModelRetry(complaint)
            return answer

        # Hosted models answer best through a tool call; many other servers have none.
        prompted = self.base_url is not None and output is not str
        settings = ModelSettings()
        if self.temperature is not None:
            settings["temperature"] = self.temperature
        agent = Agent(
            client,
            output_type=PromptedOutput(output) if prompted else output,
            instructions=instructions,
            retries=RETRIES,
            model_settings=settings,
        )
        agent.output_validator(validate)
        return agent

    @asynccontextmanager
    async def _client(self) -> AsyncIterator["Client"]:
        if self.base_url is None:
            yield self._hosted()
            return
        import httpx2
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai import OpenAIProvider

        key = self.api_key.get_secret_value() if self.api_key else _NO_KEY
        # A proxy from the environment would see what is meant for this server alone.
        async with httpx2.AsyncClient(trust_env=False, timeout=self.timeout) as http:
            provider = OpenAIProvider(base_url=self.base_url, api_key=key, http_client=http)
            yield OpenAIChatModel(
                self.name.removeprefix("openai:"),
                provider=provider,
                profile={"supports_json_object_output": False},
            )

    def _hosted(self) -> "Client":
        from pydantic_ai.exceptions import UserError
        from pydantic_ai.models import infer_model

        provider, _, name = self.name.partition(":")
        try:
            # One protocol for OpenAI itself and for the servers that imitate it.
            kind = "openai-chat" if provider == "openai" else provider
            return infer_model(f"{kind}:{name}", self._provider)
        except ImportError as error:
            raise MissingProgram(self._line(f"{self.name} needs a package: {error}")) from None
        except UserError as error:
            raise InvalidSettings(self._line(self._unset(error))) from None
        except (ValueError, TypeError) as error:
            raise InvalidSettings(self._line(f"{self.name} cannot be used: {error}")) from None

    def _provider(self, name: str) -> "Provider[object]":
        from pydantic_ai.providers import infer_provider, infer_provider_class

        try:
            with_key: Callable[..., Provider[object]] = infer_provider_class(name)
        except ValueError:
            told = f"{self.name} cannot be used: {name!r} is no known provider; "
            advice = "write provider:name, e.g. openai:gpt-4o-mini"
            raise InvalidSettings(self._line(told + advice)) from None
        if not self.api_key:
            return infer_provider(name)
        return with_key(api_key=self.api_key.get_secret_value())

    def _unset(self, error: "UserError") -> str:
        """Say which variable the provider misses, and what else can be done."""
        names = _VARIABLE.findall(str(error))
        if not names:
            return f"{self.name} cannot be used: {error}"
        if not self.api_key and names[0].endswith(("_KEY", "_TOKEN")):
            names = ["RESOLVEFLOW_MODEL_API_KEY", names[0]]
        missing = " or ".join(names)
        return (
            f"{self.name} needs {missing}: set it, or unset RESOLVEFLOW_MODEL (and "
            "RESOLVEFLOW_REVIEW_MODEL) to investigate without a model"
        )

    @asynccontextmanager
    async def _errors(self, purpose: str) -> AsyncIterator[None]:
        from pydantic_ai.exceptions import ModelAPIError, UnexpectedModelBehavior, UserError

        try:
            async with asyncio.timeout(self.timeout):
                yield
        except TimeoutError:
            raise ModelUnavailable(
                f"{self.name} gave no answer for {purpose} in {self.timeout:g} seconds"
            ) from None
        except ModelAPIError as error:
            message = f"{self.name} did not answer for {purpose}: {_reason(error)}"
            raise ModelUnavailable(self._line(message)) from None
        except UnexpectedModelBehavior as error:
            message = f"{self.name} gave no usable answer for {purpose}: {_complaint(error)}"
            raise InvalidAnswer(self._line(message)) from None
        except UserError as error:
            raise InvalidSettings(self._line(f"{self.name} cannot be used: {error}")) from None

    def _call(self, purpose: str, digest: str, usage: "RunUsage") -> ModelCall:
        return ModelCall(
            purpose=purpose,
            model=self.name,
            temperature=self.temperature,
            prompt_sha256=digest,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
        )

    def _line(self, message: str) -> str:
        """One printable line without the key, which some providers repeat in their errors."""
        if self.api_key:
            message = message.replace(self.api_key.get_secret_value(), "[key]")
        text = "".join(c if c.isprintable() else " " for c in message[:2000])
        return " ".join(text.split())[:300]


def _too_long(answer: str) -> str | None:
    if len(answer) > LONGEST_ANSWER:
        return f"The answer is longer than {LONGEST_ANSWER} characters."
    return None


def _encodable(text: str) -> str:
    """Replace lone surrogates, which have no UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _reason(error: "ModelAPIError") -> str:
    from pydantic_ai.exceptions import ModelHTTPError

    if not isinstance(error, ModelHTTPError):
        return error.message
    detail = error.body.get("message") if isinstance(error.body, dict) else None
    return f"HTTP {error.status_code} {detail or ''}".strip()


def _complaint(error: "UnexpectedModelBehavior") -> str:
    """Say what was wrong with the last answer, which PydanticAI keeps as the cause."""
    return str(error.__cause__) if error.__cause__ else error.message
