"""Definitions of a source text with their exact lines, in any language with blocks."""

import ast
import re
from collections.abc import Iterator, Sequence

from resolveflow.codebase.regions import definitions
from resolveflow.domain.exploration import Symbol

LARGEST_TEXT = 1_000_000  # characters; what is longer is generated
LONGEST_HEADER = 400  # characters before a brace that may name what it opens

_INDENTED = frozenset({"coffee", "ex", "exs", "jl", "lua", "nim", "py", "pyi", "pyx", "rb"})
# Their functions always have a keyword: `Some(x) {` and `when (x) {` define nothing there.
_WITH_KEYWORD = frozenset({"go", "kt", "kts", "php", "rs", "scala", "swift", "zig"})
_TOKEN = re.compile(
    r"//[^\n]*"
    r"|/\*.*?(?:\*/|\Z)"
    r'|"(?:[^"\\\n]|\\[^\n])*(?:"|\\?$)'
    r"|'(?:[^'\\\n]|\\[^\n])*(?:'|\\?$)"
    r"|`(?:[^`\\]|\\.)*(?:`|\\?\Z)"
    r"|[{};\n]",
    re.DOTALL | re.MULTILINE,
)
_TYPE = re.compile(
    r"\b(?:class|interface|struct|enum|trait|impl|object|record|union)\s+([A-Za-z_$][\w$]*)"
)
_FUNCTION = re.compile(
    r"\b(?:function\*?|func|fn|fun|def)\s+(?:(?:\([^()]{0,200}\)|<[^<>]{0,200}>)\s*)?"
    r"([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)"
)
_ASSIGNED = re.compile(r"([A-Za-z_$][\w$]*)\s*[:=]\s*(?:async\b\s*)?(?:function\b|\(|[\w$]+\s*=>)")
_CLOSURE = re.compile(r"[=-]>|\bfunction\b")
_METHOD = re.compile(r"(?<![.\w$@])([A-Za-z_$~][\w$]*)\s*\(")
_CONTROL = (
    "catch do else for foreach if lock match new return sizeof super switch synchronized throw"
    " using while with"
)
_NOT_METHODS = frozenset(_CONTROL.split())


def functions(path: str, lines: Sequence[str]) -> tuple[Symbol, ...]:
    """The functions and classes of a file, outer before inner, with 1-based inclusive lines."""
    if sum(map(len, lines)) > LARGEST_TEXT:
        return ()
    extension = path.rpartition(".")[2].lower()
    if extension in ("py", "pyi"):
        found = _of_python(lines) or _of_indents(lines)
    elif extension in _INDENTED:
        found = _of_indents(lines)
    else:
        found = list(_of_braces("\n".join(lines), bare=extension not in _WITH_KEYWORD))
    return tuple(sorted(found, key=lambda symbol: (symbol.start_line, -symbol.end_line)))


def enclosing(symbols: Sequence[Symbol], line: int) -> Symbol | None:
    """The innermost of the symbols that holds the line."""
    holding = [symbol for symbol in symbols if symbol.start_line <= line <= symbol.end_line]
    return min(holding, key=lambda symbol: symbol.end_line - symbol.start_line, default=None)


def _of_python(lines: Sequence[str]) -> list[Symbol]:
    """Parsed, never executed; none where it is not the Python of this interpreter."""
    try:
        tree = ast.parse("\n".join(lines))
        return [
            Symbol(name=node.name, start_line=_first_line(node), end_line=node.end_lineno)
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            and node.end_lineno is not None
        ]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _first_line(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _of_indents(lines: Sequence[str]) -> list[Symbol]:
    """Each definition ends before the next line that is not deeper, or with that line's `end`."""
    found = []
    open_ones: list[tuple[int, str, int]] = []
    starts = dict(definitions("\n".join(lines)))
    last = 0
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        indent = len(line) - len(line.lstrip())
        while open_ones and open_ones[-1][2] >= indent:
            start, name, own = open_ones.pop()
            closes = own == indent and line.strip() == "end"
            found.append(Symbol(name=name, start_line=start, end_line=number if closes else last))
        if number in starts:
            open_ones.append((number, starts[number], indent))
        last = number
    found += [Symbol(name=name, start_line=start, end_line=last) for start, name, _ in open_ones]
    return found


def _of_braces(text: str, *, bare: bool) -> Iterator[Symbol]:
    """Each named block from its header's first line to its closing brace.

    `bare`: a name and a parameter list are enough to define a function.
    """
    line, header_line = 1, 1
    header = ""
    open_ones: list[tuple[str | None, int]] = []
    end = 0
    for token in _TOKEN.finditer(text):
        between = text[end : token.start()]
        if not header.strip() and between.strip():
            header_line = line
        header = (header + between)[-LONGEST_HEADER:]
        end = token.end()
        mark = token.group()
        line += mark.count("\n")
        if mark == "{":
            open_ones.append((_name(header, bare=bare), header_line))
        elif mark == "}" and open_ones:
            name, start = open_ones.pop()
            if name:
                yield Symbol(name=name, start_line=start, end_line=line)
        if mark in ("{", "}", ";"):
            header = ""
        elif mark == "\n":
            header += " "


def _name(header: str, *, bare: bool) -> str | None:
    """What a block's header names: a type, a function, or None for any other block."""
    named = _TYPE.search(header) or _FUNCTION.search(header)
    if named:
        return named.group(1).rpartition(".")[2]
    if _CLOSURE.search(header):
        assigned = _ASSIGNED.search(header)
        return assigned.group(1) if assigned else None
    method = _METHOD.search(header) if bare else None
    if method is None or method.group(1) in _NOT_METHODS or "=" in header[: method.start()]:
        return None
    return method.group(1)
