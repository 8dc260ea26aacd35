import json
from pathlib import Path

import pytest

from resolveflow.entrypoints.cli import main

TRACE = """Traceback (most recent call last):
  File "/app/shop/cart.py", line 2, in total
    return sum(prices) / 0
ZeroDivisionError: division by zero
"""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RESOLVEFLOW_HOME", str(tmp_path / "home"))
    tree = tmp_path / "tree"
    (tree / "shop").mkdir(parents=True)
    (tree / "shop" / "cart.py").write_text("def total(prices):\n    return sum(prices) / 0\n")
    (tree / "shop" / "stock.py").write_text("def count(items):\n    return len(items)\n")
    (tmp_path / "crash.log").write_text(TRACE)
    return tmp_path


def _run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(["localize", *arguments])
    assert isinstance(left.value.code, int)
    return left.value.code


def test_the_failing_file_comes_first(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--repo", str(shop / "tree"))
    assert _run(str(shop / "crash.log"), *options, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found) == {"suspects", "not_examined"}
    first = found["suspects"][0]
    assert first["path"] == "shop/cart.py"
    assert {"path", "score", "symbols", "reasons"} == set(first)
    assert _run(str(shop / "crash.log"), *options, "--limit", "1") == 0
    told = capsys.readouterr().out
    assert told.startswith(" 1. shop/cart.py")
    assert "total at line 2" in told
    assert "stock" not in told


def test_without_a_tree_it_says_so(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(str(shop / "crash.log")) == 2
    assert "--repo" in capsys.readouterr().err


def test_a_trace_of_other_sources_is_told_first(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (shop / "tree" / "shop" / "cart.py").rename(shop / "tree" / "shop" / "basket.py")
    assert _run(str(shop / "crash.log"), "--repo", str(shop / "tree"), "--json") == 0
    first = json.loads(capsys.readouterr().out)["not_examined"][0]
    assert first.startswith("none of its stack trace's files is in")
