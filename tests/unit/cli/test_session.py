"""What a person sees while a case is worked on."""

import pytest

from resolveflow.entrypoints.cli.session import show_progress


async def test_only_what_did_its_work_gets_a_tick(capsys: pytest.CaptureFixture[str]) -> None:
    await show_progress("classify", "crash\x1b[2J", True)
    await show_progress("verify_diagnosis", "not run: no sandbox is configured", None)
    await show_progress("execute", "", False)

    assert capsys.readouterr().err == (
        "  ✓ classify             crash⟨U+001B⟩[2J\n"
        "  – verify_diagnosis     not run: no sandbox is configured\n"
        "  ✗ execute              posted what was approved\n"
    )
