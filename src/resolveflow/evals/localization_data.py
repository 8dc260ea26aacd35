"""The reports that localization is measured with, and where their functions are."""

import json
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from resolveflow.codebase.regions import definitions
from resolveflow.domain.errors import InvalidReport

_CLASS_BODY = " (class body)"


class Row(BaseModel):
    """A report, the commit before its fix, and what the fix changed (not every valid answer)."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    repo: str
    base_commit: str
    gold_files: tuple[str, ...]
    issue_title: str | None = None
    issue_body: str | None = None
    gold_functions: dict[str, tuple[str, ...]] | None = None
    language: str = "unknown"
    has_traceback: bool = False
    names_a_path: bool = False


def read_rows(path: Path) -> tuple[Row, ...]:
    """The rows of a JSON Lines file, by repository and commit so that trees are shared.

    Raises:
        InvalidReport: the file cannot be read, or a line is no such row.
    """
    rows = []
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidReport(f"{path} cannot be read as JSON Lines: {error}") from None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            rows.append(Row.model_validate(json.loads(line)))
        except (ValidationError, ValueError) as error:
            said = str(error).splitlines()[0]
            raise InvalidReport(f"{path}, line {number} is no report to localize: {said}") from None
    return tuple(sorted(rows, key=lambda row: (row.repo, row.base_commit, row.id)))


def function_lines(text: str, names: Sequence[str]) -> list[tuple[int, int]]:
    """The first and last lines of the named functions, as far as definitions tell.

    A function ends before the next definition that is indented no deeper, a class's own body
    before the next definition of any depth.
    """
    wanted = {_last_name(name): name.endswith(_CLASS_BODY) for name in names}
    lines = text.split("\n")
    found = definitions(text)
    spans = []
    for position, (line, name) in enumerate(found):
        if name in wanted:
            depth = None if wanted[name] else _indent(lines[line - 1])
            later = (
                after - 1
                for after, _ in found[position + 1 :]
                if depth is None or _indent(lines[after - 1]) <= depth
            )
            spans.append((line, max(line, next(later, len(lines)))))
    return spans


def _last_name(name: str) -> str:
    bare = name.removesuffix(_CLASS_BODY).partition("(")[0].strip()
    return bare.replace("::", ".").replace("#", ".").rpartition(".")[2]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
