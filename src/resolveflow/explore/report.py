"""The one grammar in which every explorer writes its report, and every reader reads it.

A report is Markdown of these second-level sections, each exactly once, in any order:

    ## Root cause           prose, or `*Not established.*`
    ## Assessment           `- severity: LEVEL`, `- complexity: LEVEL`, `- risk: LEVEL`
    ## Findings             each: `### Finding N`, prose, any number of supports
    ## Affected files       items `PLACE`
    ## Proposed changes     items `PLACE: LINE`
    ## Missing information  items `LINE`
    ## Next steps           items `LINE`
    ## Suspects             items `` `PATH` (score NUMBER) ``, below each, indented by two spaces,
                            items `` `NAME:START-END` `` and items `LINE` (the reasons)
    ## Read                 items `LINE`
    ## Not examined         items `LINE`

LEVEL is low, medium, high or unknown. PLACE is `` `PATH:START-END` (`SYMBOL`) ``: 1-based lines,
inclusive, one number means one line, the symbol may be left out. A support is a line
`` `PATH:START-END` `` or `[PASSAGE]`, then a fenced block of the lines it quotes, verbatim; the
fence is longer than any run of backticks inside. An item starts with `- ` and is one line; an
empty list is `*None.*`. What stands before the first section is not read.

In prose and items, whitespace and control characters become single spaces, and a line whose start
would mean something else (heading, fence, list, HTML, reference) has a backslash before it. In
code spans a backtick, percent sign or control character is written `%XX;`, in passage ids a
bracket too. So no quoted source line and no reporter's word can open, close or forge a section.
"""

import re
from collections.abc import Iterable

from resolveflow.domain.diagnosis import AffectedFile
from resolveflow.explore.conclusion import CodeSupport, ExplorationReport, Finding, Lead
from resolveflow.explore.markdown import code, escape, fence, passage_id

NOT_ESTABLISHED = "*Not established.*"
NONE = "*None.*"
LEVELS = ("severity", "complexity", "risk")


def render(report: ExplorationReport) -> str:
    """Write the report as Markdown that `report_reading.parse` reads back as the same value."""
    cause = NOT_ESTABLISHED if report.root_cause is None else escape(report.root_cause)
    levels = (report.severity, report.complexity, report.risk)
    bodies = {
        "Root cause": cause,
        "Assessment": _items(
            f"{name}: {level or 'unknown'}" for name, level in zip(LEVELS, levels, strict=True)
        ),
        "Findings": "\n\n".join(
            _render_finding(number, finding) for number, finding in enumerate(report.findings, 1)
        ),
        "Affected files": _items(_render_place(place) for place in report.affected_files),
        "Proposed changes": _items(
            f"{_render_place(change)}: {change.description}" for change in report.proposed_changes
        ),
        "Missing information": _items(map(escape, report.missing_info)),
        "Next steps": _items(map(escape, report.next_steps)),
        "Suspects": _items(_render_lead(lead) for lead in report.suspects),
        "Read": _items(map(escape, report.read)),
        "Not examined": _items(map(escape, report.not_examined)),
    }
    written = [f"## {heading}\n\n{body or NONE}" for heading, body in bodies.items()]
    return "\n\n".join(["# Investigation", *written]) + "\n"


def _items(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _render_place(place: AffectedFile) -> str:
    span = code(f"{place.path}:{place.start_line}-{place.end_line}")
    return f"{span} ({code(place.symbol)})" if place.symbol else span


def _render_finding(number: int, finding: Finding) -> str:
    parts = [f"### Finding {number}", escape(finding.claim)]
    for support in finding.supports:
        if isinstance(support, CodeSupport):
            suffix = support.path.rpartition(".")[2]
            info = suffix if re.fullmatch(r"[A-Za-z0-9]{1,8}", suffix) else ""
            parts += [_render_place(support), fence(support.lines, info)]
        else:
            parts += [passage_id(support.id), fence(support.lines)]
    return "\n\n".join(parts)


def _render_lead(lead: Lead) -> str:
    below = [code(f"{s.name}:{s.start_line}-{s.end_line}") for s in lead.symbols]
    below += map(escape, lead.reasons)
    head = f"{code(lead.path)} (score {lead.score!r})"
    return "\n".join([head, *(f"  - {line}" for line in below)])
