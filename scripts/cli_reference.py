"""Write the reference of the command line: `scripts/cli_reference.py docs/reference/cli.md`."""

import sys
from collections.abc import Iterator
from pathlib import Path

import typer
from pydantic_settings import BaseSettings
from typer.testing import CliRunner

from resolveflow.entrypoints.cli import app
from resolveflow.settings import ApproverSettings, Settings

HEADER = """\
# Command line

Made by `make docs` from the program itself; a test checks that it is current.

`--json` prints to stdout and nothing else does; progress and errors go to stderr. The fields of a
case in JSON are a contract: `id`, `status`, `target`, `evidence`, `triage`, `passages`,
`diagnosis`, `not_examined`, `verification`, `review`, `proposed_action`, `resolution`; what did
not run is null. The status is one of `running`, `awaiting_approval`, `human_review`, `failed`,
`rejected`, `expired`, `superseded`, `posted`, `partial`, `refused`.
"""


def reference() -> str:
    """The whole text."""
    helps = _helps(typer.main.get_command(app))
    return "\n".join([HEADER, *helps, "## Settings\n", *_settings()])


def _helps(command: object, *names: str) -> Iterator[str]:
    yield _help(*names)
    for name, inner in getattr(command, "commands", {}).items():
        yield from _helps(inner, *names, name)


def _help(*command: str) -> str:
    runner = CliRunner(env={"TERMINAL_WIDTH": "90", "COLUMNS": "90", "NO_COLOR": "1"})
    shown = runner.invoke(app, [*command, "--help"], prog_name="resolveflow").output
    title = " ".join(["resolveflow", *command])
    text = "\n".join(line.rstrip() for line in shown.strip().splitlines())
    return f"## `{title}`\n\n```text\n{text}\n```\n"


def _settings() -> Iterator[str]:
    yield "| variable | default | meaning |"
    yield "| --- | --- | --- |"
    for kind in (Settings, ApproverSettings):
        yield from _rows(kind)
    yield ""


def _rows(kind: type[BaseSettings]) -> Iterator[str]:
    for name, field in kind.model_fields.items():
        default = "the platform's data folder" if field.default_factory else field.default
        shown = "" if default is None else f"`{default}`"
        yield f"| `RESOLVEFLOW_{name.upper()}` | {shown} | {field.description} |"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(reference(), encoding="utf-8")
