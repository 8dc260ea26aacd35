"""Prompts as markdown files, and `render` to fill them in.

`{{name}}` stands for text that the project wrote; `{{data:name}}` for text that somebody else
wrote: it is put into a `<data name="…">` block whose tags that text cannot imitate.
"""

import hashlib
import re
from importlib import resources

_PLACEHOLDER = re.compile(r"\{\{(data:)?([a-z][a-z0-9_]*)\}\}")
_TAG_LIKE = re.compile(r"[<＜](?=[^\w<＜]{0,8}data)", re.IGNORECASE)


def render(name: str, **values: str) -> str:
    """Fill in the prompt `name`.

    Raises:
        ValueError: there is no such prompt, or `values` are not exactly its placeholders.
    """
    source = resources.files(__name__).joinpath(f"{name}.md")
    if not name.isidentifier() or not source.is_file():
        raise ValueError(f"there is no prompt {name!r}")
    try:
        return fill(source.read_text(encoding="utf-8").strip(), **values)
    except ValueError as error:
        raise ValueError(f"prompt {name}: {error}") from None


def fill(template: str, **values: str) -> str:
    """Replace the placeholders in one pass: inserted text is never expanded again.

    Raises:
        ValueError: `values` are not exactly the template's placeholders.
    """
    wanted = {match[2] for match in _PLACEHOLDER.finditer(template)}
    if missing := wanted - values.keys():
        raise ValueError(f"no value for {', '.join(sorted(missing))}")
    if unknown := values.keys() - wanted:
        raise ValueError(f"no placeholder for {', '.join(sorted(unknown))}")

    def replacement(match: re.Match[str]) -> str:
        value = values[match[2]]
        return _block(match[2], value) if match[1] else value

    return _PLACEHOLDER.sub(replacement, template)


def prompt_hash(text: str) -> str:
    """Hash a prompt as it was sent (SHA-256, hexadecimal)."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _block(name: str, text: str) -> str:
    return f'<data name="{name}">\n{_TAG_LIKE.sub("&lt;", text)}\n</data>'
