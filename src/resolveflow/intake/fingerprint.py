"""A crash's fingerprint: equal for the same failure at other addresses, lines and depths."""

import hashlib
import re

from resolveflow.domain.crash import Crash, Frame

_FRAMES = 5  # innermost own frames that tell failures apart; deeper ones vary with the caller
_VARYING = re.compile(r"0x[0-9a-fA-F]+|[0-9a-fA-F]{8,}|\d+")


def fingerprint(crash: Crash) -> str:
    """Hash the type and the innermost own frames' names (16 hexadecimal digits).

    A crash without a frame of the application's own counts all frames; one without any frame
    counts its message, numbers left out.
    """
    own = [frame for frame in crash.frames if frame.in_app] or list(crash.frames)
    names: list[str] = []
    for frame in own:
        name = _name(frame)
        if name and name not in names[-1:]:  # recursion of any depth counts once
            names.append(name)
    if not names:
        names = [_VARYING.sub("#", crash.message)]
    text = "\n".join([crash.type, *names[:_FRAMES]])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _name(frame: Frame) -> str:
    file = (frame.file or "").replace("\\", "/").rpartition("/")[2]
    if not frame.function and not file:
        return ""
    return f"{_VARYING.sub('#', frame.function or '')}@{file}"
