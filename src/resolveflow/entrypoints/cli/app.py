"""The commands by name."""

from importlib.metadata import version
from typing import Annotated

import typer

from resolveflow.entrypoints.cli import cases, doctor
from resolveflow.entrypoints.cli.eval_localization import eval_localization
from resolveflow.entrypoints.cli.localize import localize
from resolveflow.entrypoints.cli.map import map_repository
from resolveflow.entrypoints.cli.tools import tools

EXIT_CODES = (
    "Exit codes: 0 done, 1 the check failed or found something, 2 bad input, "
    "3 a needed service or program is missing, 130 interrupted."
)

app = typer.Typer(
    name="resolveflow",
    help=(
        "From a bug report to one approved, byte-exact answer.\n\n"
        "Nothing is ever posted before a person has approved the exact text.\n\n"
        "\b\nExamples:\n"
        "  resolveflow run https://github.com/OWNER/REPO/issues/7\n"
        "  resolveflow run crash.log --repo ~/src/project --issue OWNER/REPO#7\n"
        "  resolveflow inbox\n"
        "  resolveflow approve CASE"
    ),
    epilog=EXIT_CODES,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # plain help: rich alone would take half of what --help costs
    pretty_exceptions_enable=False,
    pretty_exceptions_show_locals=False,  # locals hold tokens
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"resolveflow {version('resolveflow')}")
        raise typer.Exit


@app.callback()
def common_options(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """From a bug report to one approved, byte-exact answer."""


measuring = typer.Typer(
    help="Measure how good a part is, on data with known answers.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
measuring.command("localization")(eval_localization)

cases.register(app)
doctor.register(app)
app.command()(localize)
app.command("map")(map_repository)
app.command()(tools)
app.add_typer(measuring, name="eval")
