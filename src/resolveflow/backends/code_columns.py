"""What the store keeps as bytes: a header in JSON, then the arrays one after the other."""

from __future__ import annotations

import json
import zlib
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from resolveflow.codebase.code_facts import Facts
from resolveflow.codebase.code_tree import CodeTree
from resolveflow.codebase.definitions import Definitions
from resolveflow.codebase.references import Counts
from resolveflow.codebase.source_terms import SourceTerms
from resolveflow.codebase.source_texts import SourceTexts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

_ALIGNMENT = 8
_KEY_BYTES = 16
_FAST = 1  # the compression level; higher ones take long and save little
_ENCODING = ("utf-8", "surrogateescape")

Columns = dict[str, "NDArray[Any]"]


def pack_facts(facts: Facts) -> bytes:
    """Facts as bytes."""
    columns = {"keys": _key_bytes(facts.keys), "reasons": facts.reasons}
    columns |= _columns("d.", facts.definitions) | _columns("r.", facts.references)
    return _packed(columns)


def unpack_facts(data: bytes) -> Facts:
    """Facts from what `pack_facts` made."""
    columns = _unpacked(data)
    return Facts(
        keys=_keys(columns),
        reasons=columns["reasons"],
        definitions=_definitions(columns),
        references=Counts(**{f.name: columns[f"r.{f.name}"] for f in fields(Counts)}),
    )


def pack_source(known: SourceTerms | SourceTexts) -> bytes:
    """Terms or texts of files as bytes."""
    columns = _columns("t.", known)
    columns["keys"] = _key_bytes(known.keys)
    return zlib.compress(_packed(columns), _FAST)


def unpack_terms(data: bytes) -> SourceTerms:
    """Terms of files from what `pack_source` made."""
    columns = _unpacked(zlib.decompress(data))
    arrays = {name[2:]: column for name, column in columns.items() if name.startswith("t.")}
    text = arrays.pop("name_text").tobytes()
    return SourceTerms(keys=_keys(columns), name_text=text, **arrays)


def unpack_texts(data: bytes) -> SourceTexts:
    """Texts of files from what `pack_source` made."""
    columns = _unpacked(zlib.decompress(data))
    return SourceTexts(_keys(columns), columns["t.ends"], columns["t.text"].tobytes())


def pack_tree(tree: CodeTree, keys: frozenset[bytes]) -> bytes:
    """A tree, and the keys of the facts it is made of, as bytes."""
    columns = _columns("t.", tree) | _columns("d.", tree.definitions)
    columns["paths"] = _text(tree.paths)
    columns["skipped"] = _text([text for pair in tree.skipped for text in pair])
    columns["keys"] = _key_bytes(sorted(keys))
    return _packed(columns)


def unpack_tree(data: bytes) -> CodeTree:
    """A tree from what `pack_tree` made."""
    columns = _unpacked(data)
    skipped = _strings(columns["skipped"])
    arrays = {name[2:]: column for name, column in columns.items() if name.startswith("t.")}
    return CodeTree(
        paths=_strings(columns["paths"]),
        skipped=tuple(zip(skipped[0::2], skipped[1::2], strict=True)),
        definitions=_definitions(columns),
        **arrays,
    )


def keys_of_tree(data: bytes) -> frozenset[bytes]:
    """The keys of the facts that a tree is made of."""
    return frozenset(_keys(_unpacked(data)))


def _definitions(columns: Mapping[str, NDArray[Any]]) -> Definitions:
    rows: dict[str, Any] = {
        name[2:]: column for name, column in columns.items() if name.startswith("d.")
    }
    rows["signatures"] = columns["d.signatures"].tobytes()
    return Definitions(**rows)


def _columns(
    prefix: str, rows: Definitions | Counts | CodeTree | SourceTerms | SourceTexts
) -> Columns:
    found: Columns = {}
    for field in fields(rows):
        value = getattr(rows, field.name)
        if isinstance(value, bytes):
            found[prefix + field.name] = np.frombuffer(value, np.uint8)
        elif isinstance(value, np.ndarray):
            found[prefix + field.name] = value
    return found


def _packed(columns: Columns) -> bytes:
    header = json.dumps({name: [column.dtype.str, len(column)] for name, column in columns.items()})
    head = header.encode()
    parts: list[bytes | memoryview] = [head + b" " * (-(len(head) + 1) % _ALIGNMENT) + b"\n"]
    for column in columns.values():
        parts += [
            np.ascontiguousarray(column).view(np.uint8).data,
            b"\0" * (-column.nbytes % _ALIGNMENT),
        ]
    return b"".join(parts)


def _unpacked(data: bytes) -> Columns:
    end = data.index(b"\n") + 1
    columns: Columns = {}
    for name, (dtype, length) in json.loads(data[:end]).items():
        column = np.frombuffer(data, np.dtype(dtype), length, end)
        columns[name] = column
        end += column.nbytes + (-column.nbytes % _ALIGNMENT)
    return columns


def _key_bytes(keys: Iterable[bytes]) -> NDArray[np.uint8]:
    return np.frombuffer(b"".join(keys), np.uint8)


def _keys(columns: Mapping[str, NDArray[Any]]) -> tuple[bytes, ...]:
    keys = columns["keys"].tobytes()
    return tuple(keys[at : at + _KEY_BYTES] for at in range(0, len(keys), _KEY_BYTES))


def _text(strings: Iterable[str]) -> NDArray[np.uint8]:
    return np.frombuffer("".join(f"{one}\0" for one in strings).encode(*_ENCODING), np.uint8)


def _strings(column: NDArray[np.uint8]) -> tuple[str, ...]:
    return tuple(column.tobytes().decode(*_ENCODING).split("\0")[:-1])
