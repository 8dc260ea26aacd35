"""What is kept of each source file: its definitions and references, or why it was left out.

Facts depend on a file's bytes and language alone, so that they are shared by every commit, branch
and copy that holds the file.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from resolveflow.codebase.columns import joined_starts, ranges, taken_text
from resolveflow.codebase.definitions import Definitions, find_definitions
from resolveflow.codebase.languages import (
    LANGUAGES,
    READ,
    REASONS,
    as_utf8,
    language_of,
    unread_by_content,
)
from resolveflow.codebase.references import Counts, count_identifiers

if TYPE_CHECKING:
    from collections.abc import Sequence, Set

    from numpy.typing import NDArray

_KEY_BYTES = 15

Rows = TypeVar("Rows", Definitions, Counts)


def key_of(path: str, blob: str) -> bytes:
    """What facts are kept under: 15 bytes of the blob's id and one for the language."""
    language = LANGUAGES.index(language_of(path) or "other")
    return bytes.fromhex(blob)[:_KEY_BYTES] + bytes((language,))


def language_of_key(key: bytes) -> str:
    """The language that a key tells."""
    return LANGUAGES[key[-1]]


@dataclass(frozen=True)
class Facts:
    """Row `r` holds the facts of the file `keys[r]`; `reasons` are positions in REASONS."""

    keys: tuple[bytes, ...]
    reasons: NDArray[np.uint8]
    definitions: Definitions
    references: Counts


def extract(keys: Sequence[bytes], contents: Sequence[bytes]) -> Facts:
    """Read the files with these keys."""
    texts = [as_utf8(content) for content in contents]
    reasons = [unread_by_content(text) for text in texts]
    kept = [b"" if why != READ else text for text, why in zip(texts, reasons, strict=True)]
    return Facts(
        keys=tuple(keys),
        reasons=np.array([REASONS.index(why) for why in reasons], np.uint8),
        definitions=find_definitions(kept, [language_of_key(key) for key in keys]),
        references=count_identifiers(kept),
    )


def join(parts: Sequence[Facts]) -> Facts:
    """The rows of all parts, in order."""
    return Facts(
        keys=tuple(key for part in parts for key in part.keys),
        reasons=np.concatenate([np.zeros(0, np.uint8), *(part.reasons for part in parts)]),
        definitions=_joined_definitions([part.definitions for part in parts]),
        references=_joined([part.references for part in parts], Counts),
    )


def take(facts: Facts, rows: NDArray[np.int64]) -> Facts:
    """The rows in the order given; one may be taken several times."""
    if len(rows) == len(facts.keys) and bool((rows == np.arange(len(rows))).all()):
        return facts
    return Facts(
        keys=tuple(facts.keys[row] for row in rows),
        reasons=facts.reasons[rows],
        definitions=_taken_definitions(facts.definitions, rows),
        references=_taken(facts.references, rows),
    )


def keep(facts: Facts, keys: Set[bytes]) -> Facts:
    """The rows with these keys, each once."""
    rows = {key: row for row, key in enumerate(facts.keys) if key in keys}
    return take(facts, np.array(sorted(rows.values()), np.int64))


def _columns(rows: type) -> list[str]:
    return [field.name for field in fields(rows) if field.name not in {"starts", "signatures"}]


def _joined(parts: Sequence[Rows], kind: type[Rows]) -> Rows:
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts])
        if parts
        else np.zeros(0, np.uint32)
        for name in _columns(kind)
    }
    if kind is Definitions:
        columns["signatures"] = b""
    return kind(starts=joined_starts([part.starts for part in parts]), **columns)


def _joined_definitions(parts: Sequence[Definitions]) -> Definitions:
    joined = _joined(parts, Definitions)
    offsets = np.cumsum([0, *(len(part.signatures) for part in parts)])
    ends = [
        part.ends.astype(np.int64) + offset
        for part, offset in zip(parts, offsets[:-1], strict=True)
    ]
    columns = {name: getattr(joined, name) for name in _columns(Definitions)}
    columns["ends"] = np.concatenate([np.zeros(0, np.int64), *ends]).astype(np.uint32)
    return Definitions(
        starts=joined.starts, signatures=b"".join(part.signatures for part in parts), **columns
    )


def _taken(rows_of: Rows, rows: NDArray[np.int64]) -> Rows:
    picked, starts = ranges(rows_of.starts[:-1][rows], rows_of.starts[1:][rows])
    columns: dict[str, Any] = {
        name: getattr(rows_of, name)[picked] for name in _columns(type(rows_of))
    }
    if isinstance(rows_of, Definitions):
        columns["signatures"] = b""
    return type(rows_of)(starts=starts, **columns)


def _taken_definitions(definitions: Definitions, rows: NDArray[np.int64]) -> Definitions:
    taken = _taken(definitions, rows)
    begins = np.concatenate(([0], definitions.ends))[:-1].astype(np.uint32)
    picked, _ = ranges(definitions.starts[:-1][rows], definitions.starts[1:][rows])
    ends = np.cumsum(definitions.ends[picked] - begins[picked], dtype=np.uint32)
    columns = {name: getattr(taken, name) for name in _columns(Definitions)}
    columns["ends"] = ends
    text = taken_text(definitions.signatures, definitions.ends, definitions.starts, rows)
    return Definitions(starts=taken.starts, signatures=text, **columns)
