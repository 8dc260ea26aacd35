"""An oracle for comments: what would come alive if GitHub rendered this text?"""

import re
import unicodedata

from markdown_it import MarkdownIt

BLOCKS = {"paragraph", "bullet_list", "list_item"}
INLINES = {"softbreak", "strong_open", "strong_close", "em_open", "em_close"}
LIVE_TEXT = {
    "mention": re.compile(r"@[A-Za-z0-9]"),
    "reference": re.compile(r"#\d|\bGH-\d", re.IGNORECASE),
    "link": re.compile(r"://|www\.\S|mailto:|xmpp:", re.IGNORECASE),
    "commit": re.compile(r"\b[0-9a-f]{7,40}\b", re.IGNORECASE),
    "entity": re.compile(r"&#?\w+;"),
}
COMMAND = re.compile(r"^\s*(?:/\w|@\w|bors\b|!\w)", re.MULTILINE)
BLANK = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufe0f"


def live_parts(comment: str, marker: str) -> list[str]:
    """Name everything in `comment` that is more than words, lists, code and its own marker."""
    found = [f"invisible U+{ord(c):04X}" for c in comment if _is_invisible(c)]
    found += [f"command {match[0]!r}" for match in COMMAND.finditer(comment)]
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(comment):
        if token.type == "html_block":
            if token.content.strip() != marker:
                found.append(f"html {token.content!r}")
        elif token.type == "inline":
            for child in token.children or ():
                found += _live_inline(child.type, child.content)
        elif token.type != "fence" and token.type.rsplit("_", 1)[0] not in BLOCKS:
            found.append(f"block {token.type}")
    return found


def _live_inline(kind: str, content: str) -> list[str]:
    if kind == "text":
        return [f"{name} in {content!r}" for name, p in LIVE_TEXT.items() if p.search(content)]
    return [] if kind == "code_inline" or kind in INLINES else [f"inline {kind}"]


def _is_invisible(character: str) -> bool:
    if character in "\n\t":
        return False
    return character in BLANK or unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
