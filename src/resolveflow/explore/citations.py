"""Checking what a diagnosis cites, by code alone."""

from collections.abc import Mapping, Sequence

from resolveflow.codebase.text import terms
from resolveflow.domain.diagnosis import Citation, Diagnosis
from resolveflow.domain.errors import RepositoryError
from resolveflow.domain.exploration import Passage, Tier
from resolveflow.explore.sources import is_telling, lines_of, words_of
from resolveflow.ports import Repository

TRUSTED_TIER: Tier = "maintainer"
LEAST_SHARED_TERMS = 3  # of four letters or more, between the report and a passage
SHORTEST_TERM = 4
LEAST_QUOTED_WORDS = 3  # of a passage
LONGEST_QUOTE = 8_000  # characters
MOST_LINES = 120  # that one citation may span: a quote "somewhere in this file" locates nothing


async def check_citations(
    diagnosis: Diagnosis,
    tree: Repository,
    passages: Sequence[Passage],
    floor: float | None,
    *,
    report: str,
) -> Diagnosis:
    """Set `ok` and `reason` of every citation, whatever they said before.

    A passage counts from `floor` on, the cosine calibrated for its embedder (None: nobody did),
    and only if it shares words with `report`. Raises RepositoryError where the tree is unreadable.
    """
    files = {entry.path for entry in await tree.entries() if entry.kind == "file"}
    retrieved = {passage.id: passage for passage in passages}
    checked = []
    for citation in diagnosis.citations:
        if citation.kind == "code":
            wrong = await _wrong_code(citation, tree, files)
            found: dict[str, object] = {"score": None}
        else:
            wrong = wrong_passage(citation, retrieved, floor, report)
            passage = retrieved.get(citation.id or "")
            found = {"score": passage.score if passage else None}
        answer = {"ok": wrong is None, "reason": wrong or _HOLDS[citation.kind]}
        checked.append(citation.model_copy(update=found | answer))
    return diagnosis.model_copy(update={"citations": tuple(checked)})


_HOLDS = {
    "code": "the quoted lines are at that place",
    "passage": "retrieved above the floor, about the same words, a maintainer's, verbatim",
}


def wrong_code(citation: Citation, lines: Sequence[str]) -> str | None:
    """What is wrong with a citation of a file of these lines, or None."""
    start, end = citation.start_line, citation.end_line
    if start is None or end is None or not 1 <= start <= end <= len(lines):
        return f"{citation.path} has no lines {start}-{end}: it has {len(lines)}"
    if end - start >= MOST_LINES:
        return f"{citation.path}:{start}-{end} spans more than {MOST_LINES} lines"
    if len(citation.quote) > LONGEST_QUOTE:
        return f"the quote of {citation.path}:{start} has more than {LONGEST_QUOTE} characters"
    if not is_telling(citation.quote) or _is_one_word(citation.quote, lines[start - 1 : end]):
        return f"the quote of {citation.path}:{start} is too trivial to locate anything"
    if not _holds(" ".join(lines[start - 1 : end]), citation.quote):
        return f"{citation.path}:{start}-{end} does not hold the quoted text"
    return None


def unresolved_passage(citation: Citation, retrieved: Mapping[str, Passage]) -> str | None:
    """What keeps a citation from being the words of a retrieved passage, or None."""
    passage = retrieved.get(citation.id or "")
    if passage is None:
        return f"no passage {(citation.id or '')[:80]!r} was retrieved"
    if len(citation.quote.split()) < LEAST_QUOTED_WORDS:
        return f"the quote of passage {passage.id} is too short"
    if citation.quote not in passage.text:
        return f"passage {passage.id} does not hold the quoted text"
    return None


def wrong_passage(
    citation: Citation, retrieved: Mapping[str, Passage], floor: float | None, report: str
) -> str | None:
    """What is wrong with a citation of a passage, or None."""
    unresolved = unresolved_passage(citation, retrieved)
    if unresolved:
        return unresolved
    passage = retrieved[citation.id or ""]
    if floor is None:
        return f"no floor is calibrated for the score of passage {passage.id}"
    if not passage.score >= floor:
        return f"passage {passage.id} scores {passage.score:.2f}, below the floor {floor:.2f}"
    if len(_long_terms(report) & _long_terms(passage.text)) < LEAST_SHARED_TERMS:
        return f"passage {passage.id} shares too few words with the report"
    if passage.tier != TRUSTED_TIER:
        return f"passage {passage.id} is not a maintainer's (its tier is {passage.tier})"
    return None


async def _wrong_code(citation: Citation, tree: Repository, files: set[str]) -> str | None:
    if not citation.path or citation.path not in files:
        return f"{citation.path} is no file of the tree at {tree.ref.short}"
    try:
        lines = lines_of(await tree.read(citation.path))
    except RepositoryError as error:
        return str(error)
    return wrong_code(citation, lines)


def _is_one_word(quote: str, lines: Sequence[str]) -> bool:
    """Whether the quote is a single name out of a longer line: that is in many places."""
    return len(words_of(quote)) < 2 and quote.strip() not in map(str.strip, lines)


def _holds(text: str, quote: str) -> bool:
    """Whether the text holds the quote, any whitespace as one space, not cut inside a word."""
    held, wanted = " ".join(text.split()), " ".join(quote.split())
    at = held.find(wanted)
    while at >= 0:
        before, after = held[at - 1 : at], held[at + len(wanted) : at + len(wanted) + 1]
        if not (_joins(before, wanted[0]) or _joins(wanted[-1], after)):
            return True
        at = held.find(wanted, at + 1)
    return False


def _joins(left: str, right: str) -> bool:
    """Whether the two characters are inside one word."""
    return all(ch.isalnum() or ch == "_" for ch in (left, right)) and bool(left and right)


def _long_terms(text: str) -> set[str]:
    return {term for term in terms(text) if len(term) >= SHORTEST_TERM}
