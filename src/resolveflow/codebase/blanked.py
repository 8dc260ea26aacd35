"""Source text with its comments blank and its strings filled in, so that brackets can be counted.

Every pattern takes what it begins to read, even where no end follows, so that reading a text takes
time linear in its length.
"""

import re
from bisect import bisect_left

_BLANK = bytes(byte if byte == 10 else 32 for byte in range(256))
_FILLED = b"_" * 256

_QUOTED = rb"\"(?:[^\"\\\n]|\\.)*+\"?"
_SINGLE_QUOTED = rb"'(?:[^'\\\n]|\\.)*+'?"
_CHARACTER = rb"'(?:[^'\\\n]|\\[^\n][^'\n]{0,10})'"
_OF_C = rb"(?<![\da-fA-F])" + _SINGLE_QUOTED  # 1'000 is a number
_OVER_LINES = rb"\"(?:[^\"\\]|\\.)*+\"?"
_BACKTICKED = (  # with what it holds in `${}`, a template too
    rb"`(?:[^`\\$]|\\.|\$\{(?:[^{}`'\"]|\{[^{}`'\"]*+\}?|`(?:[^`\\]|\\.)*+`?|"
    + _QUOTED
    + rb"|"
    + _SINGLE_QUOTED
    + rb")*+\}?|\$)*+`?"
)
_RAW = rb"`[^`]*+`?"
_TRIPLE = rb"\"\"\"(?:[^\"\\]|\\.|\"(?!\"\"))*+(?:\"\"\")?"
_TRIPLE_SINGLE = rb"'''(?:[^'\\]|\\.|'(?!''))*+(?:''')?"
_VERBATIM = rb"\$?@\$?\"(?:[^\"]|\"\")*+\"?"
_RAW_OF_C = rb"R\"(?P<fence>[^()\s\"]{0,16})\(.*?(?:\)(?P=fence)\"|\Z)"
_RAW_OF_RUST = rb"\br(?P<hashes>#{0,8})\".*?(?:\"(?P=hashes)|\Z)"
_DOLLARS = rb"\$(?P<tag>\w{0,60})\$.*?(?:\$(?P=tag)\$|\Z)"
_LONG = rb"\[(?P<level>={0,8})\[.*?(?:\](?P=level)\]|\Z)"
_REGEX = (
    rb"(?:(?<=[(,=:\[!&|?{};])|(?<=\breturn))[ \t]*/(?![*/])"
    rb"(?:[^/\\\n\[]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*+\]?)++/?"
)
_HEREDOC = rb"<<[-~]?[ \t]*(?P<quote>[\"']?)(?P<heredoc>[A-Za-z_]\w*)(?P=quote)"
_HEREDOC_PHP = rb"<<<[ \t]*(?P<quote>[\"']?)(?P<heredoc>[A-Za-z_]\w*)(?P=quote)"
_HEREDOC_RUBY = rb"(?<!\w)<<[-~]?(?P<quote>[\"']?)(?P<heredoc>[A-Z_]\w*)(?P=quote)"

_SLASHES = rb"//[^\n]*"
_BLOCK = rb"/\*.*?(?:\*/|\Z)"
_HASH = rb"#[^\n]*"
_SPACED_HASH = rb"(?:(?<=[\s;])|\A)#[^\n]*"
_DASHES = rb"--[^\n]*"
_LONG_DASHES = rb"--\[(?P<deep>={0,8})\[.*?(?:\](?P=deep)\]|\Z)"
_POD = rb"(?m:^)=[a-z]\w*.*?(?:\n=cut\b[^\n]*|\Z)"
_BEGIN = rb"(?m:^)=begin\b.*?(?:\n=end\b[^\n]*|\Z)"
_DIRECTIVE = rb"(?m:^)[ \t]*#(?:[^\\\n/]|\\[\s\S]|/(?!\*))*+"


def _reader(comments: tuple[bytes, ...], *strings: bytes) -> "re.Pattern[bytes]":
    forms = (rb"(?P<comment>" + rb"|".join(comments) + rb")", *strings)
    return re.compile(rb"|".join(forms), re.DOTALL)


