"""Whatever dies, and however many approve at once: one comment."""

import asyncio
import json
import multiprocessing
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from resolveflow.domain.case import Case
from tests.e2e import mortal

ISSUES = 100
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["tests.e2e.mortal"])


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """The stand-in in a process of its own, so that no death of ours takes it along."""
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


def _approve(home: Path, url: str, case: Case, *, die_at: int = 0) -> int:
    assert case.proposed_action is not None
    process = PROCESSES.Process(
        target=mortal.approve, args=(home, url, case.id, case.proposed_action.digest, die_at)
    )
    process.start()
    process.join()
    assert process.exitcode is not None
    return process.exitcode


def _comments(url: str, case: Case) -> list[str]:
    assert case.report.ref is not None
    path = f"/repos/octo/hello/issues/{case.report.ref.number}/comments"
    headers = {"Authorization": f"Bearer {mortal.TOKEN}"}
    answer = httpx.get(url + path, headers=headers).raise_for_status()
    return [comment["body"] for comment in answer.json()]


def test_killed_at_every_boundary_it_posts_once(tmp_path: Path, url: str) -> None:
    home = tmp_path / "home"
    cases = asyncio.run(mortal.submit(home, url, range(1, ISSUES + 1)))
    killed = 0
    for case in cases:
        code = _approve(home, url, case, die_at=killed + 1)
        if code == 0:
            break
        assert code == -9, f"boundary {killed + 1}"
        killed += 1
        assert len(_comments(url, case)) <= 1, f"boundary {killed}"
        last = asyncio.run(mortal.look(home, url, case.id))
        if last.status != "posted":
            assert _approve(home, url, case) == 0, f"boundary {killed}"
        done = asyncio.run(mortal.look(home, url, case.id))
        assert done.status == "posted", f"boundary {killed}"
        assert done.proposed_action is not None
        assert _comments(url, case) == [done.proposed_action.comment], f"boundary {killed}"
    else:
        pytest.fail("more boundaries than issues")
    # Fewer would mean that a boundary is no longer watched.
    assert killed >= 30


def test_fifty_processes_approve_at_once(tmp_path: Path, url: str) -> None:
    home = tmp_path / "home"
    (case,) = asyncio.run(mortal.submit(home, url, [1]))
    assert case.proposed_action is not None
    args = (home, url, case.id, case.proposed_action.digest, 0)
    processes = [PROCESSES.Process(target=mortal.approve, args=args) for _ in range(50)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    codes = sorted(process.exitcode or 0 for process in processes)
    assert codes == [0] + [1] * 49
    assert _comments(url, case) == [case.proposed_action.comment]
