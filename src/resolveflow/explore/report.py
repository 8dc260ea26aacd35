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
from collections.abc import Callable, Iterable, Sequence

from pydantic import ValidationError

from resolveflow.domain.diagnosis import AffectedFile
from resolveflow.domain.errors import InvalidAnswer
from resolveflow.explore import markdown
from resolveflow.explore.conclusion import (
    Change,
    CodeSupport,
    Definition,
    ExplorationReport,
    Finding,
    Lead,
    PassageSupport,
    Place,
    Support,
)
from resolveflow.explore.markdown import (
    Block,
    Fenced,
    code,
    decode,
    escape,
    fence,
    passage_id,
    unescape,
)

NOT_ESTABLISHED = "*Not established.*"
NONE = "*None.*"
_LEVELS = ("severity", "complexity", "risk")

_PLACE = re.compile(r"`([^`]+):(\d{1,9})(?:-(\d{1,9}))?`(?: \(`([^`]+)`\))?(?:: (.+))?")
_REFERENCE = re.compile(r"`([^`]+):(\d{1,9})(?:-(\d{1,9}))?`")
_PASSAGE = re.compile(r"\[([^\[\]]+)\]")
_SCORED = re.compile(r"`([^`]+)` \(score (\S{1,40})\)")
_FINDING = re.compile(r"### \S.*")


