"""Where the names of a failing line get their values, as far as the text of its function tells."""

import re
from collections.abc import Iterator

from resolveflow.explore.conclusion import Finding
from resolveflow.explore.sources import words_of
from resolveflow.explore.trail import Step
from resolveflow.explore.wording import LONGEST_LINE, STRING, code, quoting

MOST_NAMES = 3
LOOK_BACK = 300  # lines

_PARAMETERS = ("is a parameter", "are parameters")
_VALUES = ("gets its value", "get their values")
_MEMBER = re.compile(r"(?:\.|->|::)\s*[A-Za-z_$][\w$]*")


def bound(step: Step) -> Iterator[Finding]:
    """Where the names of the failing line get their values, in the same function."""
    if len(step.text) > LONGEST_LINE or step.function is None:
        return
    names = dict.fromkeys(words_of(_MEMBER.sub("", STRING.sub("", step.text))))
    found = [(name, line) for name in names if (line := _binding(name, step))][:MOST_NAMES]
    for line in dict.fromkeys(line for _, line in found):
        bound = [code(name) for name, line_of_name in found if line_of_name == line]
        hows = _PARAMETERS if line == step.function.start_line else _VALUES
        how = hows[len(bound) > 1]
        yield Finding(
            claim=f"{' and '.join(bound)} of that line {how} at {step.source.path}:{line}.",
            supports=(quoting(step.source, line),),
        )


def _binding(name: str, step: Step) -> int | None:
    """The nearest line above, in the function, that binds the name."""
    first = step.function.start_line if step.function else step.line
    word = rf"(?<![\w.$]){re.escape(name)}\b"
    assigned = re.compile(rf"{word}[^=()<>!]{{0,60}}(?::=|=(?![=>]))|\bfor\b.{{0,80}}{word}")
    for line in range(step.line - 1, max(first, step.line - LOOK_BACK), -1):
        if assigned.search(step.source.line(line)[:LONGEST_LINE]):
            return line
    return first if re.search(word, step.source.line(first)) and first != step.line else None
