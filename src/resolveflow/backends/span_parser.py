"""The program that parses texts for `spans_tree_sitter`, started as a child.

Grammars are C code that hostile texts can keep busy for hours (a parser's last step is quadratic
and heeds no limit). Here, too much time or memory for one text ends the process, and nothing else.
A request is a line with the grammar's name and the length of the text, then the text. An answer
is a line of JSON: a list of name, kind, first and last line; null where the grammar is missing.
"""

from __future__ import annotations

import json
import re
import resource
import signal
import sys
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from tree_sitter import Language, Parser, Query, QueryCursor

from resolveflow.backends.span_grammars import GRAMMARS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

CPU_SECONDS = 2.0  # for one text; a valid one of the largest size takes less than one
MEMORY = 1 << 30  # bytes; a valid text of the largest size takes a tenth
_LAST_NAME = re.compile(rb"(operator\b.*|[^\s.:\\<>()'\"]+)(?:<.*>)?\Z", re.DOTALL)
_QUOTES = b"`'\""


def parse(text: bytes, dialect: str) -> list[tuple[str, str, int, int]] | None:
    """Name, kind, first and last line of each definition; parts that are no syntax are passed."""
    loaded = _load(dialect)
    if loaded is None:
        return None
    language, query = loaded
    lines = text.split(b"\n")
    filled = _filled(lines)
    found = []
    for _, captures in QueryCursor(query).matches(Parser(language).parse(text).root_node):
        kind = "function" if "function" in captures else "class"
        node = captures[kind][0]
        name = captures["name"][0] if "name" in captures else node.child_by_field_name("name")
        called = _name(name) if name else ""
        if name and called:
            start = name.start_point.row
            row, column = node.end_point
            if row and not lines[row][:column].strip():
                row = filled[row - 1]  # in some grammars, blank lines behind a node belong to it
            found.append((called, kind, start + 1, max(start, row) + 1))
    return found


@cache
def _load(dialect: str) -> tuple[Language, Query] | None:
    grammar = GRAMMARS[dialect]
    try:
        module = import_module(grammar.module)
    except ImportError:
        return None
    language = Language(getattr(module, grammar.function)())
    return language, Query(language, grammar.query)


def _filled(lines: Sequence[bytes]) -> list[int]:
    """The last line up to each line that is not blank; 0 where there is none."""
    found: list[int] = []
    for row, line in enumerate(lines):
        found.append(row if not found or line.strip() else found[-1])
    return found


def _name(node: Node) -> str:
    """The last part of a name: `c` of `a::b.c<int>`; a quoted name and a shell's is whole."""
    text = node.text or b""
    if text[:1] not in _QUOTES and node.type != "word":
        found = _LAST_NAME.search(text)
        text = found[1] if found else b""
    return text.strip(_QUOTES).decode(errors="replace")


def main() -> None:
    """Answer requests on the standard input until it ends."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    while request := requests.readline():
        dialect, length = request.split()
        text = requests.read(int(length))
        signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)  # its signal ends the process
        answer = json.dumps(parse(text, dialect.decode()))
        signal.setitimer(signal.ITIMER_PROF, 0)
        answers.write(answer.encode() + b"\n")
        answers.flush()


if __name__ == "__main__":
    main()
