"""The functions and classes of a text by tree-sitter, where the language's grammar is installed."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from resolveflow.backends.span_grammars import GRAMMARS
from resolveflow.codebase.languages import LARGEST
from resolveflow.codebase.spans import Span, by_place, scripts_of, spans_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from resolveflow.codebase.spans import Kind

_LONGEST_ANSWER = 1 << 28  # bytes
_PROGRAM = ("-P", "-m", "resolveflow.backends.span_parser")
_MARKUP = re.compile(rb"</[\w.]*>|/>")
_OBJC = re.compile(rb"^@(?:interface|implementation|protocol)\b", re.MULTILINE)
_CPP = re.compile(
    rb"^[ \t]*+(?:class|namespace|template|using|public:|private:|protected:)|\w::~?\w"
    rb"|\b(?:nullptr|noexcept|constexpr|operator)\b|extern \"C\"",
    re.MULTILINE,
)


class SpanFinder:
    """Finds spans of texts one after the other, parsing in a child that it starts when needed.

    An asynchronous context manager: the child ends with it. Of one event loop.
    """

    def __init__(self) -> None:
        self._child: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()

    async def __aenter__(self) -> Self:
        """Start nothing yet."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """End the child."""
        await self._end()

    async def find_spans(self, text: bytes, language: str) -> tuple[Span, ...]:
        """The spans of a text (UTF-8, `\\n` line ends), as precise as what is installed allows."""
        found = await self.precise_spans(text, language)
        return spans_of(text, language) if found is None else found

    async def precise_spans(self, text: bytes, language: str) -> tuple[Span, ...] | None:
        """The spans of a text by its syntax tree; parts that are no valid syntax are passed over.

        None where the language's grammar is not installed, and for a text of more than LARGEST
        bytes or one that takes out of proportion long, or much memory, to parse.
        """
        if len(text) > LARGEST:
            return None
        if language == "component":
            text = scripts_of(text)
        dialect = _dialect(text, language)
        if not _is_installed(dialect):
            return None
        async with self._turn:
            rows = await self._ask(text, dialect)
        return None if rows is None else by_place({Span(*row) for row in rows})

    async def _ask(self, text: bytes, dialect: str) -> Sequence[tuple[str, Kind, int, int]] | None:
        """The child's answer; None where the text was the end of it."""
        child = self._child = self._child or await _start()
        try:
            answer = await _exchange(child, b"%b %d\n%b" % (dialect.encode(), len(text), text))
        except asyncio.CancelledError:  # its answer would be taken for the next one's
            child.kill()
            await self._end()
            raise
        if not answer:
            await self._end()
        return json.loads(answer) if answer else None

    async def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None and child.stdin is not None:
            child.stdin.close()
            await child.wait()


async def _start() -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        *_PROGRAM,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        limit=_LONGEST_ANSWER,
        env={"LC_ALL": "C.UTF-8"},  # grammars are native code that reads hostile text: no secrets
        cwd="/",
        start_new_session=True,
    )


async def _exchange(child: asyncio.subprocess.Process, request: bytes) -> bytes:
    """The answer line; empty where the child ends instead."""
    if child.stdin is None or child.stdout is None:
        return b""
    with suppress(ConnectionError):
        child.stdin.write(request)
        await child.stdin.drain()
    return await child.stdout.readline()


@cache
def _is_installed(dialect: str) -> bool:
    grammar = GRAMMARS.get(dialect)
    return grammar is not None and all(map(find_spec, ("tree_sitter", grammar.module)))


def _dialect(text: bytes, language: str) -> str:
    """The grammar to read a text of a language by."""
    if language in ("typescript", "component"):
        return "tsx" if _MARKUP.search(text) else "typescript"
    if language == "c":
        return "objc" if _OBJC.search(text) else "cpp" if _CPP.search(text) else "c"
    return language
