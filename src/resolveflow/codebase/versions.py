"""Which tag of a repository is the version that a report names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from packaging.version import InvalidVersion, Version

if TYPE_CHECKING:
    from collections.abc import Iterable

_NUMBER = re.compile(r"(?<![\d.])\d")
_LONGEST = 120
_PLAIN = frozenset({"", "v", "r", "release", "rel", "version", "ver"})


def matching_tags(tags: Iterable[str], version: str) -> tuple[str, ...]:
    """The tags that name `version`, the plainest first (`v1.2`, `1.2`, then `name-1.2`)."""
    wanted = _release(version)
    if wanted is None:
        return ()
    found = []
    for tag in tags:
        release = _release(tag)
        if release is not None and release[1] == wanted[1]:
            prefix = release[0].lower().rstrip("-_/. @")
            found.append((prefix not in _PLAIN, len(tag), tag))
    return tuple(tag for _, _, tag in sorted(found))


def _release(text: str) -> tuple[str, Version | str] | None:
    """What stands before the version in `text`, and the version."""
    text = text.strip()[:_LONGEST]
    starts = [match.start() for match in _NUMBER.finditer(text)]
    for start in starts:
        try:
            return text[:start], _public(text[start:])
        except InvalidVersion:
            continue
    return (text[: starts[0]], text[starts[0] :].casefold()) if starts else None


def _public(text: str) -> Version:
    words = text.split()
    version = Version(words[0].rstrip(",;").replace("_", "."))
    return Version(version.public)
