"""Untrusted text, made safe for a terminal: nothing in it acts, and nothing in it hides."""

import re

from resolveflow.intake.invisible import is_invisible

# Letters, marks and spaces that are drawn as nothing or pass for an ordinary space.
_BLANK = re.compile(
    "[\u00a0\u034f\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200a\u202f\u205f\u2800"
    "\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_LINK = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s<>()\[\]\"'`]+")


def visible(text: str) -> str:
    """Spell out every character that a reader could not see; line ends stay, tabs are widened."""
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    return "".join(_spelled(character) for character in text.expandtabs(4))


def _spelled(character: str) -> str:
    hidden = is_invisible(character) or _BLANK.match(character)
    return f"⟨U+{ord(character):04X}⟩" if hidden else character


def one_line(text: str, limit: int = 200) -> str:
    """The text as one visible line of at most `limit` characters."""
    line = visible(" ".join(text[: 4 * limit].split()))
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def links(text: str) -> tuple[str, ...]:
    """Every address in the text, in order and once."""
    return tuple(dict.fromkeys(_LINK.findall(text)))
