"""Definitions of many texts at once: name, line and signature, by one pattern a language."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from resolveflow.codebase.definition_patterns import PATTERNS
from resolveflow.codebase.identifiers import hash_names

LONGEST_SIGNATURE = 200  # bytes
DEEPEST = 24  # columns; what is indented further is local
_CONTINUED = (b"(", b",")
_LOOK_AHEAD = 600
_NESTED = 6  # brackets in brackets that a signature has at most
_SPACE = re.compile(rb"\s+")
_NOT_NAMES = frozenset(
    b"if for while switch catch return else function class struct enum def do try new delete"
    b" sizeof typeof await yield throw case defined static extern const void in with".split()
)
_WITHOUT_KEYWORDS = frozenset(
    {"javascript", "typescript", "component", "java", "c", "csharp", "dart"}
)


@dataclass(frozen=True)
class Definitions:
    """Text `t` defines rows `starts[t]:starts[t + 1]`, in order of line.

    `lines` are 1-based; `indents` columns; `signatures[ends[r - 1]:ends[r]]` is a row's signature
    in UTF-8, in which the name stands at `name_at` for `name_length` bytes.
    """

    starts: NDArray[np.uint32]
    names: NDArray[np.uint32]
    lines: NDArray[np.uint32]
    indents: NDArray[np.uint8]
    name_at: NDArray[np.uint8]
    name_length: NDArray[np.uint8]
    ends: NDArray[np.uint32]
    signatures: bytes

    def signature(self, row: int) -> str:
        """A definition's signature."""
        return self._signature(row).decode("utf-8", "replace")

    def name(self, row: int) -> str:
        """A definition's name."""
        begin = int(self.name_at[row])
        end = begin + int(self.name_length[row])
        return self._signature(row)[begin:end].decode("utf-8", "replace")

    def _signature(self, row: int) -> bytes:
        return self.signatures[int(self.ends[row - 1]) if row else 0 : int(self.ends[row])]


def find_definitions(texts: Sequence[bytes], languages: Sequence[str]) -> Definitions:
    """The definitions of each text, read as its language (UTF-8, `\\n` line ends)."""
    names: list[bytes] = []
    places: list[int] = []
    indents: list[int] = []
    name_at: list[int] = []
    signatures: list[bytes] = []
    starts = [0]
    lines = [np.zeros(0, np.uint32)]
    for text, language in zip(texts, languages, strict=True):
        pattern = PATTERNS.get(language)
        if pattern is None:
            starts.append(len(names))
            continue
        no_names = _NOT_NAMES if language in _WITHOUT_KEYWORDS else frozenset()
        framed = b"\n" + text + b"\n"
        first = len(names)
        for match in pattern.finditer(framed):
            index = match.lastindex or 1
            begin, end = match.span(index)
            name = framed[begin:end]
            indent = match.end(1) - match.start() - 1
            if name in no_names or indent > DEEPEST or end - begin > 100 or index == 1:
                continue
            at = match.end(1)
            names.append(name)
            places.append(at)
            indents.append(indent)
            signature = framed[at : match.end()][:LONGEST_SIGNATURE].rstrip()
            if signature.endswith(_CONTINUED):
                signature = _whole(framed, at)
            signatures.append(signature)
            name_at.append(min(begin - at, 255))
        newlines = np.flatnonzero(np.frombuffer(framed, np.uint8) == 10)
        lines.append(np.searchsorted(newlines, places[first:]).astype(np.uint32))
        starts.append(len(names))
    return Definitions(
        starts=np.array(starts, np.uint32),
        names=hash_names(names),
        lines=np.concatenate(lines),
        indents=np.array(indents, np.uint8),
        name_at=np.array(name_at, np.uint8),
        name_length=np.array([len(name) for name in names], np.uint8),
        ends=np.cumsum([len(signature) for signature in signatures], dtype=np.uint32),
        signatures=b"".join(signatures),
    )


def _whole(text: bytes, at: int) -> bytes:
    """A signature that goes on over lines, on one line, as far as its closing bracket."""
    shown = text[at : at + _LOOK_AHEAD]
    depth = 0
    for bracket in re.finditer(rb"[()]", shown):
        depth += 1 if bracket[0] == b"(" else -1
        if depth == 0:
            shown = shown[: bracket.end()] + shown[bracket.end() :].partition(b"\n")[0]
            break
        if depth > _NESTED:
            shown = shown.partition(b"\n")[0]
            break
    flat = _SPACE.sub(b" ", shown).replace(b"( ", b"(").replace(b", )", b")").replace(b" )", b")")
    return flat[:LONGEST_SIGNATURE].rstrip()
