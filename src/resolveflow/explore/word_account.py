"""Accounts of a report without a usable trace: by its exact words, else by the ranking."""

import math
from collections.abc import Mapping, Sequence

from resolveflow.codebase.text import parts
from resolveflow.domain.exploration import Suspect, Symbol
from resolveflow.explore.account import Account
from resolveflow.explore.calls import calls_at
from resolveflow.explore.clues import Match
from resolveflow.explore.conclusion import Finding
from resolveflow.explore.sources import Source, is_telling, words_of
from resolveflow.explore.wording import CONTEXT, code, quoting, where

# A file leads clearly from this score on, and by this factor over the next one: at 1.4, 37 of 44
# leads of the development reports are right; at 1.5, 33 of 38; at 1.2, 47 of 63. The score alone
# tells little, and no clear lead there has less than this.
LEAST_SCORE = 0.3
LEAST_LEAD = 1.4
SHORTEST_WORD = 5  # characters of a word that makes a cited line the report's own


def from_match(match: Match, read: Sequence[Source]) -> Account:
    """Words of the report that are in one place of the searched files only."""
    source, line, function = match.source, match.line, match.function
    spot, text = where(source, line, function), code(match.clue.text)
    calls: tuple[Finding, ...] = ()
    if match.clue.kind == "message":
        cause = (
            f"The report's message {text} comes from {spot}. The line is "
            f"{code(source.line(line))}. What leads there is not shown by the report."
        )
        calls = tuple(call.finding for call in calls_at(source, line, read))
    else:
        last = function.end_line if function else line
        cause = (
            f"The report is about {text}, which is defined at {source.path}:{line}-{last}. "
            "What fails in it is not shown by the report."
        )
    claim = f"Of the files searched, only {source.path} has {text}, at line {line}."
    finding = Finding(claim=claim, supports=(quoting(source, line, context=CONTEXT),))
    return Account(match.clue.kind, cause, (finding, *calls), source, line)


def from_suspects(
    suspects: Sequence[Suspect], read: Mapping[str, Source], report: str
) -> Account | None:
    """The file that the report's words point to, if it has a line with them.

    A line that shares no word with the report would be real but not relevant: it is never cited.
    """
    if not suspects or suspects[0].path not in read:
        return None
    suspect, source = suspects[0], read[suspects[0].path]
    line = _first_told(source, suspect.symbols, report)
    if line is None:
        return None
    reasons = "; ".join(suspect.reasons[:3])
    why = f" ({reasons})" if reasons else ""
    claim = f"The report's words point to {source.path} more than to any other file{why}."
    spot = where(source, line, source.function_at(line))
    cause = f"{claim} Its lines most like the report begin at {spot}; none is shown to fail."
    finding = Finding(claim=claim, supports=(quoting(source, line),))
    score, factor = lead_of(suspects)
    clear = score >= LEAST_SCORE and factor >= LEAST_LEAD
    return Account("lead", cause, (finding,), source, line, clear=clear)


def lead_of(suspects: Sequence[Suspect]) -> tuple[float, float]:
    """The first suspect's score, and its factor over the second's."""
    first, *others = (suspect.score for suspect in suspects[:2])
    return first, first / others[0] if others and others[0] > 0 else math.inf


def _first_told(source: Source, symbols: Sequence[Symbol], report: str) -> int | None:
    """The first telling line of the best region, else of the file, with a word of the report."""
    told = {word for word in _lower_parts(report) if len(word) >= SHORTEST_WORD}
    regions = [range(it.start_line, it.end_line + 1) for it in symbols[:1]]
    for numbers in (*regions, range(1, len(source.lines) + 1)):
        for number in numbers:
            if number > len(source.lines) or not is_telling(source.line(number)):
                continue
            if not told.isdisjoint(_lower_parts(source.line(number))):
                return number
    return None


def _lower_parts(text: str) -> set[str]:
    return {part.lower() for word in words_of(text) for part in (word, *parts(word))}
