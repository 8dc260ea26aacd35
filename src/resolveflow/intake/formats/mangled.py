"""Names of C++ and Rust functions as linkers write them, made readable.

Only what names a function is decoded: the nested name without template arguments and without
parameters. Anything else is left as it is.
"""

import re

_SIZE = re.compile(r"\d{1,4}")
_RUST_HASH = re.compile(r"h[0-9a-f]{16}")
_SPECIAL = re.compile(r"([CD])\d")


def readable(symbol: str) -> str:
    """Turn `_ZN2ui10FlingCurveC2Ev` into `ui::FlingCurve::FlingCurve`."""
    start = symbol.find("_Z")
    if start not in (0, 1):  # macOS puts another underscore in front
        return symbol
    nested = symbol.startswith("N", start + 2)
    parts = _parts(symbol, start + 3 if nested else start + 2, nested=nested)
    return "::".join(parts) if parts else symbol


def _parts(symbol: str, at: int, *, nested: bool) -> list[str]:
    parts: list[str] = []
    while at < len(symbol):
        at += len(symbol[at:]) - len(symbol[at:].lstrip("KVrL")) if symbol[at] in "KVrL" else 0
        if size := _SIZE.match(symbol, at):
            at = size.end() + int(size[0])
            name = symbol[size.end() : at]
            if not _RUST_HASH.fullmatch(name):
                parts.append("(anonymous namespace)" if name == "_GLOBAL__N_1" else name)
        elif parts and (special := _SPECIAL.match(symbol, at)):
            parts.append(("~" if special[1] == "D" else "") + parts[-1])
            at = special.end()
        elif parts and symbol[at] == "I":
            at = _after_arguments(symbol, at)
        else:
            break
        if not nested:
            break
    return parts


def _after_arguments(symbol: str, at: int) -> int:
    """Skip template arguments: what opens a list of its own is I, N, X, J, F; E closes one."""
    depth = 0
    while at < len(symbol):
        if size := _SIZE.match(symbol, at):
            at = size.end() + int(size[0])
            continue
        depth += (symbol[at] in "INXJF") - (symbol[at] == "E")
        at += 1
        if depth == 0:
            break
    return at
