"""`python -m resolveflow.testing.github_standin --state DIR [--port N] [--seed FILE.json]`."""

import argparse
import json
import sys
from pathlib import Path

import uvicorn

from resolveflow.domain.errors import ResolveFlowError
from resolveflow.testing.github_standin.server import bind, configure, prepare
from resolveflow.testing.github_standin.store import read_world


def main() -> int:
    """Serve until a signal; print the address as one line of JSON when it answers."""
    parser = argparse.ArgumentParser(prog="github_standin", description=__doc__)
    parser.add_argument("--state", type=Path, required=True, help="directory of the state")
    parser.add_argument("--port", type=int, default=0, help="0 is any free port")
    parser.add_argument("--seed", type=Path, help="the world to start from where there is no state")
    options = parser.parse_args()
    try:
        seed = read_world(options.seed) if options.seed else None
        listener = bind(options.port)
        standin = prepare(options.state, listener, seed)
    except ResolveFlowError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    except OSError as error:
        sys.stderr.write(f"cannot serve on port {options.port}: {error.strerror}\n")
        return 3
    sys.stdout.write(json.dumps({"url": standin.url, "state": str(options.state)}) + "\n")
    sys.stdout.flush()
    uvicorn.Server(configure(standin)).run(sockets=[listener])
    return 0


if __name__ == "__main__":
    sys.exit(main())
