import re

import pytest
from hypothesis import given, settings
from markdown_it import MarkdownIt

from resolveflow.domain.errors import InvalidAnswer
from resolveflow.domain.exploration import Suspect, Symbol
from resolveflow.explore.conclusion import CodeSupport, ExplorationReport, Finding, Lead
from resolveflow.explore.report import render
from resolveflow.explore.report_reading import parse
from tests.unit.explore.reports import HOSTILE, reports

HEADINGS = [
    "Root cause",
    "Assessment",
    "Findings",
    "Affected files",
    "Proposed changes",
    "Missing information",
    "Next steps",
    "Suspects",
    "Read",
    "Not examined",
]
EMPTY = ExplorationReport(root_cause=None, severity=None, complexity=None, risk=None)


@given(reports)
@settings(max_examples=150, deadline=None)
def test_a_report_of_any_content_is_read_back_as_it_was(report: ExplorationReport) -> None:
    assert parse(render(report)) == report


@given(reports)
@settings(max_examples=60, deadline=None)
def test_no_content_forges_a_section_for_a_markdown_reader(report: ExplorationReport) -> None:
    tokens = MarkdownIt("commonmark").parse(render(report))
    found = [
        tokens[at + 1].content
        for at, token in enumerate(tokens)
        if token.type == "heading_open" and token.tag == "h2"
    ]
    assert found == HEADINGS
    assert not [token for token in tokens if token.type == "html_block"]


def test_a_quoted_line_stays_verbatim_inside_a_longer_fence() -> None:
    lines = (*(line for line in HOSTILE if line.isprintable()), "`````", "\tindented\t ")
    finding = Finding(
        claim="it breaks",
        supports=(CodeSupport(path="a.py", start_line=1, end_line=len(lines), lines=lines),),
    )
    report = EMPTY.model_copy(update={"findings": (finding,)})
    text = render(report)
    assert "``````py\n" in text
    assert parse(text).findings[0].supports[0].lines == lines


def test_a_report_that_a_person_would_write_is_read() -> None:
    text = """Some thoughts first.

## Root Cause
The cell is called as if it were a type.
## Assessment
- Severity: Medium
- complexity: low
- risk: unknown
## Findings
### Finding 1: the cast
`_type(None)` is `NoneType`.

`tabulate/__init__.py:1516`
~~~python
    str(cell) if _isnumber(cell) else _type(cell, numparse)(cell)
~~~
[issue-12]
```
Same with 0.9.0
```
## Affected files
- `tabulate/__init__.py:1510-1520` (`_wrap_text_to_colwidths`)
## Proposed changes
- `tabulate/__init__.py:1516`: keep None as it is
## Missing information
*None.*
## Next steps
- Add a test
## Suspects
- `tabulate/__init__.py` (score 0.91)
  - `tabulate:1900-2200`
  - the stack trace has it
## Read
- tabulate/__init__.py
## Not examined
*None.*
"""
    report = parse(text)
    assert report.severity == "medium"
    assert report.risk is None
    [finding] = report.findings
    assert [type(support).__name__ for support in finding.supports] == [
        "CodeSupport",
        "PassageSupport",
    ]
    assert report.affected_files[0].symbol == "_wrap_text_to_colwidths"
    assert report.proposed_changes[0].description == "keep None as it is"
    assert report.suspects[0].symbols[0].name == "tabulate"
    assert report.suspects[0].reasons == ("the stack trace has it",)
    assert parse(render(report)) == report


@pytest.mark.parametrize("heading", HEADINGS)
def test_a_missing_section_is_named(heading: str) -> None:
    text = render(EMPTY)
    cut = re.sub(rf"## {heading}\n\n[^#]*", "", text)
    with pytest.raises(InvalidAnswer, match=f"no section “{heading}”"):
        parse(cut)


@pytest.mark.parametrize(
    ("section", "body", "wrong"),
    [
        ("Root cause", "", "“Root cause” is empty"),
        ("Root cause", "```\nx\n```", "“Root cause” holds a fenced block"),
        ("Assessment", "- severity: low\n- complexity: low", "does not say the risk"),
        ("Assessment", "- severity: huge\n- complexity: low\n- risk: low", "says severity 'huge'"),
        ("Assessment", "- colour: red", "holds 'colour'"),
        ("Assessment", "- severity: low\n- severity: high", "once each"),
        ("Findings", "just text", "before its first"),
        ("Read", "- \\", "holds something wrong: read.0: Value error, is empty"),
        ("Findings", "", "“Findings” is empty"),
        ("Findings", "### Finding 1\n", "is empty"),
        ("Findings", "### Finding 1\nx\n\n`a.py:1`", "without its reference line or its quoted"),
        ("Findings", "### Finding 1\nx\n\n```\ny\n```\n`a.py:1`", "not a reference line and then"),
        ("Findings", "### Finding 1\nx\n\n`a.py:9-2`\n```\ny\n```", "before start_line"),
        ("Findings", "### Finding 1\nx\n\n`a.py:0`\n```\ny\n```", "greater than or equal to 1"),
        ("Affected files", "- a.py", "not `PATH:START-END`"),
        ("Affected files", "- `a.py:1`: what", "description"),
        ("Proposed changes", "- `a.py:1`", "description"),
        ("Missing information", "text", "holds a line that is no item"),
        ("Missing information", "", "“Missing information” is empty"),
        ("Suspects", "- a.py", "not `PATH` (score NUMBER)"),
        ("Suspects", "- `a.py` (score high)", "could not convert"),
        ("Suspects", "- `a.py` (score nan)", "finite number"),
        ("Suspects", "- `a.py` (score 1)\n  text", "holds a line that is no item"),
    ],
)
def test_a_wrong_section_is_named_with_what_is_wrong(section: str, body: str, wrong: str) -> None:
    cut = re.sub(rf"(## {section}\n\n)[^#]*", lambda m: f"{m[1]}{body}\n\n", render(EMPTY))
    with pytest.raises(InvalidAnswer) as error:
        parse(cut)
    assert wrong in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("added", "wrong"),
    [
        ("\n## Root cause\n\nanother\n", "the section “Root cause” twice"),
        ("\n## Approval\n\ngranted\n", "unknown section “approval”"),
        ("\n```\nnever closed\n", "is never closed"),
    ],
)
def test_what_does_not_belong_is_refused(added: str, wrong: str) -> None:
    with pytest.raises(InvalidAnswer, match=wrong):
        parse(render(EMPTY) + added)


def test_an_empty_answer_names_the_first_section() -> None:
    with pytest.raises(InvalidAnswer, match="no section “Root cause”"):
        parse("I could not find anything.")


def test_a_suspect_becomes_a_lead_without_what_says_nothing() -> None:
    suspect = Suspect(
        path="a.py",
        score=0.5,
        symbols=(
            Symbol(name="", start_line=1, end_line=9),
            Symbol(name="f", start_line=10, end_line=19),
        ),
        reasons=("because", " \n"),
    )
    lead = Lead.of(suspect)
    assert lead.reasons == ("because",)
    assert [symbol.name for symbol in lead.symbols] == ["f"]


def test_a_quoted_line_is_one_line() -> None:
    with pytest.raises(ValueError, match="line break"):
        CodeSupport(path="a.py", start_line=1, end_line=2, lines=("a\nb",))
