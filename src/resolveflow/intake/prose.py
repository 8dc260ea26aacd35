"""What a reporter says, apart from code, logs, quotes and the template's own words."""


def prose(text: str) -> str:
    """Keep the lines that are the reporter's own words.

    Left out: fenced and indented code, quotes, HTML comments, unticked boxes, headings.
    """
    kept: list[str] = []
    fence = ""
    for line in without_comments(text).splitlines():
        mark = line.lstrip()
        if mark.startswith(("```", "~~~")):
            fence = "" if fence and mark.startswith(fence) else fence or mark[:3]
        elif not fence and not _is_quoted(line, mark):
            kept.append(line)
    return "\n".join(kept)


def _is_quoted(line: str, mark: str) -> bool:
    return line.startswith(("    ", "\t")) or mark.startswith((">", "#", "- [ ]", "* [ ]"))


def without_comments(text: str) -> str:
    """Drop HTML comments, an unclosed one to the end."""
    parts: list[str] = []
    position = 0
    while (start := text.find("<!--", position)) >= 0:
        parts.append(text[position:start])
        end = text.find("-->", start)
        if end < 0:
            return "".join(parts)
        position = end + len("-->")
    return "".join((*parts, text[position:]))


def has_code(text: str) -> bool:
    """Whether the text holds a code block or a code span."""
    return "```" in text or "~~~" in text or text.count("`") >= 2
