"""A home of their own for the programs that tests start."""

from pathlib import Path

import pytest


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RESOLVEFLOW_HOME", str(tmp_path / "home"))
    return tmp_path / "home"
