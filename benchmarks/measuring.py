"""What the benchmarks share: folders, and running a command for its CPU seconds."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".cache" / "bench"
PROGRAM = str(Path(sys.executable).parent / "resolveflow")


def say(*words: object) -> None:
    """Print at once."""
    print(*words, flush=True)


def cpu(
    *command: str, environment: dict[str, str] | None = None, stdin: Path | None = None
) -> float:
    """Run a command quietly; gives the user and system time of it and its children."""
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, str(stdin or os.devnull), os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    child = os.posix_spawn(
        command[0], command, environment or dict(os.environ), file_actions=actions
    )
    _, status, usage = os.wait4(child, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        sys.exit(f"{' '.join(command)[:200]} failed")
    return usage.ru_utime + usage.ru_stime


def timed(work: Callable[[], object], rounds: int = 1) -> float:
    """The CPU seconds of one call, as a mean over `rounds`."""
    started = time.process_time()
    for _ in range(rounds):
        work()
    return (time.process_time() - started) / rounds


def run(*command: str, folder: Path | None = None) -> str:
    """Run a command that has to work; gives what it prints."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)[:200]} failed: {done.stderr[-500:]}")
    return done.stdout


def as_repository(tree: Path) -> None:
    """Commit everything in a folder."""
    run("git", "init", "--quiet", folder=tree)
    run("git", "add", "--all", "--force", folder=tree)
    author = ("-c", "user.name=Bench", "-c", "user.email=bench@example.org")
    run("git", *author, "commit", "--quiet", "--message", "everything", folder=tree)
    run("git", "repack", "-a", "-d", "--quiet", folder=tree)
