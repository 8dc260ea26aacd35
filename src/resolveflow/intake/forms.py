"""Issue forms: GitHub writes their answers as `### Heading` sections of the body."""

NO_RESPONSE = "_no response_"


def form_fields(body: str) -> dict[str, str]:
    """Read the answers by their heading in lower case; an unanswered field has an empty text."""
    fields: dict[str, list[str]] = {}
    answer: list[str] | None = None
    fenced = False
    for line in body.splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        if line.startswith(("### ", "## ", "#### ")) and not fenced:
            answer = fields.setdefault(line.strip("# \t:").lower(), [])
        elif answer is not None:
            answer.append(line)
    return {heading: _answer(lines) for heading, lines in fields.items()}


def _answer(lines: list[str]) -> str:
    text = "\n".join(lines).strip()
    return "" if text.lower() == NO_RESPONSE else text