_OF_JVM = _reader((_SLASHES, _BLOCK), _TRIPLE, _QUOTED, _CHARACTER)
_OF_SCRIPT = _reader((_SLASHES, _BLOCK), _REGEX, _BACKTICKED, _QUOTED, _SINGLE_QUOTED)
_READERS = {
    "python": _reader((_HASH,), _TRIPLE, _TRIPLE_SINGLE, _QUOTED, _SINGLE_QUOTED),
    "javascript": _OF_SCRIPT,
    "typescript": _OF_SCRIPT,
    "component": _OF_SCRIPT,
    "java": _OF_JVM,
    "kotlin": _OF_JVM,
    "scala": _OF_JVM,
    "swift": _reader((_SLASHES, _BLOCK), _TRIPLE, _QUOTED),
    "go": _reader((_SLASHES, _BLOCK), _QUOTED, _RAW, _CHARACTER),
    "rust": _reader((_SLASHES, _BLOCK), _RAW_OF_RUST, _OVER_LINES, _CHARACTER),
    "c": _reader((_SLASHES, _BLOCK, _DIRECTIVE), _RAW_OF_C, _QUOTED, _OF_C),
    "csharp": _reader((_SLASHES, _BLOCK, _DIRECTIVE), _TRIPLE, _VERBATIM, _QUOTED, _CHARACTER),
    "dart": _reader((_SLASHES, _BLOCK), _TRIPLE, _TRIPLE_SINGLE, _QUOTED, _SINGLE_QUOTED),
    "php": _reader((_SLASHES, _BLOCK, rb"#(?!\[)[^\n]*"), _HEREDOC_PHP, _QUOTED, _SINGLE_QUOTED),
    "ruby": _reader((_BEGIN, _SPACED_HASH), _HEREDOC_RUBY, _QUOTED, _SINGLE_QUOTED),
    "perl": _reader((_POD, _SPACED_HASH), _HEREDOC_RUBY, _QUOTED, _SINGLE_QUOTED),
    "shell": _reader((_SPACED_HASH,), rb"<<<", _HEREDOC, _QUOTED, _SINGLE_QUOTED),
    "lua": _reader((_LONG_DASHES, _DASHES), _LONG, _QUOTED, _SINGLE_QUOTED),
    "elixir": _reader((_HASH,), _TRIPLE, _TRIPLE_SINGLE, _QUOTED),
    "sql": _reader((_DASHES, _BLOCK), _DOLLARS, rb"'[^']*+'?"),
}
_LAST_LINE = re.compile(rb"^[ \t]*([A-Za-z_]\w*)[ \t;,)]*+$", re.MULTILINE)
_QUOTES = b"\"'`/"


def blanked(text: bytes, language: str) -> bytes:
    """The text in the same length: comments as spaces (lines kept), strings as one line of `_`.

    A quote that nothing closes stays as it is.
    """
    reader = _READERS[language]
    ends = _heredoc_ends(text) if "heredoc" in reader.groupindex else {}
    parts: list[bytes] = []
    at = 0
    while match := reader.search(text, at):
        parts.append(text[at : match.start()])
        at = match.end()
        if match.lastgroup == "comment":
            parts.append(match[0].translate(_BLANK))
        elif match.lastgroup == "heredoc":
            at = _heredoc(text, match, ends, parts)
        else:
            parts.append(match[0].translate(_FILLED) if _is_closed(match[0]) else match[0])
    parts.append(text[at:])
    return b"".join(parts)


def _is_closed(string: bytes) -> bool:
    first = string.lstrip()[:1]
    return first not in _QUOTES or (len(string) > 1 and string.endswith(first))


def _heredoc_ends(text: bytes) -> dict[bytes, list[int]]:
    """Where lines of one word end, by the word, in order."""
    ends: dict[bytes, list[int]] = {}
    for line in _LAST_LINE.finditer(text):
        ends.setdefault(line[1], []).append(line.end(1))
    return ends


def _heredoc(
    text: bytes, opening: "re.Match[bytes]", ends: dict[bytes, list[int]], parts: list[bytes]
) -> int:
    """Append the opening's line and the filled body; gives the end of the body, if it has one."""
    found = ends.get(opening["heredoc"], [])
    index = bisect_left(found, opening.end())
    line_end = text.find(b"\n", opening.end())
    if index == len(found) or not 0 <= line_end < found[index]:
        parts.append(opening[0])
        return opening.end()
    parts.append(text[opening.start() : line_end])
    parts.append(text[line_end : found[index]].translate(_FILLED))
    return found[index]
