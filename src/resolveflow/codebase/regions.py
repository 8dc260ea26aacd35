"""A source text cut into regions: runs of 8 to 90 lines that begin at definitions."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from resolveflow.domain.exploration import Symbol

FEWEST_LINES = 8
MOST_LINES = 90
MOST_NAMES = 3
_PIECE = 60
_LOOK_BACK = 200  # definitions


class Begun(NamedTuple):
    """Where a definition begins: its line from 1, its name, and its indentation in bytes."""

    line: int
    name: str
    indent: int


def regions(begun: Sequence[Begun], text: bytes) -> list[Symbol]:
    """The regions of a text whose definitions begin as told, in order.

    A region is named after the definitions that begin in it, else after the one that it is in.
    """
    lines = text.removesuffix(b"\n").split(b"\n")
    at = [one.line for one in begun]
    starts = [1]
    for line in at:
        if line - starts[-1] >= FEWEST_LINES:
            starts.append(line)
    found = []
    for start, after in pairwise([*starts, len(lines) + 1]):
        first = start
        while first < after:
            last = after - 1 if after - first <= MOST_LINES else first + _PIECE - 1
            before = bisect_left(at, first)
            inside = begun[before : bisect_right(at, last)]
            outside = begun[max(0, before - _LOOK_BACK) : before]
            name = _names(inside) or _around(outside, lines[first - 1 : last])
            found.append(Symbol(name=name, start_line=first, end_line=last))
            first = last + 1
    return found


def _names(inside: Sequence[Begun]) -> str:
    names = list(dict.fromkeys(one.name for one in inside))
    return ", ".join(names[:MOST_NAMES]) + (", …" if len(names) > MOST_NAMES else "")


def _around(before: Sequence[Begun], lines: Sequence[bytes]) -> str:
    """The definition that the first of the lines is in: the nearest that is indented less."""
    line = next((line for line in lines if line.strip()), b"")
    indent = len(line) - len(line.lstrip())
    around = (one.name for one in reversed(before) if one.indent < indent)
    return next(around, "")
