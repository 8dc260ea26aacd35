"""What every command that touches cases shares: settings, the service, progress, output."""

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import typer
from rich.console import Console

from resolveflow.bootstrap import open_service
from resolveflow.domain.case import Case
from resolveflow.domain.errors import UnknownName
from resolveflow.domain.exploration import Exploration
from resolveflow.entrypoints.cli.output import case_json, dumps
from resolveflow.entrypoints.cli.rendering import console, print_case
from resolveflow.entrypoints.cli.running import read_settings as read_settings
from resolveflow.entrypoints.cli.running import run_to_end as run_to_end
from resolveflow.entrypoints.cli.running import show_wait as show_wait
from resolveflow.entrypoints.cli.visible import one_line
from resolveflow.service import Service
from resolveflow.settings import ApproverSettings, Settings

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

MARKS = {True: "✓", False: "✗", None: "–"}


@asynccontextmanager
async def service(*, deciding: bool = False) -> AsyncIterator[Service]:
    """Open the service; only a door that decides reads the approver's token."""
    approver = read_settings(ApproverSettings) if deciding else None
    settings = read_settings(Settings)
    async with open_service(settings, approver=approver, on_wait=show_wait) as opened:
        yield opened


def exploration(case: Case) -> Exploration:
    """What an explorer wrote of the case.

    Raises:
        UnknownName: no explorer did.
    """
    if case.investigation is None or case.investigation.exploration is None:
        raise UnknownName(f"case {case.id} has no explorer's report: it took another route")
    return case.investigation.exploration


async def show_progress(stage: str, line: str, did: bool | None) -> None:
    """Print a line for a stage that ended; what did nothing gets no tick."""
    sys.stderr.write(f"  {MARKS[did]} {stage:<20} {one_line(line or STAGES.get(stage, ''), 100)}\n")
    sys.stderr.flush()


def print_result(
    case: Case, *, as_json: bool, render: Callable[[Case, Console], None] = print_case
) -> None:
    """Print a case to stdout, for a script or for a person."""
    if as_json:
        typer.echo(dumps(case_json(case)))
    else:
        render(case, console())
