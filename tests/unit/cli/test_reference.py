"""The written reference is the program's own."""

from pathlib import Path

from scripts.cli_reference import reference

WRITTEN = Path(__file__).parents[3] / "docs" / "reference" / "cli.md"


def test_the_reference_is_current():
    assert WRITTEN.read_text(encoding="utf-8") == reference(), "run `make docs`"


def test_it_names_every_command_and_secret_variable():
    text = reference()

    for command in ("run", "inbox", "show", "approve", "reject", "resume", "doctor"):
        assert f"## `resolveflow {command}`" in text
    assert "`RESOLVEFLOW_APPROVER_TOKEN`" in text
    assert "`RESOLVEFLOW_HOME` | `the platform's data folder`" in text
