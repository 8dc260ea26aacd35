"""Whatever dies, and however many approve at once: one comment."""

import asyncio
import multiprocessing
from pathlib import Path

import pytest

from resolveflow.domain.case import Case
from tests.e2e import mortal
from tests.e2e.conftest import ISSUES

PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["tests.e2e.mortal"])


def _approve(home: Path, url: str, case: Case, *, die_at: int = 0) -> int:
    assert case.proposed_action is not None
    process = PROCESSES.Process(
        target=mortal.approve, args=(home, url, case.id, case.proposed_action.digest, die_at)
    )
    process.start()
    process.join()
    assert process.exitcode is not None
    return process.exitcode


def test_killed_at_every_boundary_it_posts_once(tmp_path: Path, url: str) -> None:
    home = tmp_path / "home"
    killed = 0
    for number in range(1, ISSUES + 1):
        (case,) = asyncio.run(mortal.submit(home, url, [number]))
        code = _approve(home, url, case, die_at=killed + 1)
        if code == 0:
            break
        assert code == -9, f"boundary {killed + 1}"
        killed += 1
        assert len(mortal.comments(url, case)) <= 1, f"boundary {killed}"
        last = asyncio.run(mortal.look(home, url, case.id))
        if last.status != "posted":
            assert _approve(home, url, case) == 0, f"boundary {killed}"
        done = asyncio.run(mortal.look(home, url, case.id))
        assert done.status == "posted", f"boundary {killed}"
        assert done.proposed_action is not None
        assert mortal.comments(url, case) == [done.proposed_action.comment], f"boundary {killed}"
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
    assert mortal.comments(url, case) == [case.proposed_action.comment]
