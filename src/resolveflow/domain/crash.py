"""Crashes as parsed from text, and the frames that lead to them."""

from resolveflow.domain.value import Value


class Frame(Value):
    """One call of a stack, as the log prints it."""

    function: str | None = None
    file: str | None = None
    line: int | None = None
    column: int | None = None
    module: str | None = None
    in_app: bool = True


class Crash(Value):
    """One failure: its type, message and frames, the innermost frame (where it broke) first."""

    type: str
    message: str
    frames: tuple[Frame, ...] = ()
    language: str | None = None
    fingerprint: str = ""
