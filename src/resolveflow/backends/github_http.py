"""Asking GitHub's REST API: limits, retries, redirects and refusals, each as one clear error."""

import asyncio
import json
import sqlite3
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import httpx
from pydantic import TypeAdapter, ValidationError

from resolveflow.backends.github_limits import Limit, limit_of
from resolveflow.backends.github_transport import origin
from resolveflow.domain.errors import (
    GitHubRefused,
    GitHubUnavailable,
    InvalidReference,
    OutcomeUnknown,
)
from resolveflow.intake.reference import is_repository_name

T = TypeVar("T")
MAX_BYTES = 64 * 1024 * 1024  # a page of 100 comments of the longest kind is smaller
MAX_PAGES = 100
PER_PAGE = 100
BACKOFF = (0.5, 1.0, 2.0)  # seconds before a read is tried again
# Only these are sure to happen before any byte of a request was sent.
_UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


async def in_silence(_seconds: float, _why: str) -> None:
    """Tell nobody of a wait."""


@dataclass(frozen=True)
class Patience:
    """How many seconds one read may wait for rate limits, and who is told before each wait."""

    max_wait: float = 120.0
    on_wait: Callable[[float, str], Awaitable[None]] = in_silence
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    now: Callable[[], float] = time.time


@dataclass(frozen=True)
class Answer:
    """A complete answer of bounded size."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)

    @property
    def message(self) -> str:
        """GitHub's own words in an error's body, as one printable line, or an empty string."""
        try:
            content = json.loads(self.body)
        except ValueError:
            return ""
        if not isinstance(content, dict):
            return ""
        errors = content.get("errors")
        parts = [content, *(errors if isinstance(errors, list) else ())]
        said = [part.get("message") for part in parts if isinstance(part, dict)]
        text = ": ".join(part for part in said if isinstance(part, str))
        return "".join(c for c in " ".join(text.split()) if c.isprintable())[:300]

    def limit(self, now: float) -> Limit | None:
        """The rate limit that this answer reports."""
        return limit_of(self.status, self.headers, self.message, now=now)


def open_client(
    transport: httpx.AsyncBaseTransport, api_url: httpx.URL, *, timeout: float
) -> httpx.AsyncClient:
    """Make an HTTP client for one GitHub; it follows no redirect."""
    headers = {
        "accept": "application/vnd.github+json",
        "cache-control": "no-cache",
        "user-agent": "resolveflow",
        "x-github-api-version": "2022-11-28",
    }
    return httpx.AsyncClient(
        transport=transport,
        base_url=api_url,
        headers=headers,
        timeout=httpx.Timeout(timeout, connect=timeout / 2),
        follow_redirects=False,
    )


class Connection:
    """One account's conversation with one GitHub; `timeout` seconds is the longest exchange."""

    def __init__(self, client: httpx.AsyncClient, *, patience: Patience, timeout: float) -> None:
        self._client = client
        self._patience = patience
        self._timeout = timeout

    async def get(
        self, path: str, *, what: str, params: Mapping[str, str | int] | None = None
    ) -> Answer:
        """Read `path`; `what` names the thing in errors.

        Raises:
            GitHubRefused: any status but 200, a transfer included.
            GitHubUnavailable: no answer, or a limit that outlasts the allowed wait.
        """
        answer = await self._read(path, what=what, params=params)
        if 300 <= answer.status < 400:
            raise await self._moved(answer, what)
        if answer.status != 200:
            raise refusal(answer, what)
        return answer

    async def pages(
        self, path: str, *, what: str, parse: Callable[[bytes], Sequence[T]]
    ) -> tuple[T, ...]:
        """Read every page of a list.

        A full page asks for the next one whatever its `link` says: the header of a kept answer is
        as old as that answer, and a page can stay the same while another one is added.
        """
        items: list[T] = []
        for page in range(1, MAX_PAGES + 1):
            params = {"per_page": PER_PAGE, "page": page}
            answer = await self.get(path, what=what, params=params)
            found = parse(answer.body)
            items += found
            if len(found) < PER_PAGE and 'rel="next"' not in answer.headers.get("link", ""):
                return tuple(items)
        raise GitHubUnavailable(f"{what} have more than {MAX_PAGES} pages; that is not supported")

    async def post(self, path: str, content: Mapping[str, object], *, what: str) -> Answer:
        """Send a write once, and never again.

        Raises:
            GitHubRefused: GitHub said no; nothing happened.
            GitHubUnavailable: a rate limit, or no connection; nothing happened.
            OutcomeUnknown: it was sent, but whether it happened is not known.
        """
        try:
            answer = await self._exchange("POST", path, content=content)
        except _UNSENT as error:
            raise GitHubUnavailable(
                f"no connection to GitHub ({type(error).__name__}): {what} was not sent"
            ) from None
        except (httpx.HTTPError, TimeoutError, _TooLarge) as error:
            raise OutcomeUnknown(
                f"{what} was sent, but GitHub's answer was lost ({type(error).__name__})"
            ) from None
        if limit := answer.limit(self._patience.now()):
            raise GitHubUnavailable(
                f"{limit.why}: {what} was not accepted; try again in {limit.seconds:.0f} s"
            )
        if answer.status >= 500:
            raise OutcomeUnknown(f"{what} was sent, but GitHub answered {answer.status}")
        if not 200 <= answer.status < 300:
            raise refusal(answer, what)
        return answer

    async def _read(
        self, path: str, *, what: str, params: Mapping[str, str | int] | None = None
    ) -> Answer:
        left = self._patience.max_wait
        backoff = iter(BACKOFF)
        while True:
            answer, trouble = await self._try_to_read(path, params)
            limit = answer.limit(self._patience.now()) if answer else None
            if limit is not None:
                seconds, why = limit.seconds, limit.why
                if seconds > left:
                    raise GitHubUnavailable(_too_long(limit, what))
                left -= seconds
            elif answer is not None and answer.status < 500:
                return answer
            else:
                why = f"GitHub answered {answer.status}" if answer else trouble
                seconds = next(backoff, -1.0)
                if seconds < 0:
                    raise GitHubUnavailable(f"{what} could not be read: {why}; try again later")
            await self._patience.on_wait(seconds, why)
            await self._patience.sleep(seconds)

    async def _try_to_read(
        self, path: str, params: Mapping[str, str | int] | None
    ) -> tuple[Answer | None, str]:
        try:
            return await self._exchange("GET", path, params=params), ""
        except (httpx.HTTPError, TimeoutError) as error:
            return None, f"no answer from GitHub ({type(error).__name__})"
        except _TooLarge:
            raise GitHubUnavailable(
                f"GitHub's answer is larger than {MAX_BYTES // 2**20} MiB; it was not read"
            ) from None
        except sqlite3.Error as error:
            raise GitHubUnavailable(
                f"the cache of GitHub's answers cannot be used ({error}): "
                "delete the folder github-cache in RESOLVEFLOW_HOME"
            ) from None

    async def _exchange(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str | int] | None = None,
        content: Mapping[str, object] | None = None,
    ) -> Answer:
        body = bytearray()
        async with (
            asyncio.timeout(self._timeout),
            self._client.stream(method, path, params=params, json=content) as response,
        ):
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > MAX_BYTES:
                    raise _TooLarge
        return Answer(response.status_code, response.headers, bytes(body))

    async def _moved(self, answer: Answer, what: str) -> GitHubRefused:
        """Find out where it is now, at this GitHub only, so that the new link can be given."""
        base = self._client.base_url
        target = base.join(answer.headers.get("location", ""))
        status = answer.status
        if origin(target) != origin(base) or not target.path.startswith(base.path):
            text = f"{what} redirects to another host ({target.host}), which is never followed"
            return GitHubRefused(text, status=status, detail=answer.message)
        there = await self._read(str(target), what=what)
        where = _html_url(there) if there.status == 200 else None
        text = f"{what} was moved or transferred" + (
            f" to {where}: give that link" if where else ", and its new place cannot be read"
        )
        return GitHubRefused(text, status=status, detail=answer.message)


