"""The CPU that `resolveflow --help` costs, in units of `python -c pass`; at most 17."""

import os
import statistics
import sys
from pathlib import Path

RUNS = 15
LIMIT = 17.0


def cpu_seconds(*command: str) -> float:
    """Run a command quietly; gives its user and system time."""
    silence = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    child = os.posix_spawn(command[0], command, os.environ, file_actions=silence)
    _, status, usage = os.wait4(child, 0)
    if status:
        sys.exit(f"{' '.join(command)} failed")
    return usage.ru_utime + usage.ru_stime


def main() -> int:
    """Measure both in turn, so that a busy machine slows both."""
    program = str(Path(sys.executable).parent / "resolveflow")
    pairs = [
        (cpu_seconds(sys.executable, "-c", "pass"), cpu_seconds(program, "--help"))
        for _ in range(RUNS)
    ]
    ratio = statistics.median(helped / bare for bare, helped in pairs)
    bare, helped = (1000 * statistics.median(column) for column in zip(*pairs, strict=True))
    print(f"python -c pass {bare:.0f} ms, resolveflow --help {helped:.0f} ms: ", end="")
    print(f"{ratio:.1f} times (at most {LIMIT:.0f})")
    return int(ratio > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
