"""The text layer of the report grammar: sections, fences, and what keeps foreign text in place."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from resolveflow.domain.errors import InvalidAnswer

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_UNSAFE_IN_CODE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029`%]")
_UNSAFE_IN_ID = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029`%\[\]]")
_PERCENT = re.compile(r"%([0-9A-F]{2,4});")
_OPENING = re.compile(r" {0,3}(`{3,}|~{3,})[^`]*")
_STRUCTURAL = ("#", "-", "=", "<", ">", "|", "[", "\\", "*N", "```", "~~~")
_CODE_SPAN_LINE = re.compile(r"`[^`]+`")


@dataclass(frozen=True)
class Fenced:
    """The lines of a fenced block, verbatim."""

    lines: tuple[str, ...]


Block = str | Fenced


def one_line(text: str) -> str:
    """The text with every run of whitespace and control characters as one space."""
    return " ".join(_CONTROL.sub(" ", text).split())


def prose(text: str) -> str:
    """The text as paragraphs: each line as `one_line`, at most one blank line between two."""
    lines = "\n".join(one_line(line) for line in text.split("\n"))
    return re.sub(r"\n{3,}", "\n\n", lines).strip("\n")


def escape(text: str) -> str:
    """Each line with a backslash before it where its start would mean something."""
    return "\n".join(
        f"\\{line}" if line.startswith(_STRUCTURAL) or _CODE_SPAN_LINE.fullmatch(line) else line
        for line in text.split("\n")
    )


def unescape(text: str) -> str:
    """What `escape` was given."""
    return "\n".join(line.removeprefix("\\") for line in text.split("\n"))


def code(text: str) -> str:
    """A code span of the text, with what would end it written as `%XX;`."""
    return f"`{_UNSAFE_IN_CODE.sub(_percent, text)}`"


def passage_id(text: str) -> str:
    """A passage's id in brackets, as passages are shown and cited."""
    return f"[{_UNSAFE_IN_ID.sub(_percent, text)}]"


def decode(text: str) -> str:
    """What `code` or `passage_id` was given, from between their marks."""
    return _PERCENT.sub(lambda match: chr(int(match.group(1), 16)), text)


def fence(lines: Iterable[str], info: str = "") -> str:
    """A fenced block that no content can close."""
    content = "\n".join(lines)
    longest = max((len(run) for run in re.findall(r"`+", content)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks}{info}\n{content}\n{ticks}"


def sections(markdown: str) -> dict[str, list[Block]]:
    """The blocks under each second-level heading, by the heading in lower case.

    Raises: InvalidAnswer where a fence is never closed or a section appears twice.
    """
    found: dict[str, list[Block]] = {}
    current: list[Block] = []
    for block in _blocks(re.split(r"\r\n|\r|\n", markdown)):
        if isinstance(block, str) and block.startswith("## "):
            name = block[3:].strip().lower()
            if name in found:
                raise InvalidAnswer(f"The report has the section “{block[3:].strip()}” twice")
            current = found[name] = []
        else:
            current.append(block)
    return found


def _blocks(lines: Iterable[str]) -> Iterator[Block]:
    rest = enumerate(lines, start=1)
    for number, line in rest:
        opening = _OPENING.fullmatch(line)
        if not opening:
            yield line.rstrip()
            continue
        quoted: list[str] = []
        for _, inner in rest:
            if _closes(inner, opening.group(1)):
                yield Fenced(tuple(quoted))
                break
            quoted.append(inner)
        else:
            raise InvalidAnswer(f"The report's fence opened at line {number} is never closed")


def _closes(line: str, opened: str) -> bool:
    mark = line.strip(" ")
    indent = len(line) - len(line.lstrip(" "))
    return indent <= 3 and len(mark) >= len(opened) and mark == opened[0] * len(mark)


def _percent(match: re.Match[str]) -> str:
    return f"%{ord(match.group()):02X};"
