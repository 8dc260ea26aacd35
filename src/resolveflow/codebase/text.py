"""From texts to terms: identifiers and their parts, and a report as a weighted query."""

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

LONGEST_TEXT = 200_000  # characters of a report that are looked at
TITLE_WEIGHT = 3

_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*|[0-9]+[A-Za-z][A-Za-z0-9]*")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_IMAGE = re.compile(r"!\[[^\[\]\n]{0,300}\]\([^()\n]{0,600}\)|<img\b[^<>]{0,800}>")
_URL = re.compile(r"https?://[^\s)>\]\"'`]+")
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


def clean(text: str) -> str:
    """The text without what describes no code: template comments, images, addresses."""
    without = _COMMENT.sub(" ", text[:LONGEST_TEXT])
    return _URL.sub(" ", _IMAGE.sub(" ", without))


@dataclass(frozen=True)
class Query:
    """A report as the signals ask it: `raw` keeps the addresses that name files."""

    title: str
    body: str
    raw: str
    weights: Mapping[str, float]
    title_weights: Mapping[str, float]


def query(title: str, body: str) -> Query:
    """The terms of a report, the title's heavier; a first line stands in for an empty title."""
    raw = f"{title}\n{_COMMENT.sub(' ', body[:LONGEST_TEXT])}"
    cleaned = clean(body)
    heading = title.strip() or next((s for line in cleaned.split("\n") if (s := line.strip())), "")
    in_title = terms(heading[:300])
    counted = terms(cleaned)
    for term, count in in_title.items():
        counted[term] += TITLE_WEIGHT * count
    return Query(
        title=heading[:300],
        body=cleaned,
        raw=raw,
        weights={term: 1 + math.log(count) for term, count in counted.items()},
        title_weights={term: 1 + math.log(count) for term, count in in_title.items()},
    )


@lru_cache(maxsize=200_000)
def _spellings(identifier: str) -> tuple[str, ...]:
    whole = identifier.lower().strip("_$")
    split = parts(identifier)
    spelled = [whole, *(split if len(split) > 1 or split != [whole] else ())]
    return tuple(term for term in spelled if len(term) > 1 and term not in _STOPPED)
