"""A report's text as lines, freed of what mail, logs and terminals put before them."""

import re

MAX_LINE = 4_096  # characters; a longer line is cut, so that no pattern sees more

_ANSI = re.compile(r"\x1b\[[0-9;]{0,16}[A-Za-z]")
_QUOTE = re.compile(r"(?:> ?){1,8}")
_STAMP = re.compile(
    r"\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} +\d+ +\d+ [VDIWEF] [^:]{1,60}: ?"  # logcat, threadtime
    r"|[VDIWEF]/[^(:]{1,40}\( *\d+\): ?"  # logcat, brief
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S{1,80} [^:\s]{1,60}: "  # syslog
    r"|\[ *\d+\.\d{6}\] "  # dmesg
    r"|[\w.-]{1,40} +\| "  # docker compose
    r"|\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d\S{0,16} "
)
_ESCAPED_STACKS = ("\\n    at ", "\\n\\tat ", "\\n   at ", '\\n  File \\"', '\\n  File "')


def clean_lines(text: str) -> list[str]:
    """Split text into lines, without quote marks, log prefixes and terminal colours.

    A stack inside a JSON string (`"stack": "Error: x\\n    at f"`) is unfolded into lines.
    """
    lines: list[str] = []
    for line in text.split("\n"):
        if "\\n" in line and any(mark in line for mark in _ESCAPED_STACKS):
            lines.extend(_clean(part) for part in _unescaped(line).split("\n"))
        else:
            lines.append(_clean(line))
    return lines


def _unescaped(line: str) -> str:
    return line.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"')


def _clean(line: str) -> str:
    line = line[:MAX_LINE].rstrip("\r")
    if "\x1b" in line:
        line = _ANSI.sub("", line)
    if line[:1] == ">" and (quote := _QUOTE.match(line)):
        line = line[quote.end() :]
    if stamp := _STAMP.match(line):
        line = line[stamp.end() :]
    return line
