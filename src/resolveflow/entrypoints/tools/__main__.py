"""Starts the tool server: `python -m resolveflow.entrypoints.tools --repo R`."""

import argparse
import asyncio
import os
import signal
import sys
from collections.abc import Mapping, Sequence

# What a process without secrets may know: no key, no token, no proxy with a password.
KEPT = frozenset(
    {"HOME", "LANG", "LC_ALL", "LC_CTYPE", "PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "TZ"}
    | {"PYTHONHOME", "PYTHONPATH", "PYTHONUTF8", "PYTHONWARNINGS", "PYTHONDONTWRITEBYTECODE"}
    | {"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "VIRTUAL_ENV"}
    | {"COVERAGE_PROCESS_CONFIG", "COVERAGE_PROCESS_START"}
    | {"RESOLVEFLOW_HOME", "RESOLVEFLOW_CODE_INDEX", "OPENBLAS_NUM_THREADS"}
)


def harmless(environment: Mapping[str, str]) -> dict[str, str]:
    """The part of an environment that the server is started with."""
    return {name: value for name, value in environment.items() if name in KEPT}


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until the client leaves; bad input is one line on stderr and its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    options = _parser().parse_args(given)
    environment = dict(os.environ)  # noqa: TID251 - read once, to start anew without its secrets
    if environment.keys() - KEPT:
        # -P: a module of the tree that lies in the working directory is not imported.
        program = [sys.executable, "-P", "-m", "resolveflow.entrypoints.tools", *given]
        os.execve(sys.executable, program, harmless(environment))  # noqa: S606 - this very program
    from resolveflow.domain.errors import ResolveFlowError
    from resolveflow.explore.shown import short

    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a thread that waits for input would hold it up
    try:
        asyncio.run(_serve(options.repo, options.commit, options.http))
    except ResolveFlowError as error:
        sys.stderr.write(f"error: {short(str(error), 1_000)}\n")
        sys.exit(error.exit_code)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="resolveflow tools")
    parser.add_argument("--repo", default=".")
    parser.add_argument("--commit")
    parser.add_argument("--http", type=int, metavar="PORT", choices=range(65536))
    return parser


async def _serve(repo: str, commit: str | None, http: int | None) -> None:
    from resolveflow.backends.repository_open import RepositoryOpener
    from resolveflow.bootstrap import load
    from resolveflow.domain.errors import MissingProgram
    from resolveflow.explore.funnel import Funnel
    from resolveflow.explore.tools import Dispatcher
    from resolveflow.settings import ToolSettings

    try:
        from resolveflow.entrypoints.tools.server import serve
    except ModuleNotFoundError as error:
        raise MissingProgram(
            f"the tool server needs {error.name}: pip install 'resolveflow[agents]'"
        ) from None
    settings = ToolSettings()
    repository = await RepositoryOpener(settings.home)(repo, commit=commit)
    index = load("code_indexes", settings.code_index)(settings.home)
    await serve(Funnel(dispatcher=Dispatcher(repository=repository, index=index)), http)


if __name__ == "__main__":
    main()
