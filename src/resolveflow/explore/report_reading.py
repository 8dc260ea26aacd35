"""Reading a report by the grammar of `explore.report`, whoever wrote it."""

import re
from collections.abc import Callable, Sequence

from pydantic import ValidationError

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
from resolveflow.explore.markdown import Block, Fenced, decode, unescape
from resolveflow.explore.report import LEVELS, NONE, NOT_ESTABLISHED

_PLACE = re.compile(r"`([^`]+):(\d{1,9})(?:-(\d{1,9}))?`(?: \(`([^`]+)`\))?(?:: (.+))?")
_REFERENCE = re.compile(r"`([^`]+):(\d{1,9})(?:-(\d{1,9}))?`")
_PASSAGE = re.compile(r"\[([^\[\]]+)\]")
_SCORED = re.compile(r"`([^`]+)` \(score (\S{1,40})\)")
_FINDING = re.compile(r"### \S.*")


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
        if name not in LEVELS or name in found:
            raise ValueError(f"holds {name[:40]!r}: it takes {', '.join(LEVELS)} once each")
        if level not in ("low", "medium", "high", "unknown"):
            raise ValueError(f"says {name} {level[:40]!r}: it is low, medium, high or unknown")
        found[name] = None if level == "unknown" else level
    for name in LEVELS:
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
