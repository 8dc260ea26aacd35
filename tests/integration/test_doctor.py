"""What `doctor` finds out by really probing."""

from pathlib import Path

import pytest
from pydantic import HttpUrl, SecretStr

from resolveflow.entrypoints.cli.examination import examine
from resolveflow.entrypoints.cli.finding import Finding
from resolveflow.settings import Settings
from resolveflow.testing.github_standin import Fault, Repository, Token, User, World, serve
from resolveflow.testing.model_server import Broken, serve_model

WORLD = World(
    users=[User(login="reader", tokens=[Token(value="reader-token", access="read")])],
    repositories=[Repository(owner="o", name="r")],
)


@pytest.fixture
async def github(tmp_path: Path):
    async with serve(tmp_path / "github", seed=WORLD) as standin:
        yield standin


async def found(tmp_path: Path, github, **settings: object) -> dict[str, Finding]:
    base = Settings(home=tmp_path / "home", github_api_url=HttpUrl(github.url))
    findings = await examine(base.model_copy(update=settings))
    return {finding.name: finding for finding in findings}


async def test_everything_that_need_not_be_configured(tmp_path, github):
    findings = await found(tmp_path, github)

    assert [name for name, finding in findings.items() if finding.ok is False] == []
    assert findings["git"].detail.startswith("git version")
    assert "no token" in findings["github"].detail
    assert "RESOLVEFLOW_GITHUB_TOKEN" in findings["github"].advice
    assert findings["model"].ok is None
    assert findings["policy"].ok is None


async def test_whose_token_it_is(tmp_path, github):
    findings = await found(tmp_path, github, github_token=SecretStr("reader-token"))

    assert findings["github"].ok
    assert "belongs to reader" in findings["github"].detail


async def test_a_token_that_is_not_accepted(tmp_path, github):
    findings = await found(tmp_path, github, github_token=SecretStr("gone-token"))

    assert findings["github"].ok is False
    assert "gone-token" not in str(findings)


async def test_a_refusal_without_a_token(tmp_path, github):
    github.fail(Fault(kind="primary_limit", method="GET", retry_after="60"))

    findings = await found(tmp_path, github)

    assert findings["github"].ok is False
    assert "limit" in findings["github"].detail


async def test_a_model_that_answers_and_one_that_does_not(tmp_path, github):
    async with serve_model(["yes", Broken("unauthorized")]) as server:
        settings = {"model": "small", "model_base_url": server.base_url}

        first = await found(tmp_path, github, **settings, model_api_key=SecretStr("k3y-of-mine"))
        second = await found(tmp_path, github, **settings, model_api_key=SecretStr("k3y-of-mine"))

    assert first["model"].ok
    assert "small answers" in first["model"].detail
    assert second["model"].ok is False
    assert "k3y-of-mine" not in str(second)


async def test_a_policy(tmp_path, github):
    good, bad = tmp_path / "good.toml", tmp_path / "bad.toml"
    good.write_text("")
    bad.write_text("nonsense")

    assert (await found(tmp_path, github, policy=good))["policy"].ok
    assert (await found(tmp_path, github, policy=bad))["policy"].ok is False
    assert (await found(tmp_path, github, policy=tmp_path / "none"))["policy"].ok is False


async def test_a_database_that_cannot_be_opened(tmp_path, github):
    (tmp_path / "file").write_text("")

    findings = await found(tmp_path, github, home=tmp_path / "file")

    assert findings["database"].ok is False
