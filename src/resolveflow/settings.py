"""Facts of the deployment, read once from `RESOLVEFLOW_*` variables by `bootstrap`."""

from pathlib import Path

from platformdirs import user_data_path
from pydantic import Field, HttpUrl, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """What every command may read. No setting can switch a gate off."""

    model_config = SettingsConfigDict(env_prefix="RESOLVEFLOW_", frozen=True, extra="ignore")

    home: Path = Field(
        default_factory=lambda: user_data_path("resolveflow"),
        description="Where state lives: the database, checkpoints, mirrors and code indexes.",
    )
    github_token: SecretStr | None = Field(
        default=None, description="A read-only token for GitHub's REST API."
    )
    github_api_url: HttpUrl = Field(
        default=HttpUrl("https://api.github.com"), description="The REST API's base URL."
    )
    github_web_url: HttpUrl = Field(
        default=HttpUrl("https://github.com"), description="The host that issue links must have."
    )
    github_max_wait: float = Field(
        default=120.0, ge=0, description="The longest wait for a rate limit, in seconds."
    )
    model: str | None = Field(
        default=None, description="provider:name of the diagnosing model, e.g. openai:gpt-4o-mini."
    )
    model_base_url: HttpUrl | None = Field(
        default=None, description="Base URL of an OpenAI-compatible server."
    )
    model_api_key: SecretStr | None = Field(default=None, description="Key for that model.")
    review_model: str | None = Field(
        default=None, description="provider:name of the reviewing model; the same one if unset."
    )
    temperature: float | None = Field(
        default=0.0, description="Temperature of both models; unset where a provider has none."
    )
    explorer: str = Field(default="static", description="The explorer, by entry-point name.")
    code_index: str = Field(default="store", description="The code index, by entry-point name.")
    policy: Path | None = Field(
        default=None, description="A TOML file of rules that send more cases to a human."
    )
    github_settle: float = Field(
        default=12.0,
        ge=0,
        description="Seconds that GitHub may still be working on a write whose answer was lost.",
    )
    approval_ttl: float = Field(
        default=900.0, gt=0, description="Seconds between an approval and its use."
    )


class ApproverSettings(BaseSettings):
    """What only `approve` may read."""

    model_config = SettingsConfigDict(env_prefix="RESOLVEFLOW_", frozen=True, extra="ignore")

    approver_token: SecretStr | None = Field(
        default=None, description="The approver's own token: comments are posted as its user."
    )


class ToolSettings(BaseSettings):
    """What the tool server may read: no secret is among it."""

    model_config = SettingsConfigDict(env_prefix="RESOLVEFLOW_", frozen=True, extra="ignore")

    home: Path = Field(
        default_factory=lambda: user_data_path("resolveflow"),
        description="Where mirrors and code indexes live.",
    )
    code_index: str = Field(default="store", description="The code index, by entry-point name.")
