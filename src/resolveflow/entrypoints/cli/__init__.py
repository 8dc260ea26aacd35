"""The command line. Importing it costs little: what a command needs is imported when it runs."""

import os
import sys
from collections.abc import Sequence

from resolveflow.entrypoints.cli.app import app

__all__ = ["app", "main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and leave with its exit code; an error is one line on stderr."""
    from resolveflow.domain.errors import ResolveFlowError

    os.putenv("OPENBLAS_NUM_THREADS", "1")  # numpy's threads cost more to start than they save
    try:
        app(arguments)
    except ResolveFlowError as error:
        from resolveflow.entrypoints.cli.visible import one_line

        sys.stderr.write(f"error: {one_line(str(error), 1000)}\n")
        sys.exit(error.exit_code)
