"""Where a suspect holds, word for word, what a report quotes."""

import re
from collections.abc import Iterator, Mapping

from resolveflow.codebase.text import LONGEST_TEXT
from resolveflow.domain.exploration import Localization, Suspect

MOST_QUOTES = 40
QUOTES_SHOWN = 2
MOST_LINES = 3  # a quote that more lines of one file hold points at none of them

_QUOTED = re.compile(r"`([^`\n]{4,200})`|\"([^\"\n]{4,200})\"|'([^'\n]{4,200})'|\w: ([^\n]{8,200})")
_TELLING = re.compile(r"\w\W+\w|\w[A-Z_]\w")


def quotes(text: str) -> list[str]:
    """What the text puts in quotes or after a colon, if it is more than one plain word."""
    found = (match[match.lastindex or 0].strip() for match in _QUOTED.finditer(text[:LONGEST_TEXT]))
    telling = (quote for quote in found if len(quote) >= 4 and _TELLING.search(quote))
    return list(dict.fromkeys(telling))[:MOST_QUOTES]


def with_quotes(found: Localization, report: str, texts: Mapping[str, str]) -> Localization:
    """The same suspects; those whose text holds a quote say where."""
    asked = quotes(report)
    return found.model_copy(
        update={
            "suspects": tuple(
                _quoting(suspect, asked, texts.get(suspect.path, "")) for suspect in found.suspects
            )
        }
    )


def _quoting(suspect: Suspect, asked: list[str], text: str) -> Suspect:
    hits = list(_hits(asked, text))[:QUOTES_SHOWN]
    if not hits:
        return suspect
    said = tuple(f"line {line} has the report's {quote!r}" for quote, line in hits)
    return suspect.model_copy(update={"reasons": said + suspect.reasons})


def _hits(asked: list[str], text: str) -> Iterator[tuple[str, int]]:
    for quote in asked:
        at = text.find(quote)
        if at >= 0 and text.count(quote) <= MOST_LINES:
            yield quote, text.count("\n", 0, at) + 1
