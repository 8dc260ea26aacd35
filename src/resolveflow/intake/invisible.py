"""Characters that a reader cannot see, and text whose order they change."""

import unicodedata

_SHOWN = frozenset("\n\t")


def is_invisible(character: str) -> bool:
    """Whether a character shows nothing or reorders its neighbours (controls, format, unused)."""
    return character not in _SHOWN and unicodedata.category(character) in {
        "Cc",
        "Cf",
        "Cs",
        "Co",
        "Cn",
        "Zl",
        "Zp",
    }


def visible(text: str) -> str:
    """Write every invisible character as its code point, such as ⟨U+202E⟩."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(f"⟨U+{ord(it):04X}⟩" if is_invisible(it) else it for it in text)
