"""Write a fixture of this release: `python -m tests.e2e.make_release` (once a release)."""

import asyncio
import json
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from tests.e2e import mortal

RELEASES = Path(__file__).parent / "releases"


def main() -> None:
    """Leave a waiting case of issue 1, as a user of this release would have it on disk."""
    home = RELEASES / version("resolveflow")
    with tempfile.TemporaryDirectory() as folder:
        seed = Path(folder) / "seed.json"
        issue = {"number": 1, "title": "Boom 1", "body": "It broke", "user": "reporter"}
        repository = {"owner": "octo", "name": "hello", "issues": [issue]}
        mona = {"login": "mona", "tokens": [{"value": mortal.TOKEN}]}
        seed.write_text(json.dumps({"users": [mona], "repositories": [repository]}))
        command = [sys.executable, "-m", "resolveflow.testing.github_standin"]
        options = ["--state", folder, "--seed", str(seed)]
        with subprocess.Popen([*command, *options], stdout=subprocess.PIPE) as server:
            assert server.stdout is not None
            url = json.loads(server.stdout.readline())["url"]
            asyncio.run(mortal.submit(home, url, [1]))
            server.terminate()
    for leftover in home.iterdir():
        if leftover.name not in ("cases.db", "checkpoints.db"):
            subprocess.run(["rm", "-r", str(leftover)], check=True)


if __name__ == "__main__":
    main()
