"""The code index against its peers, in CPU seconds: medians of interleaved runs.

Without arguments it measures on the released sources of Django, which pip fetches. Other trees are
given as `--repo NAME=GIT_DIRECTORY`. Peers are installed into `.cache/bench`.
"""

import argparse
import asyncio
import json
import os
import re
import shutil
import statistics
import sys
import tarfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from measuring import CACHE, PROGRAM, as_repository, cpu, run, say, timed

from resolveflow.backends.code_store import store_path
from resolveflow.backends.code_trees import CodeTrees
from resolveflow.backends.repository_open import RepositoryOpener
from resolveflow.codebase.repo_map import Mapper
from resolveflow.codebase.search import SourcePack
from resolveflow.codebase.symbols import SymbolIndex
from resolveflow.testing.memory_repository import MemoryRepository

AIDER = "aider-chat==0.86.2"
DJANGO = "django==5.2.19"
REPORT = "The {name} of {other} is wrong once it was called twice, see the {name} in the docs."

AIDER_MAP = """
import json, os, subprocess, sys, time
os.chdir(sys.argv[1])
from aider.io import InputOutput
from aider.repomap import RepoMap
class Model:
    def token_count(self, text):
        return int(len(text) / 3.6)
names = subprocess.run(["git", "ls-files", "-z"], capture_output=True).stdout.decode().split("\\0")
files = [os.path.join(sys.argv[1], name) for name in names if name]
maps = RepoMap(map_tokens=4096, root=sys.argv[1], main_model=Model(),
               io=InputOutput(yes=True, pretty=False, fancy_input=False))
maps.get_repo_map([], files, force_refresh=True)
taken = []
for words in sys.argv[2:]:
    started = time.process_time()
    maps.get_repo_map([], files, mentioned_idents=set(words.split()), force_refresh=True)
    taken.append(time.process_time() - started)
print(json.dumps(taken))
"""


def aider_python() -> str:
    """A Python that has aider, in a virtual environment of its own."""
    python = CACHE / "aider" / "bin" / "python"
    if not python.exists():
        say(f"Installing {AIDER} (once)…")
        run(sys.executable, "-m", "venv", str(CACHE / "aider"))
        run(str(python), "-m", "pip", "install", "--quiet", AIDER)
    return str(python)


def ripgrep() -> str:
    """The program rg: an installed one, else npm's."""
    found = shutil.which("rg")
    program = CACHE / "rg" / "node_modules" / "@vscode" / "ripgrep" / "bin" / "rg"
    if found is None and not program.exists():
        say("Installing ripgrep (once)…")
        run("npm", "install", "--silent", "--prefix", str(CACHE / "rg"), "@vscode/ripgrep")
    binaries = sorted((CACHE / "rg").glob("node_modules/@vscode/*/bin/rg"))
    return found or str(binaries[0] if binaries else program)


def django() -> Path:
    """Django's released sources in a git repository."""
    tree = CACHE / "trees" / "django"
    if not (tree / ".git").exists():
        say(f"Fetching {DJANGO} (once)…")
        run(
            *(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary"),
            *("django", "--dest", str(CACHE), DJANGO),
        )
        (archive,) = CACHE.glob("django-*.tar.gz")
        with tarfile.open(archive) as tar:
            tar.extractall(CACHE / "unpacked", filter="data")
        (unpacked,) = (CACHE / "unpacked").iterdir()
        tree.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(unpacked, tree)
        as_repository(tree)
    return tree


def complete(name: str, source: str) -> Path:
    """What a git directory holds at HEAD, as a repository that lacks no blob."""
    tree = CACHE / "trees" / name
    if not (tree / ".git").exists():
        asyncio.run(_copied(source, tree))
        as_repository(tree)
    return tree


async def _copied(source: str, tree: Path) -> None:
    repository = await RepositoryOpener(CACHE / "home")(source)
    paths: dict[str, list[str]] = {}
    for entry in await repository.entries():
        if entry.kind == "file":
            paths.setdefault(entry.blob, []).append(entry.path)
    async for blob, data in repository.blobs(paths):
        for path in paths[blob]:
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).write_bytes(data)


class Maps:
    """The same maps made by us and by aider, in turn."""

    def __init__(self, tree: Path) -> None:
        self.tree = tree
        self.home = CACHE / "home-maps"
        self._aider = aider_python()
        self._environment = dict(os.environ) | {"RESOLVEFLOW_HOME": str(self.home)}
        self._asked = 0
        self._git = shutil.which("git") or "git"
        self._ids = CACHE / "ids"
        listed = run("git", "ls-tree", "-r", "HEAD", folder=tree)
        self._ids.write_text("".join(f"{line.split()[2]}\n" for line in listed.splitlines()))

    def aider_cold(self) -> float:
        """Aider without its cache of tags."""
        for cache in self.tree.glob(".aider*"):
            shutil.rmtree(cache)
        return self.aider_warm()

    def aider_warm(self) -> float:
        """Aider in a new process, with its cache."""
        return cpu(self._aider, "-c", AIDER_MAP, str(self.tree))

    def cold(self) -> float:
        """Ours without a store."""
        shutil.rmtree(self.home, ignore_errors=True)
        return self.warm()

    def warm(self) -> float:
        """Ours in a new process, the same map again."""
        return cpu(PROGRAM, "map", str(self.tree), environment=self._environment)

    def asked(self) -> float:
        """Ours in a new process, about a report that was not seen before."""
        self._asked += 1
        report = CACHE / "report.txt"
        report.write_text(REPORT.format(name=f"name_{self._asked}", other="get_queryset"))
        command = (PROGRAM, "map", str(self.tree), "--report", str(report))
        return cpu(*command, environment=self._environment)

    def read(self) -> float:
        """What reading every blob costs git."""
        command = (self._git, "-C", str(self.tree), "cat-file", "--batch", "--buffer")
        return cpu(*command, stdin=self._ids)

    def start(self) -> float:
        """What starting Python costs."""
        return cpu(sys.executable, "-c", "pass")

    def aider_queries(self, words: Sequence[str]) -> list[float]:
        """Aider's maps about identifiers, in one process."""
        found: list[float] = json.loads(run(self._aider, "-c", AIDER_MAP, str(self.tree), *words))
        return found


