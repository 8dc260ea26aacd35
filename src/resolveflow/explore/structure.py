"""From an exploration's Markdown to a diagnosis whose places exist, or to the reason for none."""

import re
from collections.abc import Iterator, Mapping, Sequence

from resolveflow.domain.diagnosis import (
    AffectedFile,
    Citation,
    Diagnosis,
    Investigation,
    Level,
    ProposedChange,
)
from resolveflow.domain.errors import InvalidAnswer
from resolveflow.domain.exploration import Budget, Exploration, Passage
from resolveflow.domain.report import IssueEvidence
from resolveflow.domain.value import Value
from resolveflow.explore.citations import unresolved_passage, wrong_code
from resolveflow.explore.conclusion import CodeSupport, ExplorationReport, Support
from resolveflow.explore.report_reading import parse
from resolveflow.explore.sources import Source, Sources
from resolveflow.ports import Model, Repository
from resolveflow.prompts import render

MOST_FILES = 100  # of the exploration's that are read again to check places against
_LONGEST_PART = 20_000  # characters of any one part of the prompt


class Draft(Value):
    """A diagnosis as a model writes it; no `root_cause` means that it abstains."""

    root_cause: str | None
    severity: Level
    affected_files: tuple[AffectedFile, ...] = ()
    proposed_changes: tuple[ProposedChange, ...] = ()
    complexity: Level
    risk: Level
    missing_info: tuple[str, ...] = ()
    recommended_next_steps: tuple[str, ...] = ()
    citations: tuple[Citation, ...] = ()


async def structure(
    exploration: Exploration,
    evidence: IssueEvidence,
    passages: Sequence[Passage],
    tree: Repository,
    *,
    model: Model | None = None,
) -> Investigation:
    """Read the report by its grammar, or have the model conclude from it under the same checks.

    An answer that fails its checks is no diagnosis: the investigation abstains and says why. Its
    citations are not checked yet for what they are worth (`check_citations`).

    Raises:
        ModelUnavailable: the provider did not answer.
        RepositoryError: the tree cannot be read.
    """
    found = Investigation(passages=tuple(passages), exploration=exploration)
    files = await _read_again(exploration, evidence, tree)
    try:
        if model is None:
            draft = _from_report(parse(exploration.report))
        else:
            draft, exploration = await _from_model(exploration, evidence, passages, files, model)
            found = found.model_copy(update={"exploration": exploration})
    except InvalidAnswer as error:
        return found.model_copy(update={"abstained": str(error)})
    wrong = next(_wrong_places(draft, files), None)
    if draft.root_cause is None or wrong:
        return found.model_copy(update={"abstained": wrong or _why_none(draft.missing_info)})
    diagnosis = Diagnosis.model_validate(draft.model_dump())
    return found.model_copy(update={"diagnosis": diagnosis})


def _from_report(report: ExplorationReport) -> Draft:
    if report.root_cause is None:
        raise InvalidAnswer(_why_none(report.missing_info))
    levels = {name: getattr(report, name) for name in ("severity", "complexity", "risk")}
    unknown = [name for name, level in levels.items() if level is None]
    if unknown:
        raise InvalidAnswer(f"The report does not assess the {' and '.join(unknown)}")
    supports = (support for finding in report.findings for support in finding.supports)
    return Draft.model_validate(
        levels
        | {
            "root_cause": report.root_cause,
            "affected_files": [place.model_dump() for place in report.affected_files],
            "proposed_changes": [change.model_dump() for change in report.proposed_changes],
            "missing_info": report.missing_info,
            "recommended_next_steps": report.next_steps,
            "citations": tuple(dict.fromkeys(_citation(support) for support in supports)),
        }
    )


def _citation(support: Support) -> Citation:
    quote = "\n".join(support.lines)
    if isinstance(support, CodeSupport):
        place = support.model_dump(include={"path", "start_line", "end_line"})
        return Citation(kind="code", quote=quote, **place)
    return Citation(kind="passage", quote=quote, id=support.id)


def _why_none(missing: Sequence[str]) -> str:
    lacking = f". Missing: {'; '.join(missing)}" if missing else ""
    return f"The exploration established no root cause{lacking}"


