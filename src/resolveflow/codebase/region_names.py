"""Names a suspect's regions after the definitions that they hold."""

from collections.abc import Mapping
from functools import lru_cache

from resolveflow.codebase.languages import language_of
from resolveflow.codebase.spans import Span, spans_of
from resolveflow.domain.exploration import Localization, Suspect, Symbol

MOST_NAMES = 3
_TEXTS = 64  # whose definitions are remembered: the same files are shown again and again


def with_names(found: Localization, texts: Mapping[str, str]) -> Localization:
    """The same suspects; a region has the names that begin in it, else the one that it is in."""
    named = (_named(one, texts[one.path]) if one.path in texts else one for one in found.suspects)
    return found.model_copy(update={"suspects": tuple(named)})


def _named(suspect: Suspect, text: str) -> Suspect:
    spans = _spans(language_of(suspect.path) or "", text)
    symbols = (
        one.model_copy(update={"name": _name(one, spans) or one.name}) for one in suspect.symbols
    )
    return suspect.model_copy(update={"symbols": tuple(symbols)})


def _name(region: Symbol, spans: tuple[Span, ...]) -> str:
    begun = [one.name for one in spans if region.start_line <= one.start_line <= region.end_line]
    if begun:
        return ", ".join(begun[:MOST_NAMES]) + (", …" if len(begun) > MOST_NAMES else "")
    around = [one for one in spans if one.start_line < region.start_line <= one.end_line]
    return around[-1].name if around else ""


@lru_cache(_TEXTS)
def _spans(language: str, text: str) -> tuple[Span, ...]:
    return spans_of(text.encode("utf-8", "replace"), language)
