"""The code index against its peers, in CPU seconds: medians of interleaved rounds.

Without arguments it measures on the released sources of Django, which pip fetches; other trees are
given as `--repo NAME=GIT_DIRECTORY`. The peers are installed into `.cache/bench`.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from index_inside import inside
from index_maps import maps
from measuring import CACHE, Figure, machine, say
from peers import versions
from trees import complete, django


def main() -> int:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repo", action="append", default=[], metavar="NAME=GIT_DIRECTORY")
    parser.add_argument("--rounds", type=int, default=5, help="at least 1 (default: 5)")
    parser.add_argument("--json", action="store_true", help="print JSON to standard output")
    given = parser.parse_args()
    CACHE.mkdir(parents=True, exist_ok=True)
    with redirect_stdout(sys.stderr if given.json else sys.stdout):
        told = machine() | versions()
        say(", ".join(f"{name} {value}" for name, value in told.items()))
        measured = [measure(tree, given.rounds) for tree in chosen(given.repo)]
    if given.json:
        say(json.dumps({"machine": told, "rounds": given.rounds, "trees": measured}, indent=2))
    return 0


def chosen(named: Sequence[str]) -> list[Path]:
    """The trees by name; Django where none is named."""
    pairs = [text.partition("=") for text in named]
    return [complete(name, source) for name, _, source in pairs] or [django()]


def measure(tree: Path, rounds: int) -> dict[str, Any]:
    """All figures of one tree."""
    say(f"\n{tree.name}")
    size, seconds, figures = maps(tree, rounds)
    figures += asyncio.run(inside(tree, rounds))
    return {
        "tree": tree.name,
        **size,
        "seconds": seconds,
        "figures": [figure_json(figure) for figure in figures],
    }


def figure_json(figure: Figure) -> dict[str, Any]:
    """A figure with its aim."""
    aim = {"at_least": figure.at_least, "at_most": figure.at_most}
    stated = {name: value for name, value in aim.items() if value is not None}
    return {"what": figure.what, "value": figure.value, **stated} | (
        {"met": figure.met} if stated else {}
    )


if __name__ == "__main__":
    sys.exit(main())
