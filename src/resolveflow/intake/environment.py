"""Which versions of what a report says it ran."""

import re

from resolveflow.intake.forms import form_fields

# Text of any length is read line by line, and no line beyond this many characters.
LONGEST_LINE = 400
MOST_LINES = 5_000

_VERSION = (
    r"v?(\d{1,5}(?:\.\d{1,6}){1,3}(?:[-.]?(?:a|b|rc|alpha|beta|dev|post|next|canary)[-.]?\d{0,8})?)"
)
_PINNED = re.compile(rf"([A-Za-z][\w.-]{{0,60}})\s?==\s?{_VERSION}")
_SPACED = re.compile(rf"(?<![\w.-])([A-Za-z@][\w./@-]{{0,60}})[ :=@]{{1,3}}{_VERSION}(?![\w.])")
_NAMED = re.compile(
    rf"([A-Za-z][\w .()/-]{{0,60}}?)\s*(?:version|ver\.?)\s*[:=]?\s*{_VERSION}", re.I
)
_BARE = re.compile(rf"^\s*(?:[-*]\s*)?\**version\**\s*[:=]\s*\**\s*{_VERSION}", re.I)
_ALONE = re.compile(rf"^\s*{_VERSION}\s*$")
_OS = re.compile(
    r"\b(windows|macos|ubuntu|debian|fedora|linux|android|ios)\b(?:[ \t]+(\d[\d.]{0,11}\d|\d))?",
    re.I,
)
# Words that stand before a number without being the name of a program.
_NO_NAMES = frozenset(
    {"line", "in", "on", "at", "to", "from", "of", "the", "and", "or", "is", "was", "since"}
    | {"with", "using", "version", "v", "a", "an", "step", "issue", "by"}
)


def reported_versions(text: str) -> dict[str, str]:
    """Find versions by name in lower case; `version` is the reported project's own.

    The first mention of a name counts. An operating system is found under `os`.
    """
    found: dict[str, str] = {}
    for heading, answer in form_fields(text).items():
        alone = _ALONE.match(answer.splitlines()[0][:LONGEST_LINE]) if answer else None
        if alone and "version" in heading:
            found.setdefault(_name(heading.replace("version", "")) or "version", alone[1])
    for line in text.splitlines()[:MOST_LINES]:
        _read_line(line[:LONGEST_LINE], found)
    return found


def _read_line(line: str, found: dict[str, str]) -> None:
    if bare := _BARE.match(line):
        found.setdefault("version", bare[1])
    if named := _NAMED.search(line):
        found.setdefault(_name(named[1].split()[-1]) if named[1].split() else "version", named[2])
    for pattern in (_PINNED, _SPACED):
        for match in pattern.finditer(line):
            name = _name(match[1])
            if name and name not in _NO_NAMES:
                found.setdefault(name, match[2])
    if system := _OS.search(line):
        found.setdefault("os", " ".join(part for part in system.groups() if part))


def _name(text: str) -> str:
    return text.strip(" \t@*_`().:-/").lower().replace("_", "-")


def package_version(environment: dict[str, str], names: tuple[str, ...]) -> str | None:
    """Pick the version of the reported project: by one of its names, else the unnamed one."""
    for name in (*names, "version"):
        version = environment.get(_name(name))
        if version:
            return version
    return None
