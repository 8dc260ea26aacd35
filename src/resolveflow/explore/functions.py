"""Definitions of a source text with their exact lines."""

from collections.abc import Sequence

from resolveflow.codebase.languages import language_of
from resolveflow.codebase.spans import spans_of
from resolveflow.domain.exploration import Symbol

LARGEST_TEXT = 1_000_000  # characters; what is longer is generated


def functions(path: str, lines: Sequence[str]) -> tuple[Symbol, ...]:
    """The functions and classes of a file, outer before inner, with 1-based inclusive lines."""
    language = language_of(path)
    if language is None or sum(map(len, lines)) > LARGEST_TEXT:
        return ()
    text = "\n".join(lines).encode("utf-8", "replace")
    return tuple(
        Symbol(name=span.name, start_line=span.start_line, end_line=span.end_line)
        for span in spans_of(text, language)
    )


def enclosing(symbols: Sequence[Symbol], line: int) -> Symbol | None:
    """The innermost of the symbols that holds the line."""
    holding = [symbol for symbol in symbols if symbol.start_line <= line <= symbol.end_line]
    return min(holding, key=lambda symbol: symbol.end_line - symbol.start_line, default=None)
