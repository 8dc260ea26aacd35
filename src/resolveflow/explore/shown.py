"""What an agent is shown of a tree: bounded, one line for each line, nothing hidden."""

from collections.abc import Iterable

from resolveflow.intake.invisible import visible

MOST_LINES = 50
LONGEST_LINE = 200  # characters
MOST_BYTES = 6_000  # of lines, as UTF-8; with the notes around them a result stays below 8 kB
_LONGEST_SPELLED = 10  # ⟨U+10FFFF⟩


def name(path: str) -> str:
    """A path as one line; what cannot be seen in it is spelled out."""
    return visible(path).replace("\n", "⟨U+000A⟩").replace("\t", "⟨U+0009⟩")


def short(text: str, limit: int = LONGEST_LINE) -> str:
    """A name or a word as one visible line of at most about `limit` characters."""
    line = name(text[:limit])
    return line if len(text) <= limit and len(line) <= limit else f"{line[: limit - 1]}…"


def long_name(path: str) -> str:
    """A path that an agent has to be able to give back: cut only where nobody could mean it."""
    return short(path, 2 * LONGEST_LINE)


def code(line: str, column: int = 0) -> str:
    """A line of source around `column`, verbatim but for invisible characters; a cut is said."""
    if len(line) <= LONGEST_LINE and len(seen := visible(line)) <= LONGEST_LINE:
        return seen
    first = max(0, column - LONGEST_LINE // 4) if column > LONGEST_LINE // 2 else 0
    part = line[first : first + LONGEST_LINE]
    if len(visible(part)) > LONGEST_LINE:
        part = line[column : column + LONGEST_LINE // _LONGEST_SPELLED]
        first = column
    left = len(line) - first - len(part)
    before = f"[{first} characters] …" if first else ""
    return before + visible(part) + (f"… [{left} more characters]" if left else "")


def fit(lines: Iterable[str]) -> list[str]:
    """The first lines that one result may hold, at least one where there is any."""
    kept: list[str] = []
    size = 0
    for line in lines:
        size += len(line.encode("utf-8", "replace")) + 1
        if kept and (size > MOST_BYTES or len(kept) == MOST_LINES):
            break
        kept.append(line)
    return kept