class _TooLarge(Exception):
    """An answer beyond MAX_BYTES."""


def _too_long(limit: Limit, what: str) -> str:
    return (
        f"{limit.why} for another {limit.seconds:.0f} s, longer than is allowed: {what} was not "
        "read; try later, set RESOLVEFLOW_GITHUB_TOKEN, or raise RESOLVEFLOW_GITHUB_MAX_WAIT"
    )


def _html_url(answer: Answer) -> str | None:
    try:
        content = json.loads(answer.body)
    except ValueError:
        return None
    url = content.get("html_url") if isinstance(content, dict) else None
    return url[:300] if isinstance(url, str) and url.isprintable() else None


def refusal(answer: Answer, what: str) -> GitHubRefused:
    """Put a status into words: what happened, and what to do about it."""
    said = answer.message
    text = {
        401: f"GitHub does not accept the token for {what}: give a valid one",
        404: f"{what} does not exist, or it is private and the token may not see it",
        410: f"{what} was deleted",
    }.get(answer.status, f"GitHub refused {what} with {answer.status}")
    return GitHubRefused(f"{text} ({said})" if said else text, status=answer.status, detail=said)


def parsed(adapter: TypeAdapter[T], body: bytes, *, what: str) -> T:
    """Validate a payload.

    Raises:
        GitHubUnavailable: a required field is missing or wrong; the message names it.
    """
    try:
        return adapter.validate_json(body)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        name = ".".join(str(part) for part in first["loc"]) or "the whole"
        raise GitHubUnavailable(
            f"GitHub's answer for {what} cannot be used: `{name}`: {first['msg']}"
        ) from None


def repository_path(owner: str, repo: str) -> str:
    """`/repos/OWNER/REPO`, of names that cannot lead elsewhere.

    Raises:
        InvalidReference: names that GitHub does not allow.
    """
    if not is_repository_name(owner, repo):
        raise InvalidReference(f"{owner}/{repo} is no repository's name")
    return f"/repos/{owner}/{repo}"
