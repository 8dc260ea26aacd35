"""What the benchmarks share: folders, CPU seconds of commands, and figures with aims."""

import os
import platform
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".cache" / "bench"
PROGRAM = str(Path(sys.executable).parent / "resolveflow")


@dataclass(frozen=True)
class Figure:
    """Something measured, and what it has to be."""

    what: str
    value: float
    at_least: float | None = None
    at_most: float | None = None

    @property
    def met(self) -> bool:
        """Whether it is what it has to be."""
        low = self.at_least is None or self.value >= self.at_least
        return low and (self.at_most is None or self.value <= self.at_most)

    def __str__(self) -> str:
        aim = f"≥ {self.at_least:g}" if self.at_least is not None else ""
        aim = f"≤ {self.at_most:g}" if self.at_most is not None else aim
        verdict = ("met" if self.met else "MISSED") if aim else ""
        return f"  {self.what:<62} {self.value:10.3f}  {aim:<7} {verdict}".rstrip()


def say(*words: object) -> None:
    """Print at once."""
    print(*words, flush=True)


def cpu(
    *command: str,
    environment: dict[str, str] | None = None,
    stdin: Path | None = None,
    stdout: Path | None = None,
) -> float:
    """Run a command quietly; gives the user and system time of it and its children."""
    return usage(*command, environment=environment, stdin=stdin, stdout=stdout)[0]


def usage(
    *command: str,
    environment: dict[str, str] | None = None,
    stdin: Path | None = None,
    stdout: Path | None = None,
) -> tuple[float, float]:
    """The same, and the peak memory of the largest of those processes in MiB."""
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, str(stdin or os.devnull), os.O_RDONLY, 0),
        (
            *(os.POSIX_SPAWN_OPEN, 1, str(stdout or os.devnull)),
            *(os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644),
        ),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    variables = dict(os.environ) if environment is None else environment
    child = os.posix_spawn(command[0], command, variables, file_actions=actions)
    _, status, used = os.wait4(child, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"{' '.join(command)[:200]} failed")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def spent() -> float:
    """The CPU seconds of this process so far, and of its children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def run(*command: str, folder: Path | None = None) -> str:
    """Run a command that has to work; gives what it prints."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)[:200]} failed: {done.stderr[-500:]}")
    return done.stdout


def machine() -> dict[str, str]:
    """What the figures were measured on."""
    told = Path("/proc/cpuinfo")
    lines = told.read_text(encoding="utf-8").splitlines() if told.exists() else []
    models = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    return {
        "processor": f"{os.cpu_count()} × {models[0] if models else platform.machine()}",
        "system": f"{platform.system()} {platform.release()}",
        "load": " ".join(f"{part:.1f}" for part in os.getloadavg()),
        "python": platform.python_version(),
        "git": run("git", "--version").split()[2],
    }
