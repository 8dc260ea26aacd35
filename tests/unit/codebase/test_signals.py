from pathlib import Path

import pytest

from resolveflow.backends.code_index import StoredCodeIndex
from resolveflow.codebase.signals import Asked, frames, stem
from resolveflow.codebase.text import query
from resolveflow.domain.crash import Crash, Frame
from resolveflow.domain.report import IssueEvidence
from resolveflow.intake.crashes import parse_crashes
from resolveflow.testing.memory_repository import MemoryRepository

FILES = {
    "till/__init__.py": b"from till.cli import main\n",
    "till/__main__.py": b"from till.cli import main\n\n\nmain()\n",
    "till/cli.py": b"def main():\n    run()\n\n\ndef run():\n    dispatch()\n\n\n"
    b"def dispatch():\n    add_up([])\n",
    "till/sums.py": b"def add_up(prices):\n    return prices[0] + add_up(prices[1:])\n",
}
TRACE = """The main command fails.

Traceback (most recent call last):
  File "/usr/lib/python3.11/runpy.py", line 198, in _run_module_as_main
    return _run_code(code, main_globals, None,
  File "/usr/lib/python3.11/runpy.py", line 88, in _run_code
    exec(code, run_globals)
  File "/home/ada/till/__main__.py", line 4, in <module>
    main()
  File "/home/ada/till/cli.py", line 2, in main
    run()
  File "/home/ada/till/cli.py", line 6, in run
    dispatch()
  File "/home/ada/till/cli.py", line 10, in dispatch
    add_up([])
  File "/home/ada/till/sums.py", line 2, in add_up
    return prices[0] + add_up(prices[1:])
IndexError: list index out of range
"""


def crash(*files: str) -> Crash:
    return Crash(
        type="E", message="", frames=tuple(Frame(file=file, line=1, function="f") for file in files)
    )


async def scored(home: Path, *crashes: Crash) -> dict[str, float]:
    tree = await StoredCodeIndex(home).tree_index(MemoryRepository(FILES))
    asked = Asked(query=query("It fails", ""), crashes=crashes)
    return dict(zip(tree.paths, frames(tree, asked).tolist(), strict=True))


async def test_a_trace_of_python_m_leads_to_the_innermost_file(tmp_path: Path) -> None:
    report = IssueEvidence(
        source="test",
        target=None,
        title="python -m till fails in main",
        body=TRACE,
        crashes=parse_crashes(TRACE),
        content_hash="0" * 64,
    )
    found = await StoredCodeIndex(tmp_path).localize(report, MemoryRepository(FILES), 4)
    assert found.suspects[0].path == "till/sums.py"


async def test_many_outer_frames_weigh_no_more_than_the_innermost_one(tmp_path: Path) -> None:
    scores = await scored(tmp_path, crash("till/sums.py", *["till/cli.py"] * 50))
    assert scores["till/sums.py"] == 1.0
    assert scores["till/cli.py"] == 0.5


async def test_every_crash_counts(tmp_path: Path) -> None:
    scores = await scored(tmp_path, crash("till/sums.py"), crash("till/sums.py"), crash())
    assert scores["till/sums.py"] == 2.0


@pytest.mark.parametrize("said", ["the main file", "__main__ fails", "init fails"])
async def test_a_name_that_every_package_has_is_no_files_own(said: str, tmp_path: Path) -> None:
    files = {"__init__.py": b"x = 1\n", "__main__.py": b"x = 2\n", "sums.py": b"x = 3\n"}
    tree = await StoredCodeIndex(tmp_path).tree_index(MemoryRepository(files))
    assert stem(tree, Asked(query=query(said, ""))).tolist() == [0.0, 0.0, 0.0]
