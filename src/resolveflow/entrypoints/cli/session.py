"""What every command that touches cases shares: settings, the service, progress, output."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import typer
from pydantic import ValidationError
from pydantic_settings import BaseSettings
from rich.console import Console

from resolveflow.bootstrap import open_service
from resolveflow.domain.case import Case
from resolveflow.domain.errors import InvalidSettings, ResolveFlowError, Unavailable
from resolveflow.entrypoints.cli.output import case_json, dumps
from resolveflow.entrypoints.cli.rendering import console, print_case
from resolveflow.entrypoints.cli.visible import one_line
from resolveflow.service import Service
from resolveflow.settings import ApproverSettings, Settings

S = TypeVar("S", bound=BaseSettings)
T = TypeVar("T")

STAGES = {
    "fetch_evidence": "read the report and what belongs to it",
    "normalize_evidence": "parsed it and pinned the source tree",
    "classify": "sorted it by rules",
    "generate_diagnosis": "investigated the source tree",
    "verify_diagnosis": "verified what can be verified",
    "independent_review": "computed the gates",
    "draft_proposal": "wrote the exact comment",
    "await_approval": "a person decided",
    "execute": "posted what was approved",
}


def read_settings(kind: type[S]) -> S:
    """Read settings from the environment.

    Raises:
        InvalidSettings: one that cannot be used, by the name of its variable.
    """
    try:
        return kind()
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        name = "_".join(str(part) for part in first["loc"]).upper()
        raise InvalidSettings(f"RESOLVEFLOW_{name}: {first['msg']}") from None


@asynccontextmanager
async def service(*, deciding: bool = False) -> AsyncIterator[Service]:
    """Open the service; only a door that decides reads the approver's token."""
    approver = read_settings(ApproverSettings) if deciding else None
    settings = read_settings(Settings)
    async with open_service(settings, approver=approver, on_wait=show_wait) as opened:
        yield opened


async def show_wait(seconds: float, why: str) -> None:
    """Say that GitHub has to be waited for."""
    sys.stderr.write(f"  … {one_line(why)}: waiting {seconds:.0f} s\n")


async def show_progress(stage: str, line: str) -> None:
    """Print a line for a stage that is done."""
    sys.stderr.write(f"  ✓ {stage:<20} {one_line(line or STAGES.get(stage, ''), 100)}\n")
    sys.stderr.flush()


def run_to_end(work: Coroutine[Any, Any, T]) -> T:
    """Run a command's coroutine; Ctrl-C ends it without a traceback, and nothing is lost.

    Raises:
        Unavailable: the operating system refused something.
    """
    try:
        return asyncio.run(work)
    except KeyboardInterrupt:
        sys.stderr.write("\nInterrupted; what was found is kept: see `resolveflow inbox`.\n")
        raise typer.Exit(130) from None
    except (ResolveFlowError, BrokenPipeError):  # a refusal is a PermissionError, too
        raise
    except OSError as error:
        name = f" {error.filename}" if error.filename else ""
        raise Unavailable(f"cannot use{name}: {error.strerror or error}") from None


def print_result(
    case: Case, *, as_json: bool, render: Callable[[Case, Console], None] = print_case
) -> None:
    """Print a case to stdout, for a script or for a person."""
    if as_json:
        typer.echo(dumps(case_json(case)))
    else:
        render(case, console())
