"""Other people's text as Markdown that does nothing on GitHub.

A word is left plain only where it is made of characters without a meaning in Markdown and is
nothing that GitHub would link; every other word becomes a code span, in which mentions, issue
references, links and HTML are dead text. What is returned never starts a line by itself: callers
put their own words or line numbers before it, so that no bot reads a command there.
"""

import re
from typing import Final

from resolveflow.intake.invisible import is_invisible

_PLAIN: Final = frozenset(".,;:'\"()?!%/+-=")
_EDGES: Final = ".,;:'\"()?!"
_LINKED: Final = re.compile(r"://|www\.|mailto:|xmpp:|\bgh-\d|\b[0-9a-f]{7,40}\b", re.IGNORECASE)
_BLOCK_START: Final = re.compile(r"[-+=]+|\d{1,9}[.)]")
# Letters and marks that show nothing, beside the control and format characters.
_BLANK: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0") | {
    chr(code) for code in (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
}
_SECRET: Final = re.compile(
    r"gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}"
    r"|\bsk-[\w-]{16,}|\b[srp]k_(?:live|test)_\w{16,}|\bAIza[\w-]{30,}|\bhf_[A-Za-z0-9]{20,}"
    r"|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bxox[abeoprs]-[\w-]{10,}|\bnpm_[A-Za-z0-9]{30,}"
    r"|\bpypi-[\w-]{30,}|\beyJ[\w-]{10,2000}\.eyJ[\w-]{10,2000}\.[\w-]+"
    r"|-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?"
    r"|(?<=://)[^\s/@:]{1,100}:[^\s/@]{1,200}(?=@)"
)


def prose(text: str, *, limit: int = 2000) -> str:
    """Put text on one line of at most about `limit` characters that nothing in it can leave."""
    line = _line(text, limit)
    parts = line.split("`")
    if len(parts) % 2 == 0:  # a backtick without its partner
        parts = [" ".join(parts)]
    spans = (code_span(part) if i % 2 else _words(part) for i, part in enumerate(parts))
    joined = " ".join("".join(spans).split())
    first, space, rest = joined.partition(" ")
    return f"`{first}`{space}{rest}" if _BLOCK_START.fullmatch(first) else joined


def code_span(text: str, *, limit: int = 300) -> str:
    """Put text into a code span; an empty text gives none."""
    content = _line(text, limit).replace("`", "'")
    return f"`{content}`" if content else ""


def code_block(text: str, first_line: int, *, lines: int = 20, columns: int = 200) -> str:
    """Put numbered lines of a file into a fence that they cannot close."""
    source = redact(text).split("\n")
    shown = [_cut(_source_line(line.rstrip("\r")), columns) for line in source[:lines]]
    width = len(str(first_line + len(shown) - 1))
    rows = [f"{first_line + i:>{width}} | {line}".rstrip() for i, line in enumerate(shown)]
    if len(source) > lines:
        rows.append(f"{'':>{width}} | … {len(source) - lines} more lines")
    longest = max((len(run) for run in re.findall(r"`+", "\n".join(rows))), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([fence + "text", *rows, fence])


def redact(text: str) -> str:
    """Replace what has the form of a provider's key; line numbers stay as they are."""
    return _SECRET.sub(lambda match: "(redacted)" + "\n" * match[0].count("\n"), text)


def _line(text: str, limit: int) -> str:
    return _cut(" ".join(redact(_visible(text[: 10 * limit])).split()), limit)


def _words(text: str) -> str:
    lead, trail = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return lead + " ".join(_word(word) for word in text.split()) + trail if text.strip() else lead


def _word(word: str) -> str:
    if _is_plain(word):
        return word
    core = word.strip(_EDGES)
    start = word.index(core)
    return f"{word[:start]}`{core}`{word[start + len(core) :]}"


def _is_plain(word: str) -> bool:
    meaningless = all(c.isalnum() or c in _PLAIN or ord(c) > 127 for c in word)
    return meaningless and not _LINKED.search(word.strip(_EDGES))


def _is_visible(character: str) -> bool:
    return not is_invisible(character) and character not in _BLANK


def _visible(text: str) -> str:
    return "".join(c for c in text if _is_visible(c) or c.isspace())


def _source_line(line: str) -> str:
    """Show what is invisible in code by its code point, for it may be the cause."""
    visible = _visible(line)
    if redact(visible) != visible:
        return redact(visible)
    return "".join(c if _is_visible(c) else f"<U+{ord(c):04X}>" for c in line)


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"
