"""Probing each part that a case may need; nothing is written but an empty database."""

import platform
from collections.abc import Awaitable, Callable

from resolveflow.backends.database import open_database
from resolveflow.backends.git import GitFailed, find_git
from resolveflow.backends.github_http import Patience
from resolveflow.bootstrap import choose_model, load, open_github, read_policy
from resolveflow.domain.errors import GitHubRefused, ResolveFlowError
from resolveflow.entrypoints.cli.finding import Finding
from resolveflow.settings import Settings


async def examine(settings: Settings) -> tuple[Finding, ...]:
    """Probe every part, one after the other."""
    probes: tuple[tuple[str, Callable[[Settings], Awaitable[Finding]]], ...] = (
        ("python", _python),
        ("database", _database),
        ("git", _git),
        ("github", _github),
        ("model", _model),
        ("explorer", _explorer),
        ("policy", _policy),
        ("approver", _approver),
        ("embedding", _embedding),
        ("sandbox", _sandbox),
    )
    return tuple([await _guarded(name, probe, settings) for name, probe in probes])


async def _guarded(
    name: str, probe: Callable[[Settings], Awaitable[Finding]], settings: Settings
) -> Finding:
    try:
        return await probe(settings)
    except (ResolveFlowError, GitFailed) as error:
        return Finding(name, ok=False, detail=str(error))
    except OSError as error:
        reason = f"{error.filename or 'the system'}: {error.strerror or error}"
        return Finding(name, ok=False, detail=reason, advice="set RESOLVEFLOW_HOME")


async def _python(_settings: Settings) -> Finding:
    return Finding("python", ok=True, detail=platform.python_version())


async def _database(settings: Settings) -> Finding:
    async with open_database(settings.home):
        return Finding("database", ok=True, detail=f"SQLite in {settings.home}, opened")


async def _git(settings: Settings) -> Finding:
    git = find_git(settings.home)
    version = await git.run("--version", environment=git.environment)
    return Finding("git", ok=True, detail=version.decode(errors="replace").strip())


async def _github(settings: Settings) -> Finding:
    patience = Patience(max_wait=0)
    async with open_github(settings, settings.github_token, patience) as reader:
        if settings.github_token is not None:
            account = await reader.viewer()
            detail = f"{settings.github_api_url} answers; the token belongs to {account.login}"
            return Finding("github", ok=True, detail=detail)
        try:
            await reader.repository("github", "docs")
        except GitHubRefused as error:
            if error.status != 404:  # which is an answer too, from a GitHub of one's own
                raise
    return Finding(
        "github",
        ok=True,
        detail=f"{settings.github_api_url} answers; no token, so 60 reads an hour",
        advice="set RESOLVEFLOW_GITHUB_TOKEN to a token without write scopes",
    )


async def _model(settings: Settings) -> Finding:
    model = choose_model(settings, settings.model)
    if model is None:
        return Finding(
            "model",
            ok=None,
            detail="none: diagnoses come from the static explorer",
            advice="set RESOLVEFLOW_MODEL, e.g. openai:gpt-4o-mini, and its key",
        )
    answer = await model.text("doctor", "Answer with the word yes.", "Do you answer?")
    used = answer.call.input_tokens + answer.call.output_tokens
    return Finding("model", ok=True, detail=f"{model.name} answers ({used} tokens)")


async def _explorer(settings: Settings) -> Finding:
    load("explorers", settings.explorer)
    load("code_indexes", settings.code_index)
    detail = f"{settings.explorer}, on the {settings.code_index} code index"
    return Finding("explorer", ok=True, detail=detail)


async def _policy(settings: Settings) -> Finding:
    if settings.policy is None:
        return Finding("policy", ok=None, detail="none: the built-in rules alone")
    read_policy(settings.policy)
    return Finding("policy", ok=True, detail=f"{settings.policy} is valid")


async def _approver(_settings: Settings) -> Finding:
    return Finding(
        "approver",
        ok=None,
        detail="not looked at: only `approve` reads RESOLVEFLOW_APPROVER_TOKEN",
    )


async def _embedding(_settings: Settings) -> Finding:
    return Finding("embedding", ok=None, detail="no index of resolved issues in this version")


async def _sandbox(_settings: Settings) -> Finding:
    return Finding("sandbox", ok=None, detail="none in this version: nothing of a report is run")
