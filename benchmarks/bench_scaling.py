"""How indexing grows with the number of files, on generated trees; draws docs/index-scaling.svg.

Fails where the largest tree takes 1.5 times as long per file as the middle one, or more than 2 GB.
"""

import argparse
import os
import shutil
import sys
from pathlib import Path

from measuring import CACHE, PROGRAM, ROOT, cpu, run, say, usage
from scaling_picture import Point, picture

SIZES = (1_000, 3_000, 10_000, 30_000, 100_000)
MOST_MEMORY = 2048  # MiB
FUNCTIONS = 40  # in each file
REPORT = "handle_request_77_3 gives a wrong value when handle_request_38_3 was called before\n"


def generated(folder: Path, count: int) -> int:
    """A repository of `count` files in a tree of folders, by way of git fast-import; its bytes."""
    shutil.rmtree(folder, ignore_errors=True)
    run("git", "init", "--quiet", str(folder))
    stream_path = CACHE / "stream"
    size = 0
    with stream_path.open("wb") as stream:
        stream.write(b"commit refs/heads/main\ncommitter B <b@example.org> 0 +0000\ndata 1\nx\n")
        for number in range(count):
            data = source(number).encode()
            size += len(data)
            path = f"part{number % 50}/sub{number % 700}/file{number}.py"
            stream.write(f"M 100644 inline {path}\ndata {len(data)}\n".encode() + data + b"\n")
    git = shutil.which("git") or "git"
    cpu(git, "-C", str(folder), "fast-import", "--quiet", stdin=stream_path)
    stream_path.unlink()
    run("git", "-C", str(folder), "symbolic-ref", "HEAD", "refs/heads/main")
    return size


def source(number: int) -> str:
    """A file of functions, each of which calls functions of other files."""
    return "".join(
        f"def handle_request_{number}_{n}(self, value):\n"
        f"    return handle_request_{number // 2}_{n}(value) + handle_request_{number // 3}_{n}\n\n"
        for n in range(FUNCTIONS)
    )


def measured(count: int) -> list[Point]:
    """The first map of a generated tree, and the first localization in it, each without a store."""
    folder, report = CACHE / "scaling.git", CACHE / "scaling.txt"
    size = generated(folder, count)
    report.write_text(REPORT, encoding="utf-8")
    # The commit by name: a work tree without files would be compared with it.
    tree = (str(folder / ".git"), "--commit", "main")
    commands = {
        "map": ("map", *tree),
        "localize": ("localize", str(report), "--repo", *tree, "--json"),
    }
    points = []
    for name, command in commands.items():
        home = CACHE / "homes" / "scaling"
        shutil.rmtree(home, ignore_errors=True)
        environment = {**os.environ, "RESOLVEFLOW_HOME": str(home)}
        seconds, memory = usage(PROGRAM, *command, environment=environment)
        points.append(Point(name, count, seconds, memory))
        say(
            f"{count:>7,} files, {size / 1e6:6.1f} MB: {name:<9} {seconds:8.2f} s "
            f"{1e6 * seconds / count:6.0f} µs a file, at most {memory:6,.0f} MiB"
        )
    shutil.rmtree(folder)
    return points


def main() -> int:
    """Measure the sizes one after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, metavar="FILES")
    given = parser.parse_args()
    CACHE.mkdir(parents=True, exist_ok=True)
    points = [point for count in given.sizes for point in measured(count)]
    if tuple(given.sizes) == SIZES:
        (ROOT / "docs" / "index-scaling.svg").write_text(picture(points), encoding="utf-8")
    return int(not all(_good(points, name) for name in {point.name for point in points}))


def _good(points: list[Point], name: str) -> bool:
    mine = [point for point in points if point.name == name]
    each = [point.seconds / point.files for point in mine]
    return each[-1] <= 1.5 * each[len(each) // 2] and mine[-1].memory <= MOST_MEMORY


if __name__ == "__main__":
    sys.exit(main())
