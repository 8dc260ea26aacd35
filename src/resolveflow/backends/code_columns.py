"""Facts and trees as bytes: a header in JSON, then the arrays one after the other."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from resolveflow.codebase.code_facts import Facts
from resolveflow.codebase.code_tree import CodeTree
from resolveflow.codebase.definitions import Definitions
from resolveflow.codebase.references import Counts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

_ALIGNMENT = 8
_KEY_BYTES = 16
_ENCODING = ("utf-8", "surrogateescape")

Columns = dict[str, "NDArray[Any]"]


def pack_facts(facts: Facts) -> bytes:
    """Facts as bytes."""
    keys = np.frombuffer(b"".join(facts.keys), np.uint8)
    columns = {"keys": keys, "reasons": facts.reasons}
    columns |= _columns("d.", facts.definitions) | _columns("r.", facts.references)
    return _packed(columns)


def unpack_facts(data: bytes) -> Facts:
    """Facts from what `pack_facts` made."""
    columns = _unpacked(data)
    keys = columns["keys"].tobytes()
    return Facts(
        keys=tuple(keys[at : at + _KEY_BYTES] for at in range(0, len(keys), _KEY_BYTES)),
        reasons=columns["reasons"],
        definitions=_definitions(columns),
        references=Counts(**{f.name: columns[f"r.{f.name}"] for f in fields(Counts)}),
    )


def pack_tree(tree: CodeTree, keys: frozenset[bytes]) -> bytes:
    """A tree, and the keys of the facts it is made of, as bytes."""
    columns = _columns("t.", tree) | _columns("d.", tree.definitions)
    columns["paths"] = _text("\0".join(tree.paths))
    columns["skipped"] = _text("\0".join(f"{path}\0{why}" for path, why in tree.skipped))
    columns["keys"] = np.frombuffer(b"".join(sorted(keys)), np.uint8)
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
    keys = _unpacked(data)["keys"].tobytes()
    return frozenset(keys[at : at + _KEY_BYTES] for at in range(0, len(keys), _KEY_BYTES))


def _definitions(columns: Mapping[str, NDArray[Any]]) -> Definitions:
    rows: dict[str, Any] = {
        name[2:]: column for name, column in columns.items() if name.startswith("d.")
    }
    rows["signatures"] = columns["d.signatures"].tobytes()
    return Definitions(**rows)


def _columns(prefix: str, rows: Definitions | Counts | CodeTree) -> Columns:
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
    parts = [head + b" " * (-(len(head) + 1) % _ALIGNMENT) + b"\n"]
    for column in columns.values():
        raw = column.tobytes()
        parts += [raw, b"\0" * (-len(raw) % _ALIGNMENT)]
    return b"".join(parts)


def _unpacked(data: bytes) -> Columns:
    end = data.index(b"\n") + 1
    columns: Columns = {}
    for name, (dtype, length) in json.loads(data[:end]).items():
        column = np.frombuffer(data, np.dtype(dtype), length, end)
        columns[name] = column
        end += column.nbytes + (-column.nbytes % _ALIGNMENT)
    return columns


def _text(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode(*_ENCODING), np.uint8)


def _strings(column: NDArray[np.uint8]) -> tuple[str, ...]:
    text = column.tobytes().decode(*_ENCODING)
    return tuple(text.split("\0")) if text else ()
