"""A source text cut into regions: runs of 8 to 90 lines that begin at definitions."""

from collections.abc import Sequence
from itertools import pairwise

from resolveflow.domain.exploration import Symbol

FEWEST_LINES = 8
MOST_LINES = 90
_PIECE = 60


def regions(definitions: Sequence[tuple[int, str]], last: int) -> list[Symbol]:
    """The regions of a text of `last` lines whose definitions are (line, name), in order.

    Each is named after its first definition or the one it is in.
    """
    starts = [(1, "")]
    for line, name in definitions:
        if line - starts[-1][0] >= FEWEST_LINES:
            starts.append((line, name))
        elif not starts[-1][1]:
            starts[-1] = (starts[-1][0], name)
    found = []
    for (start, name), (end, _) in pairwise([*starts, (last + 1, "")]):
        begin = start
        while end - begin > MOST_LINES:
            found.append(Symbol(name=name, start_line=begin, end_line=begin + _PIECE - 1))
            begin += _PIECE
        found.append(Symbol(name=name, start_line=begin, end_line=end - 1))
    return [region for region in found if region.end_line >= region.start_line]
