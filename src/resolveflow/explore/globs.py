"""Which paths a pattern of an agent chooses, as the lines of a .gitignore file choose them."""

from collections.abc import Callable
from fnmatch import fnmatchcase
from itertools import product

from resolveflow.domain.errors import InvalidPattern

MOST_ALTERNATIVES = 32
MOST_STARS = 8


def path_filter(pattern: str) -> Callable[[str], bool]:
    """A test of paths: `*.py` (any folder), `src/*.py`, `src/**/test_*.py`, `*.{js,ts}`, `src/`.

    Raises:
        InvalidPattern: it has too many alternatives or stars.
    """
    if not pattern.strip("/"):
        return lambda _path: True
    if pattern.count("*") > MOST_STARS:
        raise InvalidPattern(f"path_glob has more than {MOST_STARS} stars: make it simpler")
    wanted = [_parts(one) for one in _alternatives(pattern)]
    return lambda path: any(_matches(parts, path.split("/")) for parts in wanted)


def _parts(pattern: str) -> list[str]:
    anchored = pattern.strip("/").removeprefix("./").split("/")
    return anchored if len(anchored) > 1 or pattern.startswith("/") else ["**", *anchored]


def _matches(pattern: list[str], path: list[str]) -> bool:
    """Whether the pattern matches the path or a folder above it."""
    last = len(pattern) - 1
    reached = {0}  # parts of the pattern that are used up, after each part of the path
    for part in path:
        reached = _past_stars(pattern, reached)
        reached = {
            at if pattern[at] == "**" and at < last else at + 1
            for at in reached
            if pattern[at] == "**" or fnmatchcase(part, pattern[at])
        }
        if len(pattern) in reached:
            return True
    return False


def _past_stars(pattern: list[str], reached: set[int]) -> set[int]:
    """`**` stands for no folder, too; at the end it needs something below."""
    found = set(reached)
    for at in sorted(reached):
        while at < len(pattern) - 1 and pattern[at] == "**":
            at += 1
            found.add(at)
    return found


def _alternatives(pattern: str) -> list[str]:
    """The pattern once for each choice in its braces; braces in braces are plain characters."""
    pieces: list[list[str]] = []
    rest = pattern
    count = 1
    while "{" in rest and "}" in rest.partition("{")[2]:
        before, _, after = rest.partition("{")
        inside, _, rest = after.partition("}")
        choices = inside.split(",")
        count *= len(choices)
        if count > MOST_ALTERNATIVES:
            raise InvalidPattern(f"path_glob has more than {MOST_ALTERNATIVES} alternatives")
        pieces += [[before], choices]
    return ["".join(chosen) for chosen in product(*pieces, [rest])]
