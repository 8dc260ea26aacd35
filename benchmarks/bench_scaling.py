"""How indexing grows with the number of files, on generated trees; draws docs/index-scaling.svg."""

import os
import resource
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from measuring import CACHE, PROGRAM, ROOT, cpu, run, say

SIZES = (1_000, 3_000, 10_000, 30_000, 100_000)


def generated(folder: Path, count: int) -> None:
    """A repository of `count` files in a tree of folders, by way of git fast-import."""
    shutil.rmtree(folder, ignore_errors=True)
    run("git", "init", "--quiet", str(folder))
    with (CACHE / "stream").open("wb") as stream:
        stream.write(b"commit refs/heads/main\ncommitter B <b@example.org> 0 +0000\ndata 1\nx\n")
        for number in range(count):
            data = source(number).encode()
            path = f"part{number % 50}/sub{number % 700}/file{number}.py"
            stream.write(f"M 100644 inline {path}\ndata {len(data)}\n".encode() + data + b"\n")
    git = shutil.which("git") or "git"
    cpu(git, "-C", str(folder), "fast-import", "--quiet", stdin=CACHE / "stream")
    run("git", "-C", str(folder), "symbolic-ref", "HEAD", "refs/heads/main")


def source(number: int) -> str:
    """A file of 40 functions, each of which calls functions of other files."""
    return "".join(
        f"def handle_request_{number}_{n}(self, value):\n"
        f"    return handle_request_{number // 2}_{n}(value) + handle_request_{number // 3}_{n}\n\n"
        for n in range(40)
    )


def measured(count: int) -> tuple[int, float]:
    """How long the first map of a generated tree takes."""
    folder, home = CACHE / "scaling", CACHE / "home-scaling"
    generated(folder, count)
    shutil.rmtree(home, ignore_errors=True)
    taken = cpu(
        PROGRAM, "map", str(folder), environment={**os.environ, "RESOLVEFLOW_HOME": str(home)}
    )
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    each = 1e6 * taken / count
    say(f"{count:>7,} files {taken:8.2f} s {each:6.0f} µs a file, at most {memory:,.0f} MiB")
    return count, taken


def main() -> int:
    """Measure the sizes one after the other; fails where the largest is not linear or too large."""
    CACHE.mkdir(parents=True, exist_ok=True)
    points = [measured(count) for count in SIZES]
    (ROOT / "docs" / "index-scaling.svg").write_text(scaling_svg(points), encoding="utf-8")
    each = [taken / count for count, taken in points]
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return int(each[-1] > 1.5 * each[-2] or memory > 2048)


def scaling_svg(points: Sequence[tuple[int, float]]) -> str:
    """The points and the straight line through the first and the origin, both axes linear."""
    width, height, edge = 640, 360, 50
    most, slowest = points[-1][0], max(taken for _, taken in points)

    def place(count: float, taken: float) -> tuple[float, float]:
        x = edge + (width - 2 * edge) * count / most
        return x, height - edge - (height - 2 * edge) * taken / slowest

    dots = "".join(
        f'<circle cx="{place(*point)[0]:.1f}" cy="{place(*point)[1]:.1f}" r="4" fill="#4a6fa5"/>'
        f'<text x="{place(*point)[0] - 4:.1f}" y="{place(*point)[1] - 9:.1f}" text-anchor="end">'
        f"{point[0]:,}: {point[1]:.1f} s</text>"
        for point in points
    )
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*point) for point in points))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">'
        "<title>CPU seconds to index generated trees, by number of files</title>"
        "<style>text{font:12px system-ui,sans-serif;fill:#1f2328}</style>"
        f'<path d="M{edge} {edge}V{height - edge}H{width - edge}" fill="none" stroke="#57606a"/>'
        f'<polyline points="{path}" fill="none" stroke="#4a6fa5" stroke-width="2"/>{dots}'
        f'<text x="{width / 2}" y="{height - 15}" text-anchor="middle">files</text>'
        f'<text x="{edge}" y="{edge - 15}" text-anchor="middle">CPU s</text></svg>\n'
    )


if __name__ == "__main__":
    sys.exit(main())
