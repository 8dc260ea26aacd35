"""From texts to terms: identifiers and their parts, and a report as a weighted query."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from heapq import nlargest

LONGEST_TEXT = 200_000  # characters of a report that are looked at
LONGEST_TITLE = 300
MOST_TERMS = 1_000  # of a report, the heaviest; a log pasted whole has any number
TITLE_WEIGHT = 3
CODE_WEIGHT = 0.5  # of code in the report, most of which is the reporter's own

_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*|[0-9]+[A-Za-z][A-Za-z0-9]*")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_IMAGE = re.compile(r"!\[[^\[\]\n]{0,300}\]\([^()\n]{0,600}\)|<img\b[^<>]{0,800}>")
_URL = re.compile(r"https?://[^\s)>\]\"'`]+")
_HEADING = re.compile(
    r"#{1,6}\s|\*\*[^*]{1,100}\*\*:?$|__[^_]{1,100}__:?$"
    r"|[A-Z][^.`\"]{5,90}\?(?: [A-Z][^.`\"]{5,90}\.)?$"
)
_ENVIRONMENT = re.compile(
    r"environment|version|operating system|\bos\b|checklist|tasks|before (?:submitting|you)"
    r"|configuration|dependencies|system info|additional (?:context|information)|related issues"
    r"|screenshots?|link to|installed",
    re.IGNORECASE,
)
_VERSION = re.compile(r"[\w. -]{2,30}: ?[*_]{0,3} ?v?\d[\w.+-]{0,30}")
_CHECKBOXES = ("- [ ]", "- [x]", "- [X]")
_LONGEST_HEADING = 200
_LONGEST_IDENTIFIER = 80
_STOP_WORDS = (
    "a about after all also an and any are as at be been before but by can could did do does down"
    " each for from had has have he here how i if in into is it its just may might more most my no"
    " not of on only or other our out over same she should so some such than that the then there"
    " they this to up was we were what when where which who why will with would you your"
)
_STOPPED = frozenset(_STOP_WORDS.split())


def terms(text: str) -> Counter[str]:
    """How often each term occurs: identifiers and their camelCase and snake_case parts."""
    counted: Counter[str] = Counter()
    for identifier, count in Counter(_IDENTIFIER.findall(text)).items():
        for term in _spellings(identifier[:_LONGEST_IDENTIFIER]):
            counted[term] += count
    return counted


def spellings(run: str) -> tuple[str, ...]:
    """The terms of a run of letters, digits, `_` and `$`, as often as it has them."""
    if run.isascii() and not run[0].isdigit():
        return _spellings(run[:_LONGEST_IDENTIFIER])
    return tuple(terms(run).elements())


def words(text: str) -> list[str]:
    """The parts of every identifier, lower case, in order."""
    return [
        part.lower()
        for identifier in _IDENTIFIER.findall(text)
        for part in _PART.findall(identifier)
    ]


def parts(identifier: str) -> list[str]:
    """`parseHTMLFile` as `parse`, `html`, `file`."""
    return [part.lower() for part in _PART.findall(identifier)]


@dataclass(frozen=True)
class Query:
    """A report as the signals ask it: `raw` keeps the addresses that name files."""

    title: str
    body: str
    raw: str
    weights: Mapping[str, float]
    title_weights: Mapping[str, float]


def query(title: str, body: str) -> Query:
    """The terms of a report, the title's heavier; a first sentence stands in for an empty title."""
    shown = _COMMENT.sub(" ", body[:LONGEST_TEXT])
    lines = list(_weighed_lines(_URL.sub(" ", _IMAGE.sub(" ", shown))))
    heading = title.strip()[:LONGEST_TITLE] or _first_sentence(lines)
    in_title = terms(heading)
    counted: defaultdict[str, float] = defaultdict(float)
    for term, count in in_title.items():
        counted[term] = float(TITLE_WEIGHT * count)
    for weight in {weight for _, weight in lines if weight > 0}:
        for term, count in terms("\n".join(s for s, w in lines if w == weight)).items():
            counted[term] += weight * count
    return Query(
        title=heading,
        body="\n".join(line for line, weight in lines if weight > 0),
        raw=f"{title}\n{shown}",
        weights={term: _damped(count) for term, count in _heaviest(counted)},
        title_weights={term: _damped(count) for term, count in in_title.items()},
    )


def _heaviest(counted: Mapping[str, float]) -> list[tuple[str, float]]:
    """The terms with their counts, in order of mention where there are not too many."""
    if len(counted) <= MOST_TERMS:
        return list(counted.items())
    return nlargest(MOST_TERMS, counted.items(), key=lambda item: item[1])


def _damped(count: float) -> float:
    return 1 + math.log(count) if count >= 1 else count


def _first_sentence(lines: list[tuple[str, float]]) -> str:
    said = (line.strip() for line, weight in lines if weight == 1 and len(line.split()) >= 4)
    return next(said, "")[:LONGEST_TITLE]


def _weighed_lines(text: str) -> Iterator[tuple[str, float]]:
    """Every line and how much it says: nothing in a template's headings and about versions."""
    in_code = False
    section = 1.0
    for line in text.split("\n"):
        bare = line.strip()
        if bare.startswith(("```", "~~~")):
            in_code = not in_code
        elif in_code:
            yield line, CODE_WEIGHT * section
        elif len(bare) <= _LONGEST_HEADING and _HEADING.match(bare):
            section = 0.0 if _ENVIRONMENT.search(bare) else 1.0
        elif not bare.startswith(_CHECKBOXES) and not _VERSION.fullmatch(bare.lstrip("-*_ ")):
            yield line, section


@lru_cache(maxsize=10_000)
def _spellings(identifier: str) -> tuple[str, ...]:
    whole = identifier.lower().strip("_$")
    split = parts(identifier)
    spelled = [whole, *(split if len(split) > 1 or split != [whole] else ())]
    return tuple(term for term in spelled if len(term) > 1 and term not in _STOPPED)
