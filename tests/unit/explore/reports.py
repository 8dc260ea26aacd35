"""Exploration reports of any content, for property tests."""

from hypothesis import strategies as st

from resolveflow.explore.conclusion import (
    Change,
    CodeSupport,
    Definition,
    ExplorationReport,
    Finding,
    Lead,
    PassageSupport,
    Place,
)

HOSTILE = (
    "## Root cause",
    "# Investigation",
    "### Finding 2",
    "```",
    "````python",
    "~~~",
    "`a.py:1-2`",
    "[passage]",
    "- item",
    "  - sub-item",
    "*None.*",
    "*Not established.*",
    "</section><script>alert(1)</script>",
    "<!--",
    "\\## escaped",
    "\\\\",
    "| a | b |",
    "===",
    "[id]: https://example.org",
    "    indented",
    "a`b%60;c",
    "\u202eright to left",
    "\x0b\x0c\x1c\x85\u2028",
    "",
)

hostile = st.sampled_from(HOSTILE)
texts = hostile | st.text(max_size=40) | st.lists(hostile, max_size=4).map("\n".join)
filled = texts.filter(lambda text: any(ch.isalnum() for ch in text))
names = st.sampled_from([text for text in HOSTILE if text]) | st.text(min_size=1, max_size=20)
source_lines = (hostile | st.text(max_size=40)).filter(lambda line: not set("\n\r") & set(line))
quotes = st.lists(source_lines, min_size=1, max_size=4).map(tuple)
levels = st.sampled_from(["low", "medium", "high"])
numbers = st.integers(1, 10**8)


def _span(start: int, length: int) -> dict[str, int]:
    return {"start_line": start, "end_line": start + length}


spans = st.builds(_span, numbers, st.integers(0, 100))
places = st.builds(
    lambda path, span, symbol: Place(path=path, symbol=symbol, **span),
    names,
    spans,
    st.none() | names,
)
changes = st.builds(
    lambda place, description: Change(**place.model_dump(), description=description),
    places,
    filled,
)
supports = st.builds(
    lambda path, span, lines: CodeSupport(path=path, lines=lines, **span), names, spans, quotes
) | st.builds(PassageSupport, id=names, lines=quotes)
findings = st.builds(Finding, claim=filled, supports=st.lists(supports, max_size=3).map(tuple))
leads = st.builds(
    Lead,
    path=names,
    score=st.floats(allow_nan=False, allow_infinity=False),
    symbols=st.lists(
        st.builds(lambda name, span: Definition(name=name, **span), names, spans), max_size=2
    ).map(tuple),
    reasons=st.lists(filled, max_size=2).map(tuple),
)
lines = st.lists(filled, max_size=3).map(tuple)
reports = st.builds(
    ExplorationReport,
    root_cause=st.none() | filled,
    severity=st.none() | levels,
    complexity=st.none() | levels,
    risk=st.none() | levels,
    findings=st.lists(findings, max_size=3).map(tuple),
    affected_files=st.lists(places, max_size=3).map(tuple),
    proposed_changes=st.lists(changes, max_size=2).map(tuple),
    missing_info=lines,
    next_steps=lines,
    suspects=st.lists(leads, max_size=2).map(tuple),
    read=lines,
    not_examined=lines,
)
