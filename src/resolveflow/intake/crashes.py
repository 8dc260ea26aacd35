"""Crashes in any text: logs, issues, mails, in the formats of `intake.formats`."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from resolveflow.domain.crash import Crash
from resolveflow.intake.fingerprint import fingerprint
from resolveflow.intake.formats import (
    apple,
    dotnet,
    go,
    javascript,
    jvm,
    native,
    php,
    python,
    ruby,
    rust,
    scripts,
)
from resolveflow.intake.formats.stack import Found
from resolveflow.intake.lines import clean_lines

MAX_CRASHES = 100  # a log of a service that fails on every request repeats itself


@dataclass(frozen=True)
class _Format:
    signs: tuple[str, ...]
    scan: Callable[[Sequence[str]], Iterator[Found]]


_FORMATS = tuple(
    _Format(module.SIGNS, module.scan)
    for module in (python, javascript, jvm, dotnet, go, rust, ruby, php, scripts, apple, native)
)


def parse_crashes(text: str) -> tuple[Crash, ...]:
    """Find every crash of a text, each once, in order of appearance.

    Exceptions that are chained stand together, the root cause first: it is what has to be mended,
    whichever end of the chain its language prints first. Frames go from the innermost, where it
    broke, outwards. Time is linear in the text; nothing in a text raises.
    """
    formats = [form for form in _FORMATS if any(sign in text for sign in form.signs)]
    if not formats:
        return ()
    lines = clean_lines(text)
    found = [crash for form in formats for crash in form.scan(lines)]
    found.sort(key=lambda item: item.line)  # stable: a chain keeps its order
    crashes = dict.fromkeys(item.crash for item in found)
    return tuple(
        crash.model_copy(update={"fingerprint": fingerprint(crash)})
        for crash in list(crashes)[:MAX_CRASHES]
    )
