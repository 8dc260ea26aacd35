"""`resolveflow tools`: starts the tool server in place of this process."""

from typing import Annotated

import typer

from resolveflow.entrypoints.cli.cases import Commit


def tools(
    repo: Annotated[
        str,
        typer.Option(
            metavar="REPO", help="A working tree, git directory, clone URL or source archive."
        ),
    ] = ".",
    commit: Commit = None,
    http: Annotated[
        int | None,
        typer.Option(
            metavar="PORT",
            min=0,
            max=65535,
            help="Serve over HTTP on this machine alone; 0 takes a free port.",
        ),
    ] = None,
) -> None:
    """Serve four read-only tools over a repository to a coding agent, over MCP.

    The server holds no key and no token. One server is one investigation: a funnel of searching,
    then reading, then none.

    \b
    Examples:
      resolveflow tools --repo ~/src/project --commit v1.2
      claude mcp add source -- resolveflow tools --repo ~/src/project
    """
    import os
    import sys

    given = ["--repo", repo]
    given += ["--commit", commit] if commit else []
    given += ["--http", str(http)] if http is not None else []
    program = [sys.executable, "-P", "-m", "resolveflow.entrypoints.tools", *given]
    sys.stdout.flush()
    os.execv(sys.executable, program)  # noqa: S606 - our own program, started by its module's name