async def _from_model(
    exploration: Exploration,
    evidence: IssueEvidence,
    passages: Sequence[Passage],
    files: Mapping[str, Source],
    model: Model,
) -> tuple[Draft, Exploration]:
    retrieved = {passage.id: passage for passage in passages}

    def check(draft: Draft) -> str | None:
        return next(_wrong(draft, files, retrieved), None)

    prompt = render(
        "structure_case",
        title=_part(evidence.title),
        body=_part(evidence.body),
        comments=_part("\n\n".join(_comments(evidence))),
        passages=_part("\n\n".join(map(_passage, passages))),
        exploration=_part(exploration.report),
    )
    answer = await model.structured("structure", render("structure"), prompt, Draft, check)
    cited = [
        citation.model_copy(update={"score": None, "ok": None, "reason": ""})
        for citation in answer.value.citations
    ]
    draft = answer.value.model_copy(update={"citations": tuple(cited)})
    calls = (*exploration.calls, answer.call)
    return draft, exploration.model_copy(update={"calls": calls})


def _wrong(
    draft: Draft, files: Mapping[str, Source], retrieved: Mapping[str, Passage]
) -> Iterator[str]:
    """Everything in a draft that the sources contradict."""
    if draft.root_cause is None:
        if not draft.missing_info:
            yield "root_cause is null: say in missing_info what would establish one"
        return
    if not draft.root_cause.strip():
        yield "root_cause is blank: state the cause, or leave it null"
    if not draft.citations:
        yield "there is no citation: cite what the root cause rests on"
    yield from _wrong_places(draft, files)
    for citation in draft.citations:
        wrong = _unresolved(citation, files, retrieved)
        if wrong:
            yield f"a citation is wrong: {wrong}"


def _unresolved(
    citation: Citation, files: Mapping[str, Source], retrieved: Mapping[str, Passage]
) -> str | None:
    if citation.kind == "passage":
        return unresolved_passage(citation, retrieved)
    source = files.get(citation.path or "")
    return wrong_code(citation, source.lines) if source else _unread(citation.path)


def _wrong_places(draft: Draft, files: Mapping[str, Source]) -> Iterator[str]:
    for place in (*draft.affected_files, *draft.proposed_changes):
        source = files.get(place.path)
        if source is None:
            yield _unread(place.path)
        elif place.end_line > len(source.lines):
            yield (
                f"{place.path} has no lines {place.start_line}-{place.end_line}: "
                f"it has {len(source.lines)}"
            )
        elif place.symbol and not _is_there(place.symbol, place, source):
            yield (
                f"{place.symbol[:80]!r} is not at {place.path}:{place.start_line}-{place.end_line}"
            )


def _unread(path: str | None) -> str:
    return f"{(path or '')[:200]!r} is no file of this tree that the exploration read"


def _is_there(symbol: str, place: AffectedFile, source: Source) -> bool:
    """Whether the lines are in a definition of that name, or hold the name as a word."""
    name = re.split(r"\.|::|#|/", symbol.removesuffix("()"))[-1]
    around = (
        one
        for one in source.defined(name)
        if one.start_line <= place.end_line and place.start_line <= one.end_line
    )
    text = "\n".join(source.lines[place.start_line - 1 : place.end_line])
    return bool(name) and (
        any(around) or bool(re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", text))
    )


async def _read_again(
    exploration: Exploration, evidence: IssueEvidence, tree: Repository
) -> dict[str, Source]:
    """The files that a diagnosis may name: read, suspected, or in the report."""
    paths = [
        *exploration.read,
        *(suspect.path for suspect in exploration.suspects),
        *evidence.named_paths,
        *(path for found in evidence.frame_files for path in found.paths),
    ]
    sources = Sources(tree, Budget(calls=MOST_FILES))
    return {source.path: source for source in await sources.open_all(paths)}


def _comments(evidence: IssueEvidence) -> Iterator[str]:
    return (f"[{one.author_association}] {one.body or ''}" for one in evidence.comments)


def _passage(passage: Passage) -> str:
    return f"[{passage.id}] (relevance: {passage.score:.2f}) {passage.text}"


def _part(text: str) -> str:
    if not text.strip():
        return "(none)"
    if len(text) <= _LONGEST_PART:
        return text
    return f"{text[:_LONGEST_PART]}\n[{len(text) - _LONGEST_PART} characters left out]"
