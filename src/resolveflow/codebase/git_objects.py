"""How git names content: the ids that let a directory and a clone share one index."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from resolveflow.ports import Entry


def blob_id(data: bytes) -> str:
    """The SHA-1 object id that git gives `data`."""
    digest = hashlib.sha1(b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)
    return digest.hexdigest()


def line_count(data: bytes) -> int:
    """How many lines git counts in `data`: only a line feed ends one."""
    return data.count(b"\n") + (not data.endswith(b"\n") and data != b"")


def tree_digest(entries: Iterable[Entry]) -> str:
    """The content digest (`sha256:…`) of a tree that has no commit: its paths, kinds and blobs."""
    digest = hashlib.sha256()
    for entry in entries:
        digest.update(entry.path.encode("utf-8", "surrogateescape"))
        digest.update(f"\0{entry.kind}\0{entry.blob}\0".encode())
    return f"sha256:{digest.hexdigest()}"


def path_key(entry: Entry) -> bytes:
    """What `entries` are sorted by: the bytes of the path, as git sorts them."""
    return entry.path.encode("utf-8", "surrogateescape")
