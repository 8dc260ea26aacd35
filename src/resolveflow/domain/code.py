"""What is found in a tree's source: definitions and matching lines."""

from resolveflow.domain.value import Value


class Definition(Value):
    """One definition of a name; lines are 1-based and inclusive."""

    name: str
    path: str
    start_line: int
    end_line: int
    signature: str


class Match(Value):
    """A line that matches; `line` is 1-based, `text` its beginning."""

    path: str
    line: int
    text: str
