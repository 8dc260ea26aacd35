"""The stand-in in a process of its own, so that no death of ours takes it along."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e import mortal

ISSUES = 100


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    seed = tmp_path / "seed.json"
    seed.write_text(json.dumps(_world()))
    command = [sys.executable, "-m", "resolveflow.testing.github_standin"]
    options = ["--state", str(tmp_path / "github"), "--seed", str(seed)]
    with subprocess.Popen([*command, *options], stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        yield json.loads(server.stdout.readline())["url"]
        server.terminate()


def _world() -> dict[str, object]:
    issues = [
        {"number": number, "title": f"Boom {number}", "body": "It broke", "user": "reporter"}
        for number in range(1, ISSUES + 1)
    ]
    mona = {"login": "mona", "tokens": [{"value": mortal.TOKEN}]}
    repository = {
        "owner": "octo",
        "name": "hello",
        "rights": {"mona": "triage"},
        "labels": ["bug"],
        "issues": issues,
    }
    return {"users": [mona], "repositories": [repository]}
