"""The command: what it prints where, what it refuses, and how it ends."""

import json
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from resolveflow.domain.errors import BadInput, InvalidReport, InvalidSettings
from resolveflow.entrypoints.cli.eval_localization import eval_localization
from tests.git_trees import commit, git

CART = b"class Cart:\n    def total(self):\n        return sum(self.prices)\n"
STOCK = b"def reserve(item):\n    item.held += 1\n"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        pass


class Shop:
    """A directory of repositories that holds `acme/shop`, and data about it."""

    def __init__(self, root: Path) -> None:
        self.root, self.repos, self.data = root, root / "repos", root / "rows.jsonl"
        files = {"src/cart.py": CART, "src/stock.py": STOCK}
        self.base = commit(self.repos / "acme__shop", files)
        self.page = root / "page.html"

    def row(self, **changed: Any) -> dict[str, Any]:
        return {
            "id": "shop-1",
            "repo": "acme/shop",
            "base_commit": self.base,
            "gold_files": ["src/cart.py"],
            "issue_title": "The cart's total is wrong",
            **changed,
        }

    def run(self, *rows: dict[str, Any] | str, options: tuple[str, ...] = (), **env: str) -> Result:
        lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        self.data.write_text("\n".join(lines))
        app = typer.Typer()
        app.command()(eval_localization)
        asked = [str(self.data), "--repos", str(self.repos), *options]
        home = {"RESOLVEFLOW_HOME": str(self.root / "home")}
        return CliRunner().invoke(app, asked, env=home | env)


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def refused(result: Result, kind: type[BadInput]) -> str:
    assert isinstance(result.exception, kind)
    assert result.stdout == ""
    return str(result.exception)


def test_json_is_all_of_stdout(shop: Shop) -> None:
    changed = {"src/cart.py": [[2, 3]]}
    told = shop.run(
        shop.row(changed_lines=changed), options=("--json", "--fit", "--report", str(shop.page))
    )
    assert told.exit_code == 0
    summary = json.loads(told.stdout)
    assert summary["files"]["resolveflow"]["hit@1"]["value"] == 1
    assert summary["slices"]["all"]["lines"]["files@5"]["value"] == 1
    assert told.stderr == "1/1 shop-1: 1\n"
    assert "<svg" in shop.page.read_text()


def test_a_person_gets_tables(shop: Shop) -> None:
    told = shop.run(
        shop.row(gold_files=["src/cart.py", "gone.py"], gold_functions={"src/cart.py": ["total"]}),
        options=("--fit",),
    )
    assert told.exit_code == 0
    for line in (
        "1 reports of 1 repositories, 0 not measured",
        "gain over bm25: hit@1 +0.000",
        "line coverage",
        "weights chosen on all",
        "counts as missed: shop-1: gone.py is not in the commit",
    ):
        assert line in told.stdout


def test_what_cannot_be_measured_is_said_row_by_row(shop: Shop) -> None:
    told = shop.run(
        shop.row(),
        shop.row(id="shop-2", base_commit="f" * 40),
        shop.row(id="shop-3", gold_files=["gone.py"]),
        shop.row(id="none-1", repo="acme/none"),
    )
    assert told.exit_code == 1
    said = [line for line in told.stdout.splitlines() if line.startswith("not measured: ")]
    assert len(said) == 3
    for name, why in {
        "shop-2": "has no commit 'ffff",
        "shop-3": "none of its gold files is in acme/shop",
        "none-1": "add --fetch",
    }.items():
        assert any(f"not measured: {name}: " in line and why in line for line in said)


def test_lines_that_are_no_reports_are_all_told_and_nothing_is_measured(shop: Shop) -> None:
    result = shop.run(shop.row(), "{", json.dumps({"id": "\x1b[2J"}), shop.row())
    assert "3 lines of" in refused(result, InvalidReport)
    first, second, third = result.stderr.splitlines()
    assert "line 2: Invalid JSON" in first
    assert "line 3: repo: Field required" in second
    assert "line 4: the id 'shop-1' was there before" in third
    assert not (shop.root / "home").exists()


def test_many_bad_lines_do_not_flood_the_terminal(shop: Shop) -> None:
    result = shop.run(*["{"] * 300)
    assert "300 lines of" in refused(result, InvalidReport)
    assert len(result.stderr.splitlines()) == 20


@pytest.mark.parametrize("place", ["none/page.html", "rows.jsonl/page.html"])
def test_a_page_that_cannot_be_written_is_said_before_the_work(shop: Shop, place: str) -> None:
    result = shop.run(shop.row(), options=("--report", str(shop.root / place)))
    assert "there is no such directory" in refused(result, InvalidSettings)
    assert result.stderr == ""


def test_a_page_with_a_name_that_no_file_can_have(shop: Shop) -> None:
    result = shop.run(shop.row(), options=("--report", str(shop.root / ("x" * 300))))
    assert isinstance(result.exception, InvalidSettings)
    assert "1 reports of 1 repositories" in result.stdout, "what was measured is told first"


def test_a_directory_of_repositories_that_is_not_there(shop: Shop) -> None:
    result = shop.run(shop.row(), options=("--repos", str(shop.root / "none")))
    assert result.exit_code == 2
    assert "--repos" in result.stderr


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    handler = partial(Quiet, directory=str(tmp_path / "served"))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_what_is_not_there_is_fetched_from_the_host_of_the_settings(
    shop: Shop, served: str
) -> None:
    (shop.root / "served" / "acme").mkdir(parents=True)
    there = shop.repos / "acme__shop"
    git(shop.root, "clone", "--quiet", "--bare", str(there), "served/acme/shop")
    git(shop.root / "served" / "acme" / "shop", "update-server-info")
    there.rename(shop.root / "elsewhere")
    rows = (shop.row(), shop.row(id="none-1", repo="acme/none"))
    host = {"RESOLVEFLOW_GITHUB_WEB_URL": served}
    assert shop.run(*rows, **host).stdout.count("add --fetch") == 2
    told = shop.run(*rows, options=("--fetch",), **host)
    assert told.exit_code == 1
    assert "1 reports of 1 repositories, 1 not measured" in told.stdout
    assert f"not measured: none-1: {served}/acme/none could not be cloned" in told.stdout
