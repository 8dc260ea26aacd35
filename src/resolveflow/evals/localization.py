"""Measures localization on reports whose fixes are known, against BM25 in the same run."""

import hashlib
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from resolveflow.backends.code_index import StoredCodeIndex
from resolveflow.codebase.bm25 import Scores
from resolveflow.codebase.languages import as_utf8
from resolveflow.codebase.localize import localize
from resolveflow.codebase.ranking import WEIGHTS, rank
from resolveflow.codebase.text import terms
from resolveflow.codebase.tree_index import TreeIndex
from resolveflow.domain.errors import RepositoryError
from resolveflow.domain.report import IssueEvidence
from resolveflow.domain.value import Value
from resolveflow.evals.localization_data import Row, function_lines
from resolveflow.evals.localization_lines import SHOWN, Seen, Spans, best_regions, line_coverage
from resolveflow.evals.localization_repositories import Repositories
from resolveflow.intake.crashes import parse_crashes
from resolveflow.ports import Repository

METHODS = ("resolveflow", "bm25", "named+bm25")
NOT_PRESENT = "is not in the commit"
NOT_RANKED = "is no source file that is ranked (a test, an example, too large, generated)"

_MEASURED = ("resolveflow.codebase", "resolveflow.intake", "resolveflow.intake.formats")
_MEASURING = (
    "backends/code_index.py",
    "backends/code_trees.py",
    "evals/localization.py",
    "evals/localization_data.py",
    "evals/localization_lines.py",
)
Told = Callable[[str], Awaitable[None]]


class Outcome(Value):
    """One report measured.

    `ranks` holds, for each method, the ranks of the gold files from 1, the best first; a gold
    file that is not ranked counts as after all, and `unranked` says why. `region` is the best rank
    of a region with lines of a gold function, None where no gold function was found. `seen` is the
    line coverage by view, empty where the report has no gold lines. `milliseconds` is what the
    query took without building the index.
    """

    id: str
    repo: str
    language: str
    has_traceback: bool
    names_a_path: bool
    tree_files: int
    ranks: dict[str, tuple[int, ...]]
    has_functions: bool
    region: int | None
    seen: dict[str, Seen]
    unranked: dict[str, str]
    milliseconds: float


@dataclass(frozen=True)
class Signals:
    """What every signal gave each file of one tree (one row a signal), for choosing weights."""

    scores: NDArray[np.float32]
    importance: NDArray[np.float32]
    gold: NDArray[np.int64]


@dataclass(frozen=True)
class Measured:
    """The outcomes with their signals, and why the other rows could not be measured."""

    outcomes: tuple[Outcome, ...]
    signals: tuple[Signals, ...]
    skipped: Mapping[str, str]


async def measure(
    rows: Sequence[Row],
    cache: Path,
    *,
    repositories: Repositories,
    tell: Told,
) -> Measured:
    """Localize every row at its commit; what was measured is kept in `cache`.

    A kept outcome is used again while the row and the measured code are the same, so an
    interrupted run goes on where it stopped.
    """
    index = StoredCodeIndex(cache)
    code = _code_digest()
    found: list[tuple[Outcome, Signals]] = []
    skipped = {}
    for number, row in enumerate(rows, start=1):
        key = hashlib.sha256(f"{code}{row.model_dump_json()}".encode()).hexdigest()
        measured = _read(cache / key)
        if measured is None:
            try:
                tree = await repositories.open(row.repo, row.base_commit)
                measured = await _measure(row, tree, index)
            except RepositoryError as error:
                skipped[row.id] = str(error)
                continue
            _write(cache / key, *measured)
        found.append(measured)
        await tell(f"{number}/{len(rows)} {row.id}: {measured[0].ranks[METHODS[0]][0]}")
    return Measured(
        outcomes=tuple(outcome for outcome, _ in found),
        signals=tuple(signals for _, signals in found),
        skipped=skipped,
    )


def gold_ranks(scores: Scores, gold: Sequence[int], missing: int = 0) -> tuple[int, ...]:
    """The gold files' ranks from 1, ties in the order of paths; the missing ones rank last."""
    ranks = np.empty(len(scores), dtype=np.int64)
    ranks[np.argsort(-scores, kind="stable")] = np.arange(1, len(scores) + 1)
    return (*sorted(int(ranks[number]) for number in gold), *[len(scores) + 1] * missing)


