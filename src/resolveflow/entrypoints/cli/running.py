"""What a command needs to run at all, and costs little to import."""

import asyncio
import sys
from collections.abc import Coroutine
from typing import Any, TypeVar

import typer
from pydantic import ValidationError
from pydantic_settings import BaseSettings

from resolveflow.domain.errors import InvalidSettings, ResolveFlowError, Unavailable
from resolveflow.entrypoints.cli.visible import one_line

S = TypeVar("S", bound=BaseSettings)
T = TypeVar("T")


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


async def show_wait(seconds: float, why: str) -> None:
    """Say that GitHub has to be waited for."""
    sys.stderr.write(f"  … {one_line(why)}: waiting {seconds:.0f} s\n")


def run_to_end(work: Coroutine[Any, Any, T]) -> T:
    """Run a command's coroutine; Ctrl-C ends it without a traceback, and nothing is lost.

    Raises:
        Unavailable: the operating system refused something.
    """
    try:
        return asyncio.run(work)
    except KeyboardInterrupt:
        sys.stderr.write("\nInterrupted; what was found is kept (cases: `resolveflow inbox`).\n")
        raise typer.Exit(130) from None
    except (ResolveFlowError, BrokenPipeError):  # a refusal is a PermissionError, too
        raise
    except OSError as error:
        name = f" {error.filename}" if error.filename else ""
        raise Unavailable(f"cannot use{name}: {error.strerror or error}") from None
