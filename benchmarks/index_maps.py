"""Maps made by new processes: ours, aider's, and what reading the same files costs git."""

import asyncio
import os
import shutil
import statistics
import sys
from pathlib import Path

from measuring import CACHE, PROGRAM, Figure, cpu, say
from peers import Aider

from resolveflow.backends.repository_open import RepositoryOpener
from resolveflow.codebase.languages import READ, unread_by_name

TOKENS = 4096
REPORT = "The name_{number} of get_queryset is wrong once it was called twice, says its doc.\n"
KINDS = {
    "aider_cold": "aider, without its cache",
    "ours_cold": "ours, without a store",
    "aider_warm": "aider, new process, with its cache",
    "ours_budget": "ours, new process, a budget not asked for before",
    "ours_report": "ours, new process, a report not seen before",
    "ours_same": "ours, new process, the same map again",
    "read": "git cat-file --batch of the files that ours reads",
    "python": "python -c pass",
}


class Commands:
    """One run of each command; the order is that of KINDS."""

    def __init__(self, tree: Path) -> None:
        self.tree = tree
        self._aider = Aider(tree)
        self._home = CACHE / "homes" / f"{tree.name}-maps"
        self._environment = {**os.environ, "RESOLVEFLOW_HOME": str(self._home)}
        self._asked = 0
        self._git = shutil.which("git") or "git"
        blobs = asyncio.run(_read_blobs(tree))
        self.size = {"files": len(blobs), "bytes": sum(size for _, size in blobs)}
        self._ids = CACHE / "ids"
        self._ids.write_text("".join(f"{blob}\n" for blob, _ in blobs), encoding="ascii")

    def aider_cold(self) -> float:
        """Aider, without its cache of tags."""
        return self._aider.cold()

    def aider_warm(self) -> float:
        """Aider, with it."""
        return self._aider.warm()

    def ours_cold(self) -> float:
        """Ours, without a store."""
        shutil.rmtree(self._home, ignore_errors=True)
        return self._map()

    def ours_budget(self) -> float:
        """Ours, under a budget that was not asked for before: the map has to be computed."""
        self._asked += 1
        return self._map("--tokens", str(TOKENS + self._asked))

    def ours_report(self) -> float:
        """Ours, about a report that was not seen before."""
        self._asked += 1
        report = CACHE / "report.txt"
        report.write_text(REPORT.format(number=self._asked), encoding="utf-8")
        return self._map("--report", str(report))

    def ours_same(self) -> float:
        """Ours, a map that was asked for before."""
        return self._map()

    def read(self) -> float:
        """What reading the contents of the same files costs git."""
        command = ("-C", str(self.tree), "cat-file", "--batch", "--buffer")
        return cpu(self._git, *command, stdin=self._ids)

    def python(self) -> float:
        """What starting Python costs."""
        return cpu(sys.executable, "-c", "pass")

    def _map(self, *options: str) -> float:
        return cpu(PROGRAM, "map", str(self.tree), *options, environment=self._environment)


async def _read_blobs(tree: Path) -> list[tuple[str, int]]:
    """The blobs that a map of the tree reads, each once, with their sizes."""
    repository = await RepositoryOpener(CACHE / "home", tell_gaps=False)(str(tree))
    return sorted(
        {
            (entry.blob, entry.size)
            for entry in await repository.entries()
            if entry.kind == "file" and unread_by_name(entry.path, entry.size) == READ
        }
    )


def maps(tree: Path, rounds: int) -> tuple[dict[str, int], dict[str, float], list[Figure]]:
    """What a map of the tree reads, the CPU seconds by kind, and the ratios."""
    commands = Commands(tree)
    say(f"  {commands.size['files']:,} files, {commands.size['bytes'] / 1e6:.1f} MB are read")
    commands.aider_warm()  # fills the disk cache of the system for both
    taken = [{kind: getattr(commands, kind)() for kind in KINDS} for _ in range(rounds)]
    seconds = {kind: statistics.median(one[kind] for one in taken) for kind in KINDS}
    for kind, what in KINDS.items():
        say(f"  {what:<62} {seconds[kind]:10.3f}  CPU s")
    figures = ratios(seconds)
    for figure in figures:
        say(figure)
    return commands.size, seconds, figures


def ratios(seconds: dict[str, float]) -> list[Figure]:
    """How much faster ours is; the aims are those for repositories of 1,000 files and more."""
    cold, warm = seconds["aider_cold"], seconds["aider_warm"]
    above_start = seconds["ours_cold"] - seconds["python"]
    return [
        Figure("map cold: aider / ours", cold / seconds["ours_cold"], at_least=10),
        Figure("map warm, another budget: aider / ours", warm / seconds["ours_budget"], 15),
        Figure("map warm, another report: aider / ours", warm / seconds["ours_report"]),
        Figure("map warm, the same again: aider / ours", warm / seconds["ours_same"]),
        Figure(
            "map cold less Python's start / git cat-file", above_start / seconds["read"], None, 25
        ),
    ]
