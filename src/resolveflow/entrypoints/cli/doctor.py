"""`resolveflow doctor`: what is configured, what really works, what to do about the rest."""

from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command()(doctor)


def doctor(
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON to stdout and nothing else.")
    ] = False,
) -> None:
    """Probe what is configured: database, git, GitHub, model. Exit code 1 if a part fails."""
    from resolveflow.entrypoints.cli import output, rendering, session
    from resolveflow.entrypoints.cli.examination import examine
    from resolveflow.settings import Settings

    findings = session.run_to_end(examine(session.read_settings(Settings)))
    if as_json:
        typer.echo(output.dumps({"findings": [vars(finding) for finding in findings]}))
    else:
        rendering.print_findings(findings, rendering.console())
    if any(finding.ok is False for finding in findings):
        raise typer.Exit(1)