async def _measure(
    row: Row, repository: Repository, index: StoredCodeIndex
) -> tuple[Outcome, Signals]:
    present = await _present(row, repository)
    tree = await index.tree_index(repository)
    evidence = _evidence(row)
    started = time.perf_counter()
    ranking = rank(evidence, tree)
    milliseconds = 1000 * (time.perf_counter() - started)
    plain = tree.files.scores(terms(f"{evidence.title}\n{evidence.body}"))
    by_method = {
        "resolveflow": ranking.files,
        "bm25": plain,
        "named+bm25": _named_first(tree, evidence, plain),
    }
    gold = [tree.number[path] for path in row.gold_files if path in tree.number]
    missing = len(row.gold_files) - len(gold)
    functions = await _functions(row, repository, present)
    lines = row.changed_lines or functions
    suspects = localize(evidence, tree, max(SHOWN)).suspects
    outcome = Outcome(
        id=row.id,
        repo=row.repo,
        language=row.language,
        has_traceback=row.has_traceback,
        names_a_path=row.names_a_path,
        tree_files=len(tree.paths),
        ranks={name: gold_ranks(scores, gold, missing) for name, scores in by_method.items()},
        has_functions=bool(row.gold_functions),
        region=_region_rank(functions, tree, ranking.regions),
        seen=line_coverage(lines, best_regions(tree, ranking.regions), suspects)
        if lines or row.gold_functions
        else {},
        unranked={
            path: NOT_RANKED if path in present else NOT_PRESENT
            for path in row.gold_files
            if path not in tree.number
        },
        milliseconds=round(milliseconds, 2),
    )
    scores = np.array([ranking.signals[name] for name in WEIGHTS], dtype=np.float32)
    return outcome, Signals(scores, tree.importance.astype(np.float32), np.array(gold, np.int64))


def _evidence(row: Row) -> IssueEvidence:
    title, body = row.issue_title or "", row.issue_body or ""
    return IssueEvidence(
        source=row.id,
        target=None,
        title=title,
        body=body,
        crashes=parse_crashes(body),
        content_hash="",
    )


def _named_first(tree: TreeIndex, evidence: IssueEvidence, plain: Scores) -> Scores:
    """The files the text names in order of mention, then the rest by BM25."""
    scores = plain.copy()
    named = tree.names.named_in(f"{evidence.title}\n{evidence.body}")
    numbers = [tree.number[path] for path in named if path in tree.number]
    for order, number in enumerate(numbers):
        scores[number] = plain.max(initial=0.0) + len(numbers) - order
    return scores


async def _present(row: Row, repository: Repository) -> frozenset[str]:
    """The files of the tree; a RepositoryError if no gold file is one: then the row is wrong."""
    present = frozenset(entry.path for entry in await repository.entries() if entry.kind == "file")
    if present.isdisjoint(row.gold_files):
        named = ", ".join(row.gold_files[:3])
        raise RepositoryError(
            f"none of its gold files is in {row.repo} at {row.base_commit[:12]}: {named}"
        )
    return present


async def _functions(row: Row, repository: Repository, present: Set[str]) -> Spans:
    """The lines of the gold functions, as far as they are found."""
    found = {}
    for path, names in (row.gold_functions or {}).items():
        if path in present:
            text = as_utf8(await repository.read(path)).decode("utf-8", "replace")
            found[path] = function_lines(path, text, names)
    return found


def _region_rank(functions: Spans, tree: TreeIndex, scores: Scores) -> int | None:
    gold = set()
    for path in functions.keys() & tree.number.keys():
        for number in range(*tree.regions_of(tree.number[path])):
            region = tree.regions[number]
            if any(s <= region.end_line and region.start_line <= e for s, e in functions[path]):
                gold.add(number)
    return gold_ranks(scores, sorted(gold))[0] if gold else None


def _code_digest() -> str:
    """Changes whenever the code that is measured does, or what measures it."""
    digest = hashlib.sha256()
    for name in _MEASURING:
        digest.update((files("resolveflow") / name).read_bytes())
    for package in _MEASURED:
        for module in sorted(files(package).iterdir(), key=lambda one: one.name):
            if module.name.endswith(".py"):
                digest.update(module.read_bytes())
    return digest.hexdigest()


def _read(kept: Path) -> tuple[Outcome, Signals] | None:
    """A kept outcome; none where it is not there or was written in part."""
    try:
        with np.load(kept.with_suffix(".npz")) as arrays:
            signals = Signals(arrays["scores"], arrays["importance"], arrays["gold"])
        outcome = Outcome.model_validate_json(kept.with_suffix(".json").read_bytes())
    except (OSError, EOFError, KeyError, ValueError, ValidationError, BadZipFile):
        return None
    return outcome, signals


def _write(kept: Path, outcome: Outcome, signals: Signals) -> None:
    kept.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        kept.with_suffix(".npz"),
        scores=signals.scores,
        importance=signals.importance,
        gold=signals.gold,
    )
    kept.with_suffix(".json").write_text(outcome.model_dump_json(), "utf-8")
