"""The main job on the committed example: a real crash, the released sources, one comment."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "tabulate-none-cell"
SOURCES = ROOT / ".cache" / "sources" / "tabulate-0.9.0.tar.gz"


def demo(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / "examples" / "demo.py", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def test_the_issue_holds_the_log_and_the_program_as_recorded():
    body = json.loads((EXAMPLE / "issue.json").read_text())["body"]

    assert (EXAMPLE / "crash.log").read_text() in body
    assert (EXAMPLE / "reproduce.py").read_text() in body
    assert "tabulate 0.9.0" in body


@pytest.mark.skipif(not SOURCES.exists(), reason="the sources were not fetched: `make dev`")
def test_run_then_approve(tmp_path):
    state = ("--state", str(tmp_path / "demo"))

    ran = demo("run", *state)
    assert ran.returncode == 0, ran.stderr
    assert "awaiting_approval" in ran.stdout
    assert "tabulate/__init__.py:1516" in ran.stdout
    world = json.loads((tmp_path / "demo" / "github" / "state.json").read_text())
    assert world["repositories"][0]["issues"][0]["comments"] == []

    approved = demo("approve", *state)
    assert approved.returncode == 0, approved.stderr
    world = json.loads((tmp_path / "demo" / "github" / "state.json").read_text())
    [comment] = world["repositories"][0]["issues"][0]["comments"]
    assert comment["user"] == "maintainer"
    assert comment["body"] in approved.stdout

    again = demo("approve", *state)
    assert again.returncode == 1
    assert "Nothing waits" in again.stderr


def test_approving_before_running(tmp_path):
    done = demo("approve", "--state", str(tmp_path / "none"))

    assert done.returncode == 1
    assert "make run" in done.stderr
