"""The four read-only tools over a tree pinned to a commit, and the one way to call them."""

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

from pydantic import ConfigDict, Field, ValidationError

from resolveflow.domain.code import Definition
from resolveflow.domain.errors import InvalidPattern, RepositoryError, ResolveFlowError
from resolveflow.domain.value import Value
from resolveflow.explore.globs import path_filter
from resolveflow.explore.grep import Found, Pattern, Texts, grep, text_of
from resolveflow.explore.shown import MOST_LINES, code, fit, long_name, short
from resolveflow.explore.sources import LARGEST_FILE
from resolveflow.explore.tree_paths import TreePaths
from resolveflow.ports import CodeIndex, Entry, Repository

MOST_RESULT = 8_000  # bytes of a result's text, as UTF-8
_LAST_LINE = 10_000_000
_LONGEST_NOTE = 600  # bytes

TreePath = Annotated[
    str, Field(max_length=4_096, description="A path from the tree's root, spelled as listed.")
]


class ToolResult(Value):
    """What a call gives: at most 8 kB of text; an error's says what to do instead."""

    text: str
    is_error: bool = False


class ToolCall(Value):
    """A call's arguments, checked; the class is the tool."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
    tool: ClassVar[str]


class GrepCode(ToolCall):
    """Find lines in all text files of the tree: path:line: text, in order of path.

    The pattern is a regular expression; it is taken as plain text if it is not a valid one. Case
    matters; (?i) at its beginning ignores it.
    """

    tool = "grep_code"
    pattern: Annotated[str, Field(min_length=1, max_length=300)]
    path_glob: Annotated[
        str,
        Field(
            max_length=300,
            description="Only these files, as in .gitignore: *.py, src/**/test_*.py, *.{js,ts}.",
        ),
    ] = ""
    context: Annotated[int, Field(ge=0, le=10, description="Lines around each match.")] = 0
    limit: Annotated[int, Field(ge=1, le=MOST_LINES, description="Matches to show.")] = 20


class ReadLines(ToolCall):
    """Read lines of one file, at most 50 a call, each with its number (1-based, inclusive)."""

    tool = "read_lines"
    path: TreePath
    start: Annotated[int, Field(ge=1, le=_LAST_LINE)] = 1
    end: Annotated[int | None, Field(ge=1, le=_LAST_LINE)] = None
    have_suspects: Annotated[
        bool,
        Field(description="True once you know which files to suspect: from then on you only read."),
    ] = False

    @property
    def last(self) -> int:
        """The last line that this call can show."""
        full = self.start + MOST_LINES - 1
        return full if self.end is None else min(self.end, full)


class ListDirectory(ToolCall):
    """List a directory of the tree: its folders with their number of files, its files with sizes.

    An empty path is the root.
    """

    tool = "list_directory"
    path: TreePath
    start: Annotated[
        int, Field(ge=1, le=_LAST_LINE, description="The first row to show, for long lists.")
    ] = 1


class LocateSymbol(ToolCall):
    """Find where a class, function, method or type is defined, by its exact name."""

    tool = "locate_symbol"
    name: Annotated[str, Field(min_length=1, max_length=200)]


TOOLS: dict[str, type[ToolCall]] = {
    kind.tool: kind for kind in (GrepCode, ReadLines, ListDirectory, LocateSymbol)
}


class ToolSpec(Value):
    """A tool as agents are told of it; `parameters` is a JSON Schema."""

    name: str
    description: str
    parameters: dict[str, Any]


def tool_specs() -> tuple[ToolSpec, ...]:
    """The tools in the order in which they are listed everywhere."""
    return tuple(
        ToolSpec(
            name=tool,
            description=str(kind.model_json_schema()["description"]),
            parameters={k: v for k, v in kind.model_json_schema().items() if k != "description"},
        )
        for tool, kind in TOOLS.items()
    )


def parse_call(tool: str, arguments: object) -> ToolCall | ToolResult:
    """Check a call against its tool's schema; nothing has happened yet. A result is an error."""
    kind = TOOLS.get(tool)
    if kind is None:
        return refusal(f"there is no tool {short(tool, 60)}: there are {', '.join(TOOLS)}")
    try:
        return kind.model_validate(arguments)
    except ValidationError as error:
        wrong = [
            f"{short('.'.join(map(str, one['loc'])) or 'arguments', 60)}: {one['msg']}"
            for one in error.errors(include_input=False, include_url=False, include_context=False)
        ]
        takes = ", ".join(kind.model_fields)
        return refusal(f"{tool} was not run: {'; '.join(wrong[:4])} (it takes {takes})")


def refusal(reason: str) -> ToolResult:
    """An error that the agent can act on."""
    return ToolResult(text=f"error: {reason}", is_error=True)


