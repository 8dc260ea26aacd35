"""How much of the real crash logs beside the repository is found, where they are there."""

import json
import re
from pathlib import Path

import pytest

from resolveflow.domain.crash import Crash, Frame
from resolveflow.intake.crashes import parse_crashes

CORPUS = Path(__file__).parents[3] / "../shared/data/crashes"


def _logs() -> list[tuple[dict[str, object], tuple[Crash, ...]]]:
    labelled = []
    for label in sorted(CORPUS.glob("*.expected.json")):
        log = label.with_name(label.name.replace(".expected.json", ".log"))
        text = log.read_text("utf-8", "replace")
        labelled.append((json.loads(label.read_text("utf-8")), parse_crashes(text)))
    return labelled


def _same_function(found: str | None, expected: str) -> bool:
    # Labels are written with and without package, receiver, hash, and some are cut.
    if not found:
        return False
    a, b = (
        re.sub(r"\(anonymous namespace\)::|::h[0-9a-f]{16}$|\$[0-9a-f]{32}(\.cfi)?$", "", x)
        for x in (found, expected)
    )
    return (
        a == b
        or re.search(r"(?:^|[./: ])" + re.escape(b) + "$", a) is not None
        or (len(b) > 20 and a.startswith(b))
    )


def _is_told(crash: Crash, expected: str) -> bool:
    """Whether a label that names no function (a failed condition, a file) is in what was found."""
    core = expected.split(" in ")[0].strip("()").rstrip(".")
    told = f"{crash.type} {crash.message} {' '.join(f.file or '' for f in crash.frames)}"
    return re.sub(r"\d+", "NUMBER", core) in re.sub(r"\d+", "NUMBER", told)


def _same_place(frame: Frame, file: str, line: object) -> bool:
    found, expected = ((frame.file or "").replace("\\", "/"), file.replace("\\", "/"))
    return frame.line == line and found.split("/")[-1] == expected.split("/")[-1]


def _measure() -> tuple[list[str], int, list[str], int]:
    no_function, functions, no_place, places = [], 0, [], 0
    for label, crashes in _logs():
        frames = [frame for crash in crashes for frame in crash.frames]
        if function := label.get("expected_function"):
            functions += 1
            if not any(_same_function(f.function, str(function)) for f in frames) and not any(
                _is_told(crash, str(function)) for crash in crashes
            ):
                no_function.append(f"{label['file']}: {function}")
        if file := label.get("expected_file"):
            places += 1
            if not any(_same_place(f, str(file), label["expected_line"]) for f in frames):
                no_place.append(f"{label['file']}: {file}:{label['expected_line']}")
    return no_function, functions, no_place, places


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the crash corpus is not beside the repository")
def test_real_logs_yield_the_expected_function_and_place() -> None:
    no_function, functions, no_place, places = _measure()

    assert 1 - len(no_function) / functions >= 0.97, no_function
    assert 1 - len(no_place) / places >= 0.97, no_place
