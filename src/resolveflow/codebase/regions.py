"""A source text cut into regions: runs of 8 to 90 lines that begin at definitions."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

from resolveflow.domain.exploration import Symbol

FEWEST_LINES = 8
MOST_LINES = 90
_PIECE = 60

_MODIFIERS = (
    r"(?:(?:export|default|pub(?:\([a-z]+\))?|public|private|protected|internal|static|async"
    r"|abstract|final|override|open|data|sealed|unsafe|const|inline|suspend|virtual|extern)"
    r"[ \t]+){0,6}"
)
_KEYWORDS = (
    r"(?:def|class|function\*?|fn|func|interface|trait|struct|enum|impl(?:<[^>\n]{0,80}>)?"
    r"|object|module|type|macro_rules!)"
)
_NAME = r"([A-Za-z_$][\w$]*)"
_ASSIGNED = r"[ \t]{0,40}=[ \t]{0,40}(?:async[ \t]+)?"
_FORMS = (
    rf"{_MODIFIERS}{_KEYWORDS}[ \t]+{_NAME}",
    rf"func[ \t]+\([^)\n]{{0,80}}\)[ \t]{{0,40}}{_NAME}",
    rf"{_MODIFIERS}fun[ \t]+(?:<[^>\n]{{0,80}}>[ \t]+)?(?:[\w<>?*, ]{{1,80}}\.){{0,3}}{_NAME}",
    rf"[A-Za-z_$][\w$]{{0,60}}(?:\.prototype)?\.{_NAME}{_ASSIGNED}(?:function|\()",
    rf"(?:export[ \t]+)?(?:const|let|var)[ \t]+{_NAME}{_ASSIGNED}"
    r"(?:function|\([^()\n]{0,200}\)[ \t]{0,40}=>|[\w$]{1,60}[ \t]{0,40}=>)",
    rf"(?:(?:static|async|get|set)[ \t]+){{0,2}}\*?[ \t]{{0,40}}{_NAME}[ \t]{{0,40}}"
    r"\([^()\n]{0,200}\)[ \t]{0,40}\{",
    rf"[\"']?{_NAME}(?::\w{{1,40}})?[\"']?(?:[ \t]{{0,40}}:[ \t]{{0,40}}(?:async[ \t]+)?function\b"
    r"|[ \t]{0,40}:[ \t]{0,40}(?:async[ \t]+)?\([^()\n]{0,200}\)[ \t]{0,40}=>)",
    r"(?!(?:await|case|delete|else|new|return|throw|typeof|yield)\b)"
    rf"(?:[\w<>\[\],.?&*:]{{1,80}}[ \t]+){{1,5}}(?:\w{{1,60}}::){{0,3}}{_NAME}[ \t]{{0,40}}"
    r"\([^;{}\n]{0,300}\)[^;{}\n]{0,100}\{",
)
_DEFINITION = re.compile("|".join(rf"^[ \t]{{0,40}}{form}" for form in _FORMS), re.MULTILINE)
_NOT_NAMES = frozenset({"catch", "else", "for", "if", "return", "switch", "while", "with"})


def definitions(text: str) -> list[tuple[int, str]]:
    """The definitions of a text, as (line, name), in order."""
    newlines = [match.start() for match in re.finditer("\n", text)]
    found = []
    for match in _DEFINITION.finditer(text):
        name = match[match.lastindex or 0]
        if name not in _NOT_NAMES:
            found.append((bisect_right(newlines, match.start()) + 1, name))
    return found


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
