import json
from pathlib import Path

import typer
from typer.testing import CliRunner

from resolveflow.entrypoints.cli.eval_localization import eval_localization


def test_a_report_without_its_repository_is_skipped_and_said(tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(eval_localization)
    data = tmp_path / "rows.jsonl"
    data.write_text(
        json.dumps({"id": "shop-1", "repo": "acme/shop", "base_commit": "c", "gold_files": ["a"]})
    )
    page = tmp_path / "page.html"
    asked = [str(data), "--repos", str(tmp_path), "--fit", "--report", str(page)]
    home = {"RESOLVEFLOW_HOME": str(tmp_path / "home")}
    told = CliRunner().invoke(app, [*asked, "--json"], env=home)
    assert told.exit_code == 1
    summary = json.loads(told.stdout)
    assert summary["rows"] == 0
    assert "acme__shop" in summary["skipped"]["shop-1"]
    assert "shop-1" in page.read_text()
    shown = CliRunner().invoke(app, asked, env=home)
    assert "not measured: shop-1" in shown.stdout
    assert "weights chosen on all" in shown.stdout
