"""The installed program as a child process, as scripts start it."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROGRAM = Path(sys.executable).parent / "resolveflow"
CART = b"""\
class ShoppingCart:
    def add_item(self, value):
        return parse_price(value)


def parse_price(value):
    return int(value)
"""
CART_NAMES = [("ShoppingCart", 1), ("add_item", 2), ("parse_price", 6)]
CRASH = """\
Traceback (most recent call last):
  File "/srv/app/shop/cart.py", line 3, in add_item
    return parse_price(value)
  File "/srv/app/shop/cart.py", line 7, in parse_price
    return int(value)
ValueError: invalid literal for int() with base 10: ''
"""


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def start(*arguments: object, **options: Any) -> "subprocess.Popen[bytes]":
    """Start a command in the test's environment, RESOLVEFLOW_HOME included."""
    command = [str(PROGRAM), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def end(process: "subprocess.Popen[bytes]", seconds: float = 240) -> Ended:
    """Wait for a command; one without an end is killed and fails the test."""
    with process:
        try:
            out, err = process.communicate(timeout=seconds)
        finally:
            process.kill()
    ended = Ended(process.returncode, out.decode(), err.decode())
    assert "Traceback" not in ended.err, ended.err
    return ended


def run(*arguments: object, **options: Any) -> Ended:
    """Run a command to its end."""
    return end(start(*arguments, **options))


def done(*arguments: object, **options: Any) -> Ended:
    """Run a command that has to succeed and to be silent about it."""
    ended = run(*arguments, **options)
    assert (ended.code, ended.err) == (0, "")
    return ended


def refused(*arguments: object) -> str:
    """The one sentence with which a command refuses bad input."""
    ended = run(*arguments)
    assert (ended.code, ended.out) == (2, ""), ended
    assert ended.err.startswith("error: ")
    assert ended.err.count("\n") == 1
    return ended.err.removeprefix("error: ").strip()


def mapped(repository: Path, *arguments: object) -> dict[str, list[tuple[str, int]]]:
    """The definitions that the map shows of each file, with their lines."""
    shown = done("map", repository, "--json", "--tokens", 50_000, *arguments).json
    return {
        file["path"]: [(one["name"], one["line"]) for one in file["definitions"]]
        for file in shown["files"]
    }


def skipped(repository: Path, *arguments: object) -> dict[str, str]:
    """Every file that the map leaves out, with the reason."""
    listed = done("map", repository, "--list-skipped", "--json", *arguments).json["skipped"]
    return {one["path"]: one["reason"] for one in listed}


def localized(repository: Path, report: str, *arguments: object) -> Any:
    """The JSON of a report's suspects."""
    options = ("--repo", repository, "--json", *arguments)
    with start("localize", "-", *options, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(report.encode())
        ended = end(process)
    assert (ended.code, ended.err) == (0, "")
    return ended.json


def suspects(repository: Path, report: str = CRASH) -> list[str]:
    """The paths of a report's suspects, the likeliest first."""
    return [one["path"] for one in localized(repository, report)["suspects"]]
