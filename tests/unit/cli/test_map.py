import json
import sqlite3
import zlib
from pathlib import Path
from xml.etree import ElementTree

import pytest

from resolveflow.entrypoints.cli import main
from tests.git_trees import commit
from tests.unit.codebase.code_trees import SHOP


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RESOLVEFLOW_HOME", str(tmp_path / "home"))
    commit(tmp_path / "shop", {path: text.encode() for path, text in SHOP.items()})
    (tmp_path / "report.txt").write_text("show_order in web/views.py fails\n")
    issue = {"title": "show_order fails", "body": None, "number": 1, "state": "open"}
    (tmp_path / "issue.json").write_text(json.dumps(issue))
    return tmp_path


def run(*arguments: object) -> int:
    with pytest.raises(SystemExit) as left:
        main(["map", *map(str, arguments)])
    assert isinstance(left.value.code, int)
    return left.value.code


def test_the_same_map_from_the_store(shop, capsys):
    assert run(shop / "shop") == 0
    first = capsys.readouterr().out
    assert first.startswith("4 source files")
    assert "round_price" in first
    (store,) = (shop / "home" / "indexes").glob("*.db")
    told = zlib.compress(b"what was kept\n")
    with sqlite3.connect(store) as database:
        database.execute(
            "UPDATE answer SET data = ?, crc = ? WHERE question NOT IN ('files', 'history')",
            (told, zlib.crc32(told)),
        )
    assert run(shop / "shop") == 0
    assert capsys.readouterr().out == "what was kept\n"


def test_json_names_the_tree_and_the_files(shop, capsys):
    assert run(shop / "shop", "--json", "--tokens", 500) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["tree"]["kind"] == "git"
    assert found["files"][0]["path"] == "shop/money.py"
    assert set(found["files"][0]["definitions"][0]) == {
        "name",
        "kind",
        "line",
        "indent",
        "signature",
    }
    assert found["skipped"] == {"minified": 1, "not source": 1}


@pytest.mark.parametrize("report", ["report.txt", "issue.json"])
def test_a_report_changes_the_map(shop, capsys, report):
    assert run(shop / "shop", "--json", "--report", shop / report) == 0
    assert json.loads(capsys.readouterr().out)["files"][0]["path"] == "web/views.py"
    assert run(shop / "shop", "--report", shop / report) == 0
    assert "web/views.py" in capsys.readouterr().out


def test_skipped_files_are_listed_with_reasons(shop, capsys):
    assert run(shop / "shop", "--list-skipped") == 0
    assert "minified" in capsys.readouterr().out
    assert run(shop / "shop", "--list-skipped", "--json") == 0
    skipped = json.loads(capsys.readouterr().out)["skipped"]
    assert {"path": "README.md", "reason": "not source"} in skipped


@pytest.mark.parametrize("name", ["map.svg", "map.html"])
def test_pictures_of_hostile_names(shop, capsys, name):
    hostile = {f"<b>&'\"\x1b/{number}.py": b"def f(): pass\n" for number in range(9)}
    commit(shop / "shop", {**hostile, "shop/a.py": b"", "shop/b.py": b""})
    assert run(shop / "shop", "--picture", shop / name) == 0
    assert capsys.readouterr().out == ""
    drawn = (shop / name).read_text(encoding="utf-8")
    ElementTree.fromstring(drawn[drawn.index("<svg") : drawn.index("</svg>") + 6])  # noqa: S314
    assert "&lt;b&gt;&amp;" in drawn
    assert "\x1b" not in drawn


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("nowhere",), "nowhere"),
        (("shop", "--commit", "feed"), "no commit"),
        (("shop", "--picture", "map.png"), ".svg or .html"),
        (("shop", "--picture", "no/such/folder/map.svg"), "cannot write"),
        (("shop", "--picture", "map.svg", "--json"), "leave --json"),
        (("shop", "--picture", "map.svg", "--list-skipped"), "leave --json"),
        (("shop", "--report", "none.log"), "there is no file none.log"),
        (("shop", "--report", "https://github.com/o/r/issues/1"), "file"),
    ],
)
def test_bad_input_is_one_line(shop, capsys, monkeypatch, arguments, told):
    monkeypatch.chdir(shop)
    assert run(*arguments) == 2
    error = capsys.readouterr().err
    assert told in error
    assert error.count("\n") == 1
