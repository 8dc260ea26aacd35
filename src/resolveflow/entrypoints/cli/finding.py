"""What `doctor` found out about one part."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """What a probe found: `ok` is None for a part that is off and need not be on."""

    name: str
    ok: bool | None
    detail: str
    advice: str = ""