def report_maps(tree: Path, rounds: int) -> None:
    """Print how the maps compare."""
    maps = Maps(tree)
    kinds = ("aider_cold", "cold", "aider_warm", "warm", "asked", "read", "start")
    taken = [{kind: getattr(maps, kind)() for kind in kinds} for _ in range(rounds)]
    middle = {kind: statistics.median(one[kind] for one in taken) for kind in kinds}
    for kind in kinds:
        say(f"  {kind:<12} {middle[kind]:8.3f} s")
    limit = (middle["cold"] - middle["start"]) / middle["read"]
    line("map cold, aider / ours", middle["aider_cold"] / middle["cold"], "≥ 10")
    line(
        "map warm in a new process, same map, aider / ours",
        middle["aider_warm"] / middle["warm"],
        "≥ 15",
    )
    line(
        "map warm in a new process, new report, aider / ours",
        middle["aider_warm"] / middle["asked"],
        "",
    )
    line("map cold less Python's start / git cat-file --batch", limit, "≤ 25")


def line(what: str, value: float, wanted: str) -> None:
    """Print one figure."""
    say(f"  {what:<58} {value:9.3f}  {wanted}")


async def report_inside(tree: Path, home: Path) -> None:
    """Print what costs how much in one process."""
    repository = await RepositoryOpener(home)(str(tree))
    store = store_path(home, repository.ref.location)
    code = await CodeTrees(home).tree(repository)
    mapper = Mapper(code)
    names = sorted({code.definitions.name(row) for row in range(0, len(code.definition_names), 97)})
    words = [f"{names[n]} {names[-n - 1]}" for n in range(4)]
    theirs = statistics.median(Maps(tree).aider_queries(words))
    ours = statistics.median(timed(lambda text=text: mapper.map(report=text)) for text in words * 3)
    line("personalised map in process, aider / ours", theirs / ours, "≥ 80")
    index = SymbolIndex(code)
    line(
        "symbol lookup, ms",
        1000 * timed(lambda: [index.definitions(n) for n in names]) / len(names),
        "≤ 0.1",
    )
    chosen = set(code.paths)
    entries = [entry for entry in await repository.entries() if entry.path in chosen]
    size = sum(entry.size for entry in entries)
    line("index / source bytes", store.stat().st_size / size, "≤ 1.0")
    contents = {blob: data async for blob, data in repository.blobs(e.blob for e in entries)}
    files = [(entry.path, contents[entry.blob]) for entry in entries]
    report_search(files)
    await report_update(files, home)


def report_search(files: Sequence[tuple[str, bytes]]) -> None:
    """Print how search compares with ripgrep on the same files."""
    folder = CACHE / "searched"
    shutil.rmtree(folder, ignore_errors=True)
    for path, data in files:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    pack = SourcePack(files)
    program = ripgrep()
    fixed, expression = "get_or_create", r"raise \w+Error\("
    pattern = re.compile(expression.encode())
    compare("literal", (program, "--fixed-strings", fixed), folder, lambda: pack.literal(fixed))
    compare("regex", (program, expression), folder, lambda: pack.regex(pattern))


def compare(
    kind: str, command: Sequence[str], folder: Path, ours: Callable[[], object], rounds: int = 5
) -> None:
    """Print how one search compares with ripgrep's."""
    whole = (*command, "--no-ignore", "--hidden", "--threads", "1", str(folder))
    pairs = [(cpu(*whole), timed(ours, 5)) for _ in range(rounds)]
    theirs, mine = (statistics.median(column) for column in zip(*pairs, strict=True))
    line(f"{kind} search, rg / ours (ours {1000 * mine:.1f} ms)", theirs / mine, "≥ 8")


async def report_update(files: Sequence[tuple[str, bytes]], home: Path) -> None:
    """Print what ten changed files cost."""
    place = home / "update"
    before = dict(files)
    await CodeTrees(place).tree(MemoryRepository(before))
    changed = sorted(before)[:: max(1, len(before) // 10)][:10]
    taken = []
    for number in range(5):
        after = before | {path: before[path] + b"\n# %d\n" % number for path in changed}
        repository = MemoryRepository(after)
        started = time.process_time()
        await CodeTrees(place).tree(repository)
        taken.append(time.process_time() - started)
    line("a commit with 10 changed blobs, ms", 1000 * statistics.median(taken), "≤ 30")


def main() -> int:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repo", action="append", default=[], metavar="NAME=GIT_DIRECTORY")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    CACHE.mkdir(parents=True, exist_ok=True)
    named = [text.partition("=") for text in given.repo]
    trees = [complete(name, source) for name, _, source in named] or [django()]
    for tree in trees:
        say(tree.name)
        home = CACHE / f"home-{tree.name}"
        shutil.rmtree(home, ignore_errors=True)
        report_maps(tree, given.rounds)
        asyncio.run(report_inside(tree, home))
    return 0


if __name__ == "__main__":
    sys.exit(main())
