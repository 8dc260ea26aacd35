import json
import subprocess
import sys
from pathlib import Path

from tests.git_trees import commit
from tests.unit.explore.trees import CELLS, CELLS_TRACE

SCRIPT = Path(__file__).parents[3] / "scripts" / "calibrate_static.py"


def test_the_script_counts_what_is_diagnosed_and_what_is_right(tmp_path: Path) -> None:
    base = commit(tmp_path / "repos" / "me__table", {"pkg/cells.py": CELLS.encode()})
    row = {"repo": "me/table", "base_commit": base, "gold_files": ["pkg/cells.py"]}
    rows = [
        {"id": "crash", "issue_title": "Cells crash", "issue_body": CELLS_TRACE},
        {"id": "nothing", "issue_title": "Prices vanish", "issue_body": "after checkout"},
    ]
    data = tmp_path / "data.jsonl"
    data.write_text("\n".join(json.dumps(row | one) for one in rows), "utf-8")
    command = [sys.executable, SCRIPT, data, tmp_path / "repos"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "1 diagnoses, 1 abstentions"
    assert lines[1].endswith(" 1/1 1.000")
    assert any(line.split() == ["shown", "1/1", "1.000"] for line in lines)
