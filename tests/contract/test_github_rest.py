"""What only the REST backends have to do: limits, retries, redirects, caching, secrets, sizes."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from importlib.metadata import entry_points
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr

from resolveflow.backends import github_http
from resolveflow.backends.github_http import BACKOFF, Patience
from resolveflow.backends.github_reader import RestReader, open_reader
from resolveflow.backends.github_transport import BearerTransport, ReadOnlyTransport
from resolveflow.domain.errors import (
    GitHubRefused,
    GitHubUnavailable,
    InvalidReference,
    OutcomeUnknown,
    Refused,
)
from resolveflow.domain.report import IssueRef
from resolveflow.ports import GitHubWriter
from resolveflow.testing.github_standin import Fault, StandIn, serve
from resolveflow.testing.promises_github import WIDGET, seed

NOW = 1_800_000_000.0
SECRET = "github_pat_very-secret"
ISSUE = {"title": "It breaks", "number": 1}


@dataclass
class Clock:
    """Counts waits instead of waiting."""

    waits: list[tuple[float, str]] = field(default_factory=list)
    slept: list[float] = field(default_factory=list)

    async def on_wait(self, seconds: float, why: str) -> None:
        self.waits.append((seconds, why))

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    def patience(self, max_wait: float = 120.0) -> Patience:
        return Patience(max_wait, on_wait=self.on_wait, sleep=self.sleep, now=lambda: NOW)


@pytest.fixture
async def standin(tmp_path: Path) -> AsyncIterator[StandIn]:
    async with serve(tmp_path / "state", seed=seed()) as running:
        yield running


@pytest.fixture
def read(
    standin: StandIn, tmp_path: Path
) -> Callable[..., AbstractAsyncContextManager[RestReader]]:
    def opened(clock: Clock, token: str | None = None, max_wait: float = 120.0):
        return open_reader(
            SecretStr(token) if token else None,
            api_url=standin.url,
            home=tmp_path / "home",
            patience=clock.patience(max_wait),
        )

    return opened


def write(
    url: str,
    token: str = "guest",  # noqa: S107 - an account of the stand-in
    timeout: float = 30.0,
) -> AbstractAsyncContextManager[GitHubWriter]:
    (point,) = entry_points(group="resolveflow.github_writers", name="rest")
    return point.load()(url, patience=Clock().patience(), timeout=timeout)(SecretStr(token))


@asynccontextmanager
async def canned(answers: Sequence[bytes]) -> AsyncIterator[tuple[str, list[bytes]]]:
    """Serve these answers, byte for byte, one to a connection; the list fills with requests."""
    left, seen = list(answers), []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(left.pop(0))
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", seen


def http(status: int, content: object, **headers: str) -> bytes:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    lines = [f"HTTP/1.1 {status} X", f"content-length: {len(body)}", "connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def reading(url: str, home: Path, clock: Clock | None = None, **options: object):
    patience = (clock or Clock()).patience()
    return open_reader(None, api_url=url, home=home, patience=patience, **options)


@pytest.mark.parametrize(
    ("fault", "seconds", "why"),
    [
        ({"kind": "secondary_limit", "retry_after": "7"}, 7, "secondary rate limit"),
        ({"kind": "secondary_limit", "retry_after": "7", "status": 429}, 7, "secondary"),
        ({"kind": "secondary_limit"}, 60, "secondary rate limit"),
        ({"kind": "secondary_limit", "retry_after": "soon"}, 60, "secondary rate limit"),
        (
            {
                "kind": "secondary_limit",
                "retry_after": format_datetime(datetime.fromtimestamp(NOW + 9, UTC), usegmt=True),
            },
            9,
            "secondary rate limit",
        ),
        (
            {"kind": "secondary_limit", "retry_after": "Thu, 01 Jan 1970 00:00:00 -0000"},
            0,
            "secondary rate limit",
        ),
        ({"kind": "primary_limit", "reset": int(NOW) + 30}, 31, "rate limit is used up"),
        ({"kind": "primary_limit", "reset": int(NOW) - 30, "status": 429}, 1, "used up"),
        ({"kind": "primary_limit"}, 60, "rate limit is used up"),
    ],
)
async def test_a_limit_is_waited_for_visibly(
    standin: StandIn, read: Callable, fault: dict[str, object], seconds: float, why: str
) -> None:
    clock = Clock()
    standin.fail(Fault.model_validate({"method": "GET", **fault}))
    async with read(clock) as reader:
        assert (await reader.issue(WIDGET)).number == 1
    assert clock.slept == [seconds]
    assert [(it[0], why in it[1]) for it in clock.waits] == [(seconds, True)]


async def test_a_limit_beyond_the_allowed_wait_is_an_error(
    standin: StandIn, read: Callable
) -> None:
    clock = Clock()
    standin.fail(Fault(kind="secondary_limit", method="GET", retry_after="50", times=9))
    async with read(clock, max_wait=120) as reader:
        with pytest.raises(GitHubUnavailable, match=r"another 50 s.*RESOLVEFLOW_GITHUB_MAX_WAIT"):
            await reader.issue(WIDGET)
    assert clock.slept == [50, 50]


async def test_a_403_that_is_no_limit_is_not_waited_for(read: Callable) -> None:
    clock = Clock()
    async with read(clock, "app") as reader:
        with pytest.raises(GitHubRefused):
            await reader.viewer()
    assert clock.waits == []


@pytest.mark.parametrize("kind", ["bad_gateway", "cut"])
async def test_a_read_is_tried_again_a_few_times(
    standin: StandIn, read: Callable, kind: str
) -> None:
    clock = Clock()
    fault = {"kind": kind, "method": "GET", "times": len(BACKOFF)}
    standin.fail(Fault.model_validate(fault))
    async with read(clock) as reader:
        assert (await reader.issue(WIDGET)).number == 1
        assert clock.slept == list(BACKOFF)
        standin.fail(Fault.model_validate({**fault, "times": len(BACKOFF) + 1}))
        with pytest.raises(GitHubUnavailable, match="could not be read"):
            await reader.issue(WIDGET)
    assert all(why for _, why in clock.waits)


async def test_no_server_is_unavailable(tmp_path: Path) -> None:
    async with canned([]) as (url, _):
        pass
    async with reading(url, tmp_path) as reader:
        with pytest.raises(GitHubUnavailable, match="ConnectError"):
            await reader.issue(WIDGET)
    async with write(url) as writer:
        with pytest.raises(GitHubUnavailable, match="was not sent") as raised:
            await writer.post_comment(WIDGET, "x")
    assert not isinstance(raised.value, OutcomeUnknown)


async def test_a_write_that_times_out_was_sent_once(standin: StandIn) -> None:
    standin.fail(Fault(kind="timeout", when="after"))
    async with write(standin.url, timeout=1.0) as writer:
        with pytest.raises(OutcomeUnknown, match="answer was lost"):
            await writer.post_comment(WIDGET, "x")
    assert [(entry["method"], entry["user"]) for entry in standin.writes()] == [("POST", "guest")]
    assert len(standin.world.repositories[0].issues[0].comments) == 1


async def test_a_created_comment_that_cannot_be_read_is_an_unknown_outcome() -> None:
    async with canned([http(201, {"url": "x"})]) as (url, _), write(url) as writer:
        with pytest.raises(OutcomeUnknown, match="`id`"):
            await writer.post_comment(WIDGET, "x")


async def test_a_write_follows_no_redirect() -> None:
    moved = http(
        307, {"message": "Moved Permanently"}, location="/repositories/1/issues/1/comments"
    )
    async with canned([moved]) as (url, seen), write(url) as writer:
        with pytest.raises(GitHubRefused, match="307"):
            await writer.post_comment(WIDGET, "x")
        assert len(seen) == 1


async def test_a_transfer_says_where_the_issue_is_now(standin: StandIn, read: Callable) -> None:
    async with read(Clock()) as reader:
        with pytest.raises(GitHubRefused) as raised:
            await reader.issue(WIDGET.model_copy(update={"number": 5}))
    assert raised.value.status == 301
    assert f"transferred to {standin.url}/acme/attic/issues/9: give that link" in str(raised.value)


@pytest.mark.parametrize(
    ("location", "answers", "says"),
    [
        ("http://169.254.169.254/latest", [], r"another host \(169\.254\.169\.254\)"),
        ("//evil.example/repos/a/b", [], r"another host \(evil\.example\)"),
        ("/repositories/9/issues/9", [http(404, {"message": "Not Found"})], "cannot be read"),
        ("/repositories/9/issues/9", [http(200, b"<html>")], "cannot be read"),
        ("/repositories/9/issues/9", [http(302, {}, location="/x")], "cannot be read"),
        ("", [http(200, [])], "cannot be read"),
    ],
)
async def test_a_redirect_is_never_followed_elsewhere(
    tmp_path: Path, location: str, answers: list[bytes], says: str
) -> None:
    moved = http(301, {"message": "Moved Permanently"}, location=location)
    async with canned([moved, *answers]) as (url, seen), reading(url, tmp_path) as reader:
        with pytest.raises(GitHubRefused, match=says):
            await reader.issue(WIDGET)
    assert len(seen) == 1 + len(answers)


@pytest.mark.parametrize(
    ("payload", "says"),
    [
        ({"number": 1}, "`title`: Field required"),
        ({**ISSUE, "user": {"login": "x"}}, r"`user\.id`: Field required"),
        ({"title": "x"}, "`number` is None"),
        ({**ISSUE, "number": 2}, "`number` is 2"),
        ({**ISSUE, "state": "odd"}, "`state`"),
        (b"<html>", "the whole"),
        (b"\xff", "the whole"),
    ],
)
async def test_a_payload_that_lacks_something_is_an_error_that_names_it(
    tmp_path: Path, payload: object, says: str
) -> None:
    async with canned([http(200, payload)]) as (url, _), reading(url, tmp_path) as reader:
        with pytest.raises(GitHubUnavailable, match=says) as raised:
            await reader.issue(WIDGET)
    assert "acme/widget#1" in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"<html>", ""), ([], ""), ({"message": 5}, ""), ({"message": "a\n\x1b[31mb"}, "a [31mb")],
)
async def test_githubs_words_are_one_printable_line(
    tmp_path: Path, content: object, said: str
) -> None:
    async with canned([http(418, content)]) as (url, _), reading(url, tmp_path) as reader:
        with pytest.raises(GitHubRefused) as raised:
            await reader.issue(WIDGET)
    assert (raised.value.status, raised.value.detail) == (418, said)


async def test_an_endless_answer_is_cut_off(tmp_path: Path) -> None:
    endless = http(200, b" " * (github_http.MAX_BYTES + 1))
    async with canned([endless]) as (url, _), reading(url, tmp_path) as reader:
        with pytest.raises(GitHubUnavailable, match="larger than 64 MiB"):
            await reader.issue(WIDGET)


async def test_a_list_without_an_end_is_cut_off(tmp_path: Path) -> None:
    page = http(200, [], link='<http://x/?page=2>; rel="next"')
    async with canned([page] * github_http.MAX_PAGES) as (url, seen):
        async with reading(url, tmp_path) as reader:
            with pytest.raises(GitHubUnavailable, match="more than 100 pages"):
                await reader.comments(WIDGET)
        assert len(seen) == github_http.MAX_PAGES


async def test_unchanged_answers_are_asked_for_again_and_cost_a_304(
    standin: StandIn, read: Callable
) -> None:
    for _ in range(2):  # the cache outlives the connection
        async with read(Clock()) as reader:
            first = await reader.issue(WIDGET)
            again = await reader.issue(WIDGET)
        assert first == again
    assert [entry["status"] for entry in standin.requests()] == [200, 304, 304, 304]


async def test_each_token_has_its_own_cache_that_does_not_hold_it(
    standin: StandIn, read: Callable, tmp_path: Path
) -> None:
    secret = IssueRef(owner="acme", repo="secret", number=1)
    async with read(Clock(), "writer") as mona, read(Clock(), "guest") as guest:
        assert (await mona.issue(secret)).title == "Hush"
        with pytest.raises(GitHubRefused, match="does not exist, or it is private"):
            await guest.issue(secret)
    kept = list((tmp_path / "home" / "github-cache").glob("*.db"))
    assert len(kept) == 2
    assert all(b"Bearer" not in it.read_bytes() and b"writer" not in it.read_bytes() for it in kept)
    assert (tmp_path / "home" / "github-cache").stat().st_mode & 0o077 == 0


async def test_a_broken_cache_is_one_line_that_says_what_to_do(
    standin: StandIn, read: Callable, tmp_path: Path
) -> None:
    async with read(Clock()) as reader:
        await reader.issue(WIDGET)
    for path in (tmp_path / "home" / "github-cache").glob("*.db"):
        path.write_bytes(b"no database at all" * 1_000)
    async with read(Clock()) as reader:
        with pytest.raises(GitHubUnavailable, match="delete the folder github-cache"):
            await reader.issue(WIDGET)


async def test_the_writer_keeps_no_answer(standin: StandIn) -> None:
    async with write(standin.url) as writer:
        await writer.issue(WIDGET)
        await writer.issue(WIDGET)
    assert [entry["status"] for entry in standin.requests()] == [200, 200]


async def test_the_readers_transport_refuses_every_write_verb(standin: StandIn) -> None:
    url = httpx.URL(standin.url)
    transport = ReadOnlyTransport(BearerTransport(SecretStr("writer"), url))
    async with httpx.AsyncClient(transport=transport, base_url=url) as client:
        for method in ("POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "post", "Get"):
            with pytest.raises(Refused, match="only reads"):
                await client.send(httpx.Request(method.encode(), url.join("/user")))
        assert (await client.head("/user")).status_code == 200
    assert [entry["method"] for entry in standin.requests()] == ["HEAD"]


async def test_a_token_goes_to_its_own_origin_only() -> None:
    ok = http(200, {})
    async with canned([ok]) as (home, at_home), canned([ok]) as (away, at_away):
        transport = BearerTransport(SecretStr(SECRET), httpx.URL(home))
        async with httpx.AsyncClient(transport=transport) as client:
            await client.get(home)
            await client.get(away)
    assert SECRET.encode() in at_home[0]
    assert SECRET.encode() not in at_away[0]


@pytest.mark.parametrize("status", [401, 403, 404, 410, 422, 451])
async def test_no_error_repeats_the_token(tmp_path: Path, status: int) -> None:
    async with canned([http(status, {"message": "no"})] * 2) as (url, _):
        options = {"api_url": url, "home": tmp_path}
        async with (
            open_reader(SecretStr(SECRET), **options) as reader,
            write(url, SECRET) as writer,
        ):
            for attempt in (reader.issue(WIDGET), writer.post_comment(WIDGET, "x")):
                with pytest.raises(GitHubRefused) as raised:
                    await attempt
                assert raised.value.status == status
                assert SECRET not in repr(raised.value) + str(raised.value.__context__)


@pytest.mark.parametrize(("owner", "repo"), [("..", "x"), ("a", ".."), ("a/b", "c"), ("a", "b?x")])
async def test_names_cannot_lead_to_another_path(
    read: Callable, standin: StandIn, owner: str, repo: str
) -> None:
    async with read(Clock()) as reader:
        with pytest.raises(InvalidReference, match="no repository's name"):
            await reader.issue(IssueRef(owner=owner, repo=repo, number=1))
        with pytest.raises(InvalidReference, match="no repository's name"):
            await reader.repository(owner, repo)
    assert standin.requests() == []


async def test_an_enterprise_base_path_is_kept(tmp_path: Path) -> None:
    ok = canned([http(200, ISSUE)])
    async with ok as (url, seen), reading(f"{url}/api/v3", tmp_path) as reader:
        await reader.issue(WIDGET)
    assert seen[0].startswith(b"GET /api/v3/repos/acme/widget/issues/1 ")
    assert b"accept: application/vnd.github+json" in seen[0].lower()
