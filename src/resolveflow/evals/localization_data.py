"""The reports that localization is measured with, and where their functions are."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PositiveInt, ValidationError

from resolveflow.codebase.languages import language_of
from resolveflow.codebase.spans import spans_of
from resolveflow.domain.errors import InvalidReport

_CLASS_BODY = " (class body)"
_OWNER_NAME = r"^[A-Za-z0-9][\w.-]*/\.?[A-Za-z0-9_-][\w.-]*$"


def _in_order(span: tuple[int, int]) -> tuple[int, int]:
    if span[0] > span[1]:
        raise ValueError("the last line is before the first")
    return span


LineSpan = Annotated[tuple[PositiveInt, PositiveInt], AfterValidator(_in_order)]


class Row(BaseModel):
    """A report, the commit before its fix, and what the fix changed (not every valid answer).

    `repo` is OWNER/NAME. `changed_lines` has spans of lines of the base commit by path, first and
    last from 1; where it is there, line coverage uses it instead of the gold functions' lines.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: Annotated[str, Field(min_length=1)]
    repo: Annotated[str, Field(pattern=_OWNER_NAME)]
    base_commit: Annotated[str, Field(min_length=1)]
    gold_files: Annotated[tuple[str, ...], Field(min_length=1)]
    issue_title: str | None = None
    issue_body: str | None = None
    gold_functions: dict[str, tuple[str, ...]] | None = None
    changed_lines: dict[str, tuple[LineSpan, ...]] | None = None
    language: str = "unknown"
    has_traceback: bool = False
    names_a_path: bool = False


@dataclass(frozen=True)
class Rows:
    """The rows of a file, by repository and commit so that trees are shared; what was no row."""

    rows: tuple[Row, ...]
    problems: tuple[str, ...]


def read_rows(path: Path) -> Rows:
    """Read a JSON Lines file; a line that is no row, or repeats an id, is a problem told by number.

    Raises:
        InvalidReport: the file cannot be read or holds nothing.
    """
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise InvalidReport(f"{path} cannot be read: {error.strerror or error}.") from None
    except UnicodeDecodeError:
        raise InvalidReport(f"{path} cannot be read: it is no UTF-8 text.") from None
    rows: dict[str, Row] = {}
    problems = []
    for number, line in enumerate(text.split("\n"), start=1):  # a string may hold U+2028 as it is
        if not line.strip():
            continue
        try:
            row = Row.model_validate_json(line)
        except ValidationError as error:
            problems.append(f"line {number}: {'; '.join(_said(error))}")
            continue
        if row.id in rows:
            problems.append(f"line {number}: the id {row.id!r} was there before")
        rows.setdefault(row.id, row)
    if not rows and not problems:
        raise InvalidReport(f"{path} holds no reports: one JSON object a line is expected.")
    ordered = sorted(rows.values(), key=lambda row: (row.repo, row.base_commit, row.id))
    return Rows(tuple(ordered), tuple(problems))


def _said(error: ValidationError) -> Iterator[str]:
    for one in error.errors(include_url=False, include_input=False, include_context=False):
        where = ".".join(str(part) for part in one["loc"])
        yield f"{where}: {one['msg']}" if where else one["msg"]


def function_lines(path: str, text: str, names: Sequence[str]) -> list[tuple[int, int]]:
    """The first and last lines of the named functions, as far as patterns tell.

    A class's own body ends before the first definition in it.
    """
    wanted = {_last_name(name): name.endswith(_CLASS_BODY) for name in names}
    found = spans_of(text.encode("utf-8", "replace"), language_of(path) or "")
    lines = []
    for span in found:
        if span.name in wanted:
            inner = (
                other.start_line - 1
                for other in found
                if span.start_line < other.start_line <= span.end_line
            )
            end = min(inner, default=span.end_line) if wanted[span.name] else span.end_line
            lines.append((span.start_line, end))
    return lines


def _last_name(name: str) -> str:
    bare = name.removesuffix(_CLASS_BODY).partition("(")[0].strip()
    return bare.replace("::", ".").replace("#", ".").rpartition(".")[2]
