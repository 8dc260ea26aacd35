"""How well the fast tier finds the lines of functions and classes, against syntax trees.

`bench_spans.py GIT_DIRECTORY…` reads the trees at HEAD. A row for each language: MB read; MB that
each tier takes a second; the definitions of tree-sitter; the share of them whose name and first
line the fast tier gives (found) and, of these, whose last line too (exact); the share of what the
fast tier gives that tree-sitter gives (right). For Python, both tiers against CPython's `ast` too.
"""

import argparse
import ast
import asyncio
import io
import os
import subprocess
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from measuring import say

from resolveflow.backends.spans_tree_sitter import SpanFinder
from resolveflow.codebase.languages import (
    LARGEST,
    READ,
    as_utf8,
    language_of,
    unread_by_content,
    unread_by_name,
)
from resolveflow.codebase.spans import Span, spans_of


@dataclass
class Tally:
    """Sums over the files of one comparison."""

    size: int = 0
    tested: float = 0.0
    reference: float = 0.0
    given: int = 0
    wanted: int = 0
    found: int = 0
    exact: int = 0

    def add(self, tested: Sequence[Span], reference: Sequence[Span]) -> None:
        """Count one file."""
        ends = {(span.name, span.start_line): span.end_line for span in tested}
        self.given += len(ends)
        wanted = {(span.name, span.start_line): span.end_line for span in reference}
        self.wanted += len(wanted)
        both = ends.keys() & wanted.keys()
        self.found += len(both)
        self.exact += sum(ends[key] == wanted[key] for key in both)


def sources(tree: Path) -> Iterator[tuple[str, str, bytes]]:
    """The path, language and text of each file at HEAD that an index reads and that is there."""
    listed = git(tree, "ls-tree", "-r", "-z", "HEAD").decode(errors="replace").split("\0")
    files = [(row.partition("\t")[2], row[:53].split()[-1]) for row in listed if " blob " in row]
    wanted = [(path, blob) for path, blob in files if unread_by_name(path, 0) == READ]
    asked = "".join(f"{blob}\n" for _, blob in wanted)
    answers = io.BytesIO(git(tree, "cat-file", "--batch", stdin=asked.encode()))
    for path, _ in wanted:
        head = answers.readline().split()
        if head[-1] == b"missing":
            continue
        text = as_utf8(answers.read(int(head[-1])))
        answers.readline()
        if len(text) <= LARGEST and unread_by_content(text) == READ:
            yield path, language_of(path) or "other", text


def git(tree: Path, *words: str, stdin: bytes = b"") -> bytes:
    """What a git command prints; nothing is fetched for it."""
    command = ["git", "-C", str(tree), *words]
    environment = {**os.environ, "GIT_NO_LAZY_FETCH": "1"}
    return subprocess.run(
        command, input=stdin, capture_output=True, check=True, env=environment
    ).stdout


def of_ast(text: bytes) -> tuple[Span, ...]:
    """What CPython says; nothing of what it cannot parse."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return ()
    return tuple(
        Span(
            name=node.name,
            kind="class" if isinstance(node, ast.ClassDef) else "function",
            start_line=node.lineno,
            end_line=node.end_lineno or node.lineno,
        )
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    )


async def measure(trees: Sequence[Path], missed: str) -> dict[str, Tally]:
    """Compare the tiers on every file of the trees."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    async with SpanFinder() as finder:
        for path, language, text in (source for tree in trees for source in sources(tree)):
            started = time.perf_counter()
            fast = spans_of(text, language)
            between = time.perf_counter()
            precise = await finder.precise_spans(text, language)
            ended = time.perf_counter()
            if precise is None:
                continue
            tally = tallies[language]
            tally.size += len(text)
            tally.tested += between - started
            tally.reference += ended - between
            tally.add(fast, precise)
            if language == missed:
                show(path, fast, precise)
            if language == "python" and (truth := of_ast(text)):
                tallies["python: fast against ast"].add(fast, truth)
                tallies["python: precise against ast"].add(precise, truth)
    return tallies


def show(path: str, fast: Sequence[Span], precise: Sequence[Span]) -> None:
    """Print where the tiers differ."""
    for span in sorted({*fast} ^ {*precise}, key=lambda span: (span.start_line, span.end_line)):
        tier = "fast" if span in fast else "tree"
        say(f"{tier} {path}:{span.start_line}-{span.end_line} {span.kind} {span.name}")


def main() -> None:
    """Print a row for each language."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trees", nargs="+", type=Path, metavar="GIT_DIRECTORY")
    parser.add_argument("--missed", default="", metavar="LANGUAGE", help="print the differences")
    options = parser.parse_args()
    say(f"{'':28}   MB  fast  tree   definitions  found  exact  right")
    for name, tally in sorted(asyncio.run(measure(options.trees, options.missed)).items()):
        size = tally.size / 1e6
        say(
            f"{name:28} {size:4.1f} {size / (tally.tested or 1):5.1f}"
            f" {size / (tally.reference or 1):5.1f} {tally.wanted:13,}"
            f" {tally.found / max(tally.wanted, 1):6.1%} {tally.exact / max(tally.found, 1):6.1%}"
            f" {tally.found / max(tally.given, 1):6.1%}"
        )


if __name__ == "__main__":
    main()
