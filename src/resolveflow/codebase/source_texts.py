"""The texts of source files one after the other, as they are kept for search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from resolveflow.codebase.languages import READ, as_utf8, unread_by_content

if TYPE_CHECKING:
    from collections.abc import Sequence, Set

    from numpy.typing import NDArray


@dataclass(frozen=True)
class SourceTexts:
    """File `f` (`keys[f]`) has the text `text[ends[f - 1]:ends[f]]`: UTF-8, lines end in `\\n`."""

    keys: tuple[bytes, ...]
    ends: NDArray[np.uint64]
    text: bytes

    def of(self, file: int) -> bytes:
        """One file's text."""
        return self.text[int(self.ends[file - 1]) if file else 0 : int(self.ends[file])]


def read_texts(keys: Sequence[bytes], contents: Sequence[bytes]) -> SourceTexts:
    """Take the texts of the files with these keys; what no person wrote is empty."""
    texts = [as_utf8(content) for content in contents]
    return _of(keys, [b"" if unread_by_content(text) != READ else text for text in texts])


def join_texts(parts: Sequence[SourceTexts]) -> SourceTexts:
    """The files of all parts, in order."""
    if len(parts) == 1:
        return parts[0]
    keys = [key for part in parts for key in part.keys]
    return _of(keys, [part.of(file) for part in parts for file in range(len(part.keys))])


def keep_texts(known: SourceTexts, keys: Set[bytes]) -> SourceTexts:
    """The files with these keys, each once."""
    files = {key: file for file, key in enumerate(known.keys) if key in keys}
    return _of(list(files), [known.of(file) for file in files.values()])


def _of(keys: Sequence[bytes], texts: Sequence[bytes]) -> SourceTexts:
    ends = np.cumsum([len(text) for text in texts], dtype=np.uint64)
    return SourceTexts(tuple(keys), ends, b"".join(texts))
