"""The layers under an HTTP client for GitHub: what it may do, what it keeps, who it is."""

import hashlib
from pathlib import Path

import httpx
from hishel import AsyncSqliteStorage, CacheOptions, SpecificationPolicy
from hishel.httpx import AsyncCacheTransport
from pydantic import SecretStr

from resolveflow.domain.errors import Refused

KEPT_SECONDS = 30 * 86_400.0


class ReadOnlyTransport(httpx.AsyncBaseTransport):
    """Refuses every method but GET and HEAD, whoever asks."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Pass a read on.

        Raises:
            Refused: any other method.
        """
        if request.method not in {"GET", "HEAD"}:
            raise Refused(f"this connection to GitHub only reads; {request.method} was not sent")
        return await self._inner.handle_async_request(request)

    async def aclose(self) -> None:
        """Close what is below."""
        await self._inner.aclose()


class BearerTransport(httpx.AsyncBaseTransport):
    """Adds the token to requests for GitHub's own origin, below whatever caches or logs them."""

    def __init__(self, token: SecretStr | None, api_url: httpx.URL) -> None:
        self._token = token
        self._origin = origin(api_url)
        self._inner = httpx.AsyncHTTPTransport()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Pass the request on with the token."""
        if self._token is not None and origin(request.url) == self._origin:
            request.headers["authorization"] = f"Bearer {self._token.get_secret_value()}"
        return await self._inner.handle_async_request(request)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()


def origin(url: httpx.URL) -> tuple[str, str, int | None]:
    """The scheme, host and port that a token belongs to."""
    default = {"http": 80, "https": 443}.get(url.scheme)
    return url.scheme, url.host, url.port or default


def cached(inner: httpx.AsyncBaseTransport, path: Path) -> httpx.AsyncBaseTransport:
    """Keep answers with their ETags in an SQLite file that belongs to one token.

    Requests have to carry `cache-control: no-cache`: GitHub calls every answer fresh for a minute,
    and only then is it asked each time whether the kept one still holds.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    storage = AsyncSqliteStorage(database_path=path, default_ttl=KEPT_SECONDS)
    storage.last_cleanup = 0.0  # else a short-lived process never clears old entries away
    policy = SpecificationPolicy(CacheOptions(shared=False))
    return AsyncCacheTransport(inner, storage=storage, policy=policy)


def cache_path(home: Path, token: SecretStr | None, api_url: httpx.URL) -> Path:
    """Name the cache of one token at one GitHub; the name gives neither away."""
    secret = token.get_secret_value() if token else ""
    name = hashlib.sha256(f"{api_url}\n{secret}".encode()).hexdigest()[:32]
    return home / "github-cache" / f"{name}.db"
