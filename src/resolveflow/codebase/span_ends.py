"""Where a definition ends: by its brackets, by indentation, or by both."""

import re
from bisect import bisect_left, bisect_right
from typing import NamedTuple

_BRACES = re.compile(rb"[{}]")
_BRACKETS = re.compile(rb"[][(){};]")
_OPENING = {ord(")"): ord("("), ord("]"): ord("["), ord("}"): ord("{")}
_BRACE, _SEMICOLON = ord("{"), ord(";")
_UNCLOSED = -1
_LINE = re.compile(rb"^([ \t]*+)[^\n]*", re.MULTILINE)
_BLANK = 1 << 60  # the indentation of a blank line: deeper than any other
_TAB = 8
_ENDED_BY_NEWLINE = frozenset(
    {"javascript", "typescript", "component", "kotlin", "scala", "swift", "go", "shell"}
)
_HEADER_GOES_ON = re.compile(rb"[{:=>|&]|->|where\b|throws\b")
_BODY_GOES_ON = re.compile(rb"(?:rescue|ensure|else|elsif|catch|after)\b")
_CLOSING = re.compile(rb"end\b|[])}]")
_NOTHING = re.compile(rb"(?!)")
_WORD = re.compile(rb"\w")
_COMMA = re.compile(rb"\s*,")


class _Run(NamedTuple):
    """What stands on a line, brackets jumped over: as far as `end`, which may be lines below."""

    end: int
    stopped: bool  # by `;` or by what closes the block around it
    unclosed: bool
    has_braces: bool  # such as a body has
    has_body: bool  # in braces or after a `=`


class Layout:
    """The lines and brackets of a `blanked` text. All places are byte offsets."""

    def __init__(self, text: bytes, language: str) -> None:
        self._text = text
        lines = [(line.start(), line.end(1), line.end()) for line in _LINE.finditer(text)]
        self._starts = [start for start, _, _ in lines]
        self._firsts = [first for _, first, _ in lines]
        self._indents = [
            len(text[start:first].expandtabs(_TAB)) if first < end else _BLANK
            for start, first, end in lines
        ]
        self._ends = _text_ends(text, lines)
        self._shallower = _shallower(self._indents)
        brackets = _BRACES if language == "shell" else _BRACKETS
        self._brackets = [bracket.start() for bracket in brackets.finditer(text)]
        self._partners = _partners(text, self._brackets)
        self._by_newline = language in _ENDED_BY_NEWLINE
        self._closing = _NOTHING if language == "python" else _CLOSING

    def end_by_indentation(self, at: int) -> int:
        """The end of what begins at `at`: before the next line that is no deeper.

        A line that closes it, as `end` and `}` do, belongs to it.
        """
        indent = self._indents[self._line(at)]
        line = self._line(self._run(at).end)
        while True:
            line = self._next_within(line, indent)
            if line == len(self._indents) or self._indents[line] < indent:
                return self._ends[line - 1]
            first = self._firsts[line]
            if self._closing.match(self._text, first):
                return self._ends[line]
            if self._closing is _NOTHING or not _BODY_GOES_ON.match(self._text, first):
                return self._ends[line - 1]

    def end_by_brackets(self, at: int) -> tuple[int, bool]:
        """The end of what begins at `at`, by its braces or its `;`; and whether it has a body."""
        indent = self._indents[self._line(at)]
        begin, has_body = at, False
        while True:
            run = self._run(at)
            has_body = has_body or run.has_body
            if run.unclosed:
                return self.end_by_indentation(begin), True
            line = self._line(run.end) + 1
            while line < len(self._indents) and self._indents[line] == _BLANK:
                line += 1
            if run.stopped or run.has_braces or line == len(self._indents):
                return run.end, has_body
            deeper = self._indents[line] > indent
            if deeper and self._by_newline:
                line = self._next_within(line, indent)
                if line == len(self._indents) or self._text[self._firsts[line]] != _BRACE:
                    return self.end_by_indentation(begin), True
            elif not deeper and not _HEADER_GOES_ON.match(self._text, self._firsts[line]):
                return run.end, has_body
            at = self._firsts[line]

    def _line(self, at: int) -> int:
        return bisect_right(self._starts, at) - 1

    def _next_within(self, line: int, indent: int) -> int:
        """The next line that is no deeper."""
        line += 1
        while line < len(self._indents) and self._indents[line] > indent:
            line = self._shallower[line]
        return line

    def _run(self, at: int) -> _Run:
        index = bisect_left(self._brackets, at)
        has_braces = has_body = False
        while True:
            line_end = self._ends[self._line(at)]
            place = self._brackets[index] if index < len(self._brackets) else line_end
            has_body = has_body or b"=" in self._text[at : min(place, line_end)]
            if place >= line_end:
                return _Run(line_end, False, False, has_braces, has_body)
            if self._text[place] == _SEMICOLON:
                return _Run(place + 1, True, False, has_braces, has_body)
            if self._text[place] in _OPENING:
                return _Run(max(place, 1), True, False, has_braces, has_body)
            partner = self._partners[index]
            if partner == _UNCLOSED:
                return _Run(line_end, False, True, has_braces, has_body)
            at = self._brackets[partner] + 1
            if self._text[place] == _BRACE:
                has_body = True
                has_braces = has_braces or self._is_body(place, at)
            index = partner + 1

    def _is_body(self, opened: int, closed: int) -> bool:
        """Not a value in braces, as `x{1}` and `{}, ` are where C++ initialises members."""
        before = self._text[opened - 1 : opened]
        return not _WORD.match(before) and not _COMMA.match(self._text, closed)


def _text_ends(text: bytes, lines: list[tuple[int, int, int]]) -> list[int]:
    """Where the text of each line ends; of a blank one, where the text before it does."""
    ends: list[int] = []
    last = 0
    for start, first, end in lines:
        if first < end:
            last = start + len(text[start:end].rstrip())
        ends.append(last)
    return ends


def _shallower(indents: list[int]) -> list[int]:
    """The next line that is less deep, of each line; their number where there is none."""
    found = [len(indents)] * len(indents)
    waiting: list[int] = []
    for line, indent in enumerate(indents):
        while waiting and indents[waiting[-1]] > indent:
            found[waiting.pop()] = line
        waiting.append(line)
    return found


def _partners(text: bytes, brackets: list[int]) -> list[int]:
    """The index of what closes each bracket, or _UNCLOSED; a `}` closes all that is open in it."""
    partners = [_UNCLOSED] * len(brackets)
    waiting: list[int] = []
    braces = 0
    for index, place in enumerate(brackets):
        bracket = text[place]
        opening = _OPENING.get(bracket)
        if opening is None:
            if bracket != _SEMICOLON:
                waiting.append(index)
                braces += bracket == _BRACE
            continue
        if opening == _BRACE and not braces:
            continue
        while waiting and text[brackets[waiting[-1]]] not in (opening, _BRACE):
            waiting.pop()
        if waiting and text[brackets[waiting[-1]]] == opening:
            partners[waiting.pop()] = index
            braces -= opening == _BRACE
    return partners
