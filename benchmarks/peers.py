"""The programs that ResolveFlow is compared with, installed once into `.cache/bench`."""

import shutil
import subprocess
import sys
from pathlib import Path
from types import TracebackType

from measuring import CACHE, cpu, run, say

AIDER = "aider-chat==0.86.2"
RIPGREP = "@vscode/ripgrep@1.18.0"
_MAP = str(Path(__file__).with_name("aider_map.py"))


class Aider:
    """Aider's repo map of a work tree, in new processes and in one that stays."""

    def __init__(self, tree: Path) -> None:
        self._tree = tree
        self._python = aider_python()
        self._process: subprocess.Popen[str] | None = None

    def cold(self) -> float:
        """CPU seconds of a map without aider's cache of tags."""
        for cache in self._tree.glob(".aider*"):
            shutil.rmtree(cache)
        return self.warm()

    def warm(self) -> float:
        """CPU seconds of a map in a new process, with its cache."""
        return cpu(self._python, _MAP, str(self._tree))

    def again(self, words: str) -> float:
        """CPU seconds of a map about these identifiers in the process that stays."""
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            sys.exit("aider was not started")
        process.stdin.write(f"{words}\n")
        process.stdin.flush()
        return float(process.stdout.readline())

    def __enter__(self) -> "Aider":
        command = (self._python, _MAP, str(self._tree))
        pipe, quiet = subprocess.PIPE, subprocess.DEVNULL
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=quiet, text=True)
        if self._process.stdout is None or not self._process.stdout.readline():
            sys.exit("aider made no map")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process is not None:
            self._process.communicate()


def aider_python() -> str:
    """A Python that has aider, in a virtual environment of its own."""
    python = CACHE / "aider" / "bin" / "python"
    if not python.exists():
        say(f"Installing {AIDER} (once)…")
        run(sys.executable, "-m", "venv", str(CACHE / "aider"))
        run(str(python), "-m", "pip", "install", "--quiet", AIDER)
    return str(python)


def ripgrep() -> str:
    """The program rg, as npm has it."""
    pattern = "rg/node_modules/@vscode/ripgrep-*/bin/rg"
    if not any(CACHE.glob(pattern)):
        if shutil.which("npm") is None:
            sys.exit("ripgrep cannot be installed: npm is needed, which comes with Node.js.")
        say(f"Installing {RIPGREP} (once)…")
        run("npm", "install", "--silent", "--prefix", str(CACHE / "rg"), RIPGREP)
    return str(next(CACHE.glob(pattern)))


def versions() -> dict[str, str]:
    """Which peers these are."""
    return {"aider": AIDER.partition("==")[2], "ripgrep": run(ripgrep(), "--version").split()[1]}
