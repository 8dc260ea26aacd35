"""The functions and classes of a text with the lines they take, as far as patterns can tell."""

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import Literal

from resolveflow.codebase.blanked import blanked
from resolveflow.codebase.definition_patterns import CALLABLE, PATTERNS
from resolveflow.codebase.definitions import find_definitions
from resolveflow.codebase.span_ends import Layout

Kind = Literal["function", "class"]

_BY_INDENTATION = frozenset({"python", "ruby", "lua", "elixir"})
_KEYWORDS = {  # before a class's name; before a function's, where it has one in every case
    "python": ("class", "def cdef cpdef"),
    "javascript": ("class interface enum namespace module type", ""),
    "java": ("class interface enum record trait", ""),
    "kotlin": ("class interface object typealias", "fun"),
    "go": ("type", "func"),
    "rust": ("struct enum trait union mod type impl", "fn macro_rules"),
    "c": ("class struct union enum interface implementation protocol namespace", ""),
    "csharp": ("class interface enum struct record namespace delegate", ""),
    "ruby": ("class module", "def"),
    "php": ("class interface trait enum", "function"),
    "swift": ("class struct enum protocol extension actor typealias", ""),
    "scala": ("class trait object enum type given", "def"),
    "lua": ("", ""),
    "dart": ("class mixin extension enum typedef", ""),
    "elixir": ("defmodule defprotocol defimpl", "def defp defmacro defmacrop defguard defdelegate"),
    "shell": ("", ""),
    "sql": ("table view type", "function procedure trigger"),
    "perl": ("package class role", "sub method"),
}
_KEYWORDS["typescript"] = _KEYWORDS["component"] = _KEYWORDS["javascript"]
_WORD = re.compile(rb"\w+(?=[\s*!<])")
_VALUES = frozenset({b"const", b"let", b"var"})
_CALLABLE = re.compile(rb"[^=\n]*=[ \t]*+" + CALLABLE)
_SCRIPT = re.compile(rb"<script\b[^>]*+>?(.*?)(?:</script\s*+>|\Z)", re.DOTALL | re.IGNORECASE)
_SCRIPTS = frozenset({"javascript", "typescript", "component"})
_STOPS = {"sql": re.compile(rb";"), "c": re.compile(rb"(?m:^)@end\b")}
_NO_STOPS = re.compile(rb"(?!)")
_AT = ord("@")
_BACKSLASH = ord("\\")
_HEADER = 400  # bytes behind a name that tell whether it names something callable


@dataclass(frozen=True)
class Span:
    """A definition that has a body, and its lines: 1-based, both included.

    A `class` is whatever holds members or names a type: a struct, trait, module, table too. It
    starts at the line of its name, so that decorators and annotations above it are not part of it.
    """

    name: str
    kind: Kind
    start_line: int
    end_line: int


def spans_of(text: bytes, language: str) -> tuple[Span, ...]:
    """The spans of a text (UTF-8, `\\n` line ends) in order of start, outer before inner.

    The end is found by indentation or brackets, in time linear in the length of the text. None of
    a language that has no patterns.
    """
    if language not in PATTERNS:
        return ()
    if language == "component":
        text = scripts_of(text)
    return _Reader(text, language).spans()


def scripts_of(text: bytes) -> bytes:
    """A component's `<script>` blocks, with empty lines for all else, so that lines keep."""
    parts: list[bytes] = []
    at = 0
    for script in _SCRIPT.finditer(text):
        parts += (b"\n" * text.count(b"\n", at, script.start(1)), script[1])
        at = script.end(1)
    return b"".join(parts)


def by_place(spans: "set[Span]") -> tuple[Span, ...]:
    """In order of start, outer before inner."""
    return tuple(sorted(spans, key=lambda span: (span.start_line, -span.end_line, span.name)))


class _Reader:
    def __init__(self, text: bytes, language: str) -> None:
        self._text = text
        self._language = language
        self._newlines = [match.start() for match in re.finditer(rb"\n", text)]
        self._blanked = blanked(text, language)
        self._layout = Layout(self._blanked, language)
        stops = _STOPS.get(language, _NO_STOPS).finditer(self._blanked)
        self._stops = [*(stop.end() for stop in stops), len(text)]
        self._classes, self._functions = (
            frozenset(words.encode().split()) for words in _KEYWORDS[language]
        )

    def spans(self) -> tuple[Span, ...]:
        rows = find_definitions([self._text], [self._language])
        line_starts = [0, *(newline + 1 for newline in self._newlines)]
        found = set()
        for line, indent, name_at, length in zip(
            rows.lines.tolist(),
            rows.indents.tolist(),
            rows.name_at.tolist(),
            rows.name_length.tolist(),
            strict=True,
        ):
            at = line_starts[line - 1] + indent
            span = self._span(at, at + name_at, length)
            if span is not None:
                found.add(span)
        return by_place(found)

    def _span(self, at: int, name_at: int, length: int) -> Span | None:
        """Of the definition at an offset; None where it is a value, a text, or has no body."""
        name = self._text[name_at : name_at + length]
        kind = self._kind(at, name_at, length)
        if self._text.startswith(b"#", at) and self._language == "c":
            end, has_body = self._end_of_macro(at), True
        elif self._blanked[name_at : name_at + length] != name or kind is None:
            return None
        else:
            end, has_body = self._end(at, name_at)
        if kind == "function" and not has_body:
            return None
        return Span(
            name=name.decode(errors="replace"),
            kind=kind or "function",
            start_line=bisect_left(self._newlines, name_at) + 1,
            end_line=bisect_left(self._newlines, max(end - 1, name_at)) + 1,
        )

    def _kind(self, at: int, name_at: int, length: int) -> Kind | None:
        before = self._text[at:name_at]
        words = frozenset(_WORD.findall(before.lower() if self._language == "sql" else before))
        after = self._text[name_at + length : name_at + length + _HEADER]
        if self._language in _SCRIPTS and words & _VALUES:
            value = _CALLABLE.match(after)
            return None if value is None else "class" if value[0].endswith(b"class") else "function"
        if words & self._functions:
            return "function"
        is_called = self._language == "c" and after.lstrip().startswith(b"(")
        if words & self._classes and not is_called:
            return "class"
        return None if self._functions else "function"

    def _end(self, at: int, name_at: int) -> tuple[int, bool]:
        if self._language in _BY_INDENTATION:
            return self._layout.end_by_indentation(name_at), True
        if self._language == "sql" or (self._language == "c" and self._text[at] == _AT):
            return self._stops[bisect_right(self._stops, name_at, hi=len(self._stops) - 1)], True
        return self._layout.end_by_brackets(name_at)

    def _end_of_macro(self, at: int) -> int:
        line = bisect_left(self._newlines, at)
        while line < len(self._newlines) and self._text[self._newlines[line] - 1] == _BACKSLASH:
            line += 1
        return self._newlines[line] if line < len(self._newlines) else len(self._text)
