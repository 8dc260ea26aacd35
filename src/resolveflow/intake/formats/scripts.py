"""Lua, Dart and Elixir stack traces."""

import re
from collections.abc import Iterator, Sequence

from resolveflow.domain.crash import Frame
from resolveflow.intake.formats.stack import (
    UNKNOWN,
    Found,
    Headline,
    ParseFrame,
    ParseHeadline,
    crash_of,
    frame_of,
    headline_above,
    runs,
)

SIGNS = ("stack traceback:", "(package:", "(dart:", ".ex:", ".exs:")

_DART = re.compile(r"\s*#\d+ +(\S.{0,200}?) \(((?:package|dart|file):[^():]+):(\d+)(?::(\d+))?\)")
_LUA = re.compile(r"\s+([^\s:\[][^\s:]*):(\d+): in (?:\w+ ){0,2}[<'`]?([^'`>]+)")
_ELIXIR = re.compile(r"\s+(?:\([\w ./-]{1,60}\) )?([^\s:()]+\.exs?):(\d+): (\S+)")
_DART_HEADLINE = re.compile(r".{0,60}?\b(\w*(?:Error|Exception)): (.*)")
_ELIXIR_HEADLINE = re.compile(r".{0,60}?\*\* \(([\w.]+)\) (.*)")
_LUA_HEADLINE = re.compile(r"(?:lua[\w.]*: )?[^\s:]+:\d+: (?P<message>.*)")


def scan(lines: Sequence[str]) -> Iterator[Found]:
    """Find the traces of these languages, which print the innermost frame first."""
    yield from _traces(lines, "dart", _dart_frame, _dart_headline)
    yield from _traces(lines, "elixir", _elixir_frame, _elixir_headline)
    yield from _traces(lines, "lua", _lua_frame, _lua_headline)


def _traces(
    lines: Sequence[str], language: str, frame: ParseFrame, headline: ParseHeadline
) -> Iterator[Found]:
    for run in runs(lines, frame, gap=1, ends=headline):
        number, above = headline_above(lines, run.first, headline) or (run.first, (UNKNOWN, ""))
        yield Found(number, crash_of(above, run.frames, language))


def _dart_frame(line: str) -> Frame | None:
    match = _DART.match(line) if "#" in line else None
    return frame_of("dart", match[1], match[2], match[3], match[4]) if match else None


def _elixir_frame(line: str) -> Frame | None:
    match = _ELIXIR.match(line) if ".ex" in line else None
    return frame_of("elixir", match[3], match[1], match[2]) if match else None


def _lua_frame(line: str) -> Frame | None:
    match = _LUA.match(line) if ": in " in line else None
    return frame_of("lua", match[3].strip(), match[1], match[2]) if match else None


def _dart_headline(line: str) -> Headline | None:
    match = _DART_HEADLINE.match(line)
    return (match[1], match[2]) if match else None


def _elixir_headline(line: str) -> Headline | None:
    match = _ELIXIR_HEADLINE.match(line)
    return (match[1], match[2]) if match else None


def _lua_headline(line: str) -> Headline | None:
    match = _LUA_HEADLINE.match(line)
    return ("error", match["message"]) if match and "stack traceback" not in line else None