class Dispatcher:
    """Answers checked calls about one tree; it holds no other capability than to read it."""

    def __init__(self, *, repository: Repository, index: CodeIndex) -> None:
        self._repository = repository
        self._index = index
        self._texts = Texts(repository)
        self._paths: TreePaths | None = None

    async def call(self, tool: str, arguments: object) -> ToolResult:
        """Check and answer a call; whatever is wrong with it is the result's text."""
        parsed = parse_call(tool, arguments)
        return parsed if isinstance(parsed, ToolResult) else await self.run(parsed)

    async def run(self, call: ToolCall) -> ToolResult:
        """Answer a call that was checked."""
        try:
            return ToolResult(text=await self._answer(call))
        except ResolveFlowError as error:
            return refusal(short(str(error), 1_000))

    async def _answer(self, call: ToolCall) -> str:
        paths = await self._tree_paths()
        match call:
            case GrepCode():
                return await self._grep(call, paths)
            case ReadLines():
                return await self._read(call, paths.file(call.path))
            case ListDirectory():
                return _listing(call, *paths.children(call.path))
            case LocateSymbol():
                return _located(call.name, await self._definitions(call.name))
        raise TypeError(f"{call.tool} has no answer")

    async def _tree_paths(self) -> TreePaths:
        if self._paths is None:
            self._paths = TreePaths(await self._repository.entries())
        return self._paths

    async def _grep(self, call: GrepCode, paths: TreePaths) -> str:
        chosen = path_filter(call.path_glob)
        files = [entry for entry in paths.files if chosen(entry.path)]
        if not files:
            raise InvalidPattern(f"path_glob {short(call.path_glob, 80)} matches no file")
        pattern = Pattern(call.pattern)
        found = await grep(pattern, self._texts, files, context=call.context, limit=call.limit)
        return _matches(pattern, found)

    async def _read(self, call: ReadLines, entry: Entry) -> str:
        if call.end is not None and call.end < call.start:
            raise RepositoryError(f"end {call.end} lies before start {call.start}")
        if entry.size > LARGEST_FILE:
            raise RepositoryError(f"{short(entry.path)} is too large: {entry.size:,} bytes")
        text = text_of(await self._repository.read(entry.path))
        if text is None:
            raise RepositoryError(f"{short(entry.path)} is binary: {entry.size:,} bytes")
        lines = text.removesuffix("\n").split("\n") if text else []
        if call.start > max(len(lines), 1):
            raise RepositoryError(f"{short(entry.path)} has {len(lines)} lines")
        return _numbered(call, entry.path, lines)

    async def _definitions(self, symbol: str) -> tuple[Definition, ...]:
        """Those of the name; of its last part where it is qualified, as in Class.method."""
        found = await self._index.definitions(self._repository, symbol)
        last = symbol.replace("::", ".").replace("#", ".").rpartition(".")[2]
        if found or last in ("", symbol):
            return found
        return await self._index.definitions(self._repository, last)


def _numbered(call: ReadLines, path: str, lines: Sequence[str]) -> str:
    if not lines:
        return f"{long_name(path)} is empty"
    shown = fit(
        f"{number:>5}| {code(lines[number - 1])}"
        for number in range(call.start, min(call.last, len(lines)) + 1)
    )
    last = call.start + len(shown) - 1
    heading = f"{long_name(path)}, lines {call.start}-{last} of {len(lines)}"
    wanted = len(lines) if call.end is None else min(call.end, len(lines))
    note = f"cut: go on with start={last + 1}" if last < wanted else ""
    if any(one.endswith(" more characters]") for one in shown):
        note += "; " if note else ""
        note += "grep_code with a word of a long line shows the part around it"
    return _page(heading, shown, note)


def _matches(pattern: Pattern, found: Found) -> str:
    lines = fit(found.lines)
    notes = []
    if pattern.problem:
        notes.append(f"searched as plain text, for it is no expression: {short(pattern.problem)}")
    if len(lines) < len(found.lines) or found.shown < found.matches:
        notes.append("cut: narrow pattern or path_glob, or lower context, to see the rest")
    if found.stopped:
        notes.append(f"incomplete: {short(found.stopped)}; make it simpler or narrow path_glob")
    if found.unread:
        notes.append(f"{found.unread} files not searched: binary, missing or too large")
    heading = f"{found.matches} matching lines in {found.in_files} of {found.searched} files"
    return _page(heading, lines, "; ".join(notes))


def _listing(call: ListDirectory, folders: dict[str, int], own: Sequence[Entry]) -> str:
    rows = [
        f"{long_name(folder)}/  ({count} file{'s'[: count > 1]})"
        for folder, count in sorted(folders.items())
    ]
    rows += [f"{long_name(entry.path.rpartition('/')[2])}  {_told(entry)}" for entry in own]
    if call.start > max(len(rows), 1):
        raise RepositoryError(f"{short(call.path)} has {len(rows)} rows")
    shown = fit(rows[call.start - 1 :])
    last = call.start + len(shown) - 1
    heading = f"{short(call.path) or 'root'}: rows {call.start}-{last} of {len(rows)}"
    return _page(heading, shown, f"cut: go on with start={last + 1}" if last < len(rows) else "")


def _told(entry: Entry) -> str:
    if entry.kind == "file":
        return f"{entry.size:,} bytes"
    return {"symlink": "(a symbolic link, not followed)", "submodule": "(a submodule)"}.get(
        entry.kind, "(cannot be read)"
    )


def _located(symbol: str, found: Sequence[Definition]) -> str:
    if not found:
        raise RepositoryError(
            f"no definition of {short(symbol, 100)}: names are compared as they are spelled;"
            " grep_code searches for text"
        )
    rows = [
        f"{long_name(one.path)}:{one.start_line}: {code(one.signature.strip())}" for one in found
    ]
    shown = fit(rows)
    note = f"cut: {len(rows) - len(shown)} more; grep_code with path_glob shows those of a folder"
    heading = f"definitions of {short(found[0].name, 100)}: {len(found)}"
    return _page(heading, shown, note if len(shown) < len(rows) else "")


def _page(heading: str, lines: Sequence[str], note: str) -> str:
    said = [f"[{note.encode()[:_LONGEST_NOTE].decode('utf-8', 'ignore')}]"] if note else []
    return "\n".join([heading, *lines, *said])
