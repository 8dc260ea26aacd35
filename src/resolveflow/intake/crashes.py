"""Every crash that a text holds, whatever its language."""

import hashlib

from resolveflow.domain.crash import Crash
from resolveflow.intake.formats import python
from resolveflow.intake.lines import clean_lines

FAMILIES = (python,)
FINGERPRINT_FRAMES = 8


def parse_crashes(text: str) -> tuple[Crash, ...]:
    """Find the crashes of a text in order of appearance, each with its fingerprint.

    Frames are innermost first. Of a chain of exceptions each is a crash of its own.
    """
    families = [family for family in FAMILIES if any(sign in text for sign in family.SIGNS)]
    if not families:
        return ()
    lines = clean_lines(text)
    found = [it for family in families for it in family.scan(lines)]
    return tuple(_fingerprinted(it.crash) for it in sorted(found, key=lambda it: it.line))


def _fingerprinted(crash: Crash) -> Crash:
    """Hash what stays the same when lines shift: the type and where it went wrong."""
    own = [frame for frame in crash.frames if frame.in_app] or list(crash.frames)
    parts = [crash.type]
    for frame in own[:FINGERPRINT_FRAMES]:
        file = (frame.file or "").replace("\\", "/").rsplit("/", 1)[-1]
        parts.append(f"{frame.function or ''}@{file}")
    digest = hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
    return crash.model_copy(update={"fingerprint": digest[:16]})