def render(report: ExplorationReport) -> str:
    """Write the report as Markdown that `parse` reads back as the same value."""
    cause = NOT_ESTABLISHED if report.root_cause is None else escape(report.root_cause)
    levels = (report.severity, report.complexity, report.risk)
    bodies = {
        "Root cause": cause,
        "Assessment": _items(
            f"{name}: {level or 'unknown'}" for name, level in zip(_LEVELS, levels, strict=True)
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


def parse(text: str) -> ExplorationReport:
    """Read a report; the value holds only what the text says, nothing by default.

    Raises: InvalidAnswer with the section and what is wrong with it.
    """
    found = markdown.sections(text)
    for heading in _SECTIONS:
        if heading.lower() not in found:
            raise InvalidAnswer(f"The report has no section “{heading}”: add `## {heading}`")
    unknown = found.keys() - {heading.lower() for heading in _SECTIONS}
    if unknown:
        raise InvalidAnswer(f"The report has an unknown section “{min(unknown)[:80]}”: remove it")
    fields: dict[str, object] = {}
    for heading, (field, read) in _SECTIONS.items():
        try:
            value = read(found[heading.lower()])
        except ValueError as error:
            raise InvalidAnswer(f"The report's section “{heading}” {_sentence(error)}") from error
        fields |= value if isinstance(value, dict) else {field: value}
    return _checked(fields)


def _checked(fields: dict[str, object]) -> ExplorationReport:
    try:
        return ExplorationReport.model_validate(fields)
    except ValidationError as error:
        raise InvalidAnswer(f"The report {_sentence(error)}") from error


def _sentence(error: ValueError) -> str:
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "a place"
        return f"holds something wrong: {where}: {first['msg']}"
    return str(error)


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


def _text(blocks: Sequence[Block]) -> str:
    if any(isinstance(block, Fenced) for block in blocks):
        raise ValueError("holds a fenced block where prose belongs")
    return "\n".join(block for block in blocks if isinstance(block, str)).strip("\n")


def _read_prose(blocks: Sequence[Block]) -> str:
    return unescape(_text(blocks))


def _read_root_cause(blocks: Sequence[Block]) -> str | None:
    text = _text(blocks)
    if not text.strip():
        raise ValueError(f"is empty: state the cause or write {NOT_ESTABLISHED}")
    return None if text == NOT_ESTABLISHED else unescape(text)


def _raw_items(blocks: Sequence[Block]) -> list[str]:
    """The items of a list with their sub-items as further lines; every item is one line."""
    text = _text(blocks)
    if text == NONE:
        return []
    items: list[str] = []
    for line in filter(None, text.split("\n")):
        if line.startswith("- "):
            items.append(line[2:])
        elif line.startswith("  ") and items:
            items[-1] += "\n" + line[2:]
        else:
            raise ValueError(f"holds a line that is no item: {line[:80]!r}")
    if not items:
        raise ValueError(f"is empty: list items or write {NONE}")
    return items


def _read_lines(blocks: Sequence[Block]) -> tuple[str, ...]:
    return tuple(unescape(item) for item in _raw_items(blocks))


def _read_levels(blocks: Sequence[Block]) -> dict[str, object]:
    found: dict[str, object] = {}
    for item in _raw_items(blocks):
        name, _, level = item.partition(":")
        name, level = name.strip().lower(), level.strip().lower()
        if name not in _LEVELS or name in found:
            raise ValueError(f"holds {name[:40]!r}: it takes {', '.join(_LEVELS)} once each")
        if level not in ("low", "medium", "high", "unknown"):
            raise ValueError(f"says {name} {level[:40]!r}: it is low, medium, high or unknown")
        found[name] = None if level == "unknown" else level
    for name in _LEVELS:
        if name not in found:
            raise ValueError(f"does not say the {name}")
    return found


def _read_place(item: str) -> dict[str, object]:
    match = _PLACE.fullmatch(item)
    if match is None:
        raise ValueError(f"holds {item[:80]!r}, which is not `PATH:START-END`")
    path, start, end, symbol, description = match.groups()
    place: dict[str, object] = {
        "path": decode(path),
        "start_line": int(start),
        "end_line": int(end or start),
        "symbol": None if symbol is None else decode(symbol),
    }
    return place if description is None else place | {"description": description}


def _read_places(blocks: Sequence[Block]) -> tuple[Place, ...]:
    return tuple(Place.model_validate(_read_place(item)) for item in _raw_items(blocks))


def _read_changes(blocks: Sequence[Block]) -> tuple[Change, ...]:
    return tuple(Change.model_validate(_read_place(item)) for item in _raw_items(blocks))


def _read_findings(blocks: Sequence[Block]) -> tuple[Finding, ...]:
    if [block for block in blocks if block] == [NONE]:
        return ()
    groups: list[list[Block]] = []
    for block in blocks:
        if isinstance(block, str) and _FINDING.fullmatch(block):
            groups.append([])
        elif groups:
            groups[-1].append(block)
        elif block:
            raise ValueError("has text before its first `### Finding N`")
    if not groups:
        raise ValueError(f"is empty: add `### Finding 1` or write {NONE}")
    return tuple(_read_finding(group) for group in groups)


def _read_finding(blocks: Sequence[Block]) -> Finding:
    start = next(
        (at for at, block in enumerate(blocks) if isinstance(block, Fenced) or _is_ref(block)),
        len(blocks),
    )
    rest = [block for block in blocks[start:] if block]
    if len(rest) % 2:
        raise ValueError("has a support without its reference line or its quoted lines")
    supports = tuple(
        _read_support(reference, quoted)
        for reference, quoted in zip(rest[::2], rest[1::2], strict=True)
    )
    return Finding(claim=_read_prose(blocks[:start]), supports=supports)


def _is_ref(block: str) -> bool:
    return bool(_REFERENCE.fullmatch(block) or _PASSAGE.fullmatch(block))


def _read_support(reference: Block, quoted: Block) -> Support:
    if not isinstance(reference, str) or not isinstance(quoted, Fenced):
        raise ValueError("has a support that is not a reference line and then a fenced quote")
    passage = _PASSAGE.fullmatch(reference)
    if passage:
        return PassageSupport(id=decode(passage.group(1)), lines=quoted.lines)
    return CodeSupport.model_validate(_read_place(reference) | {"lines": quoted.lines})


def _read_leads(blocks: Sequence[Block]) -> tuple[Lead, ...]:
    return tuple(_read_lead(item) for item in _raw_items(blocks))


def _read_lead(item: str) -> Lead:
    head, *below = item.split("\n")
    scored = _SCORED.fullmatch(head)
    if scored is None:
        raise ValueError(f"holds {head[:80]!r}, which is not `PATH` (score NUMBER)")
    symbols: list[Definition] = []
    reasons: list[str] = []
    for line in below:
        if not line.startswith("- "):
            raise ValueError(f"holds a line that is no item: {line[:80]!r}")
        if _REFERENCE.fullmatch(line[2:]):
            place = _read_place(line[2:])
            symbols.append(Definition.model_validate({"name": place["path"], **_span(place)}))
        else:
            reasons.append(unescape(line[2:]))
    return Lead(
        path=decode(scored.group(1)),
        score=float(scored.group(2)),
        symbols=tuple(symbols),
        reasons=tuple(reasons),
    )


def _span(place: dict[str, object]) -> dict[str, object]:
    return {"start_line": place["start_line"], "end_line": place["end_line"]}


_SECTIONS: dict[str, tuple[str, Callable[[Sequence[Block]], object]]] = {
    "Root cause": ("root_cause", _read_root_cause),
    "Assessment": ("", _read_levels),
    "Findings": ("findings", _read_findings),
    "Affected files": ("affected_files", _read_places),
    "Proposed changes": ("proposed_changes", _read_changes),
    "Missing information": ("missing_info", _read_lines),
    "Next steps": ("next_steps", _read_lines),
    "Suspects": ("suspects", _read_leads),
    "Read": ("read", _read_lines),
    "Not examined": ("not_examined", _read_lines),
}
