"""The stand-in as an ASGI application: tokens, rate limits, ETags, faults and the request log."""

import hashlib
import json
import time
from collections import Counter
from collections.abc import Awaitable, Callable

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from resolveflow.testing.github_standin import operations
from resolveflow.testing.github_standin.operations import Call, Operation, Reply
from resolveflow.testing.github_standin.records import Actor, Fault
from resolveflow.testing.github_standin.store import Logged, Store
from resolveflow.testing.github_standin.world import Denied, World

ADMIN = "/_standin"
_RESOURCES: tuple[tuple[str, str, Operation], ...] = (
    ("", "GET", operations.get_repository),
    ("/labels", "GET", operations.get_labels),
    ("/issues/{number}", "GET", operations.get_issue),
    ("/issues/{number}/comments", "GET", operations.get_comments),
    ("/issues/{number}/comments", "POST", operations.post_comment),
    ("/issues/{number}/labels", "POST", operations.post_labels),
    ("/pulls/{number}", "GET", operations.get_pull_request),
    ("/commits/{ref}/check-runs", "GET", operations.get_check_runs),
    ("/commits/{ref}/status", "GET", operations.get_status),
)
_SECONDARY_LIMIT = (
    "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
)
_ANY_METHOD = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]


class _Cut(Response):
    """Promises a body, sends a part of it and leaves: the server then cuts the connection."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [(b"content-length", b"4096"), (b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"{", "more_body": True})


class GitHubApi:
    """Answers GitHub's paths from a world that is saved before each answer to a write."""

    def __init__(self, world: World, store: Store, *, address: str) -> None:
        self.world = world
        self._store = store
        self._address = address
        self._used: Counter[str | None] = Counter()
        self._reset = int(time.time()) + 3_600

    def application(self) -> Starlette:
        """All routes; whatever GitHub does not have is a logged 404."""
        routes = [Route("/user", self._endpoint(operations.get_viewer), methods=["GET"])]
        for prefix in ("/repos/{owner}/{repo}", "/repositories/{id}"):
            for rest, method, operation in _RESOURCES:
                routes.append(Route(prefix + rest, self._endpoint(operation), methods=[method]))
        routes += [
            Route(f"{ADMIN}/requests", self._show_log, methods=["GET"]),
            Route(f"{ADMIN}/faults", self._add_fault, methods=["POST"]),
            Route(
                f"{ADMIN}/issues/{{owner}}/{{repo}}/{{number:int}}", self._edit, methods=["PATCH"]
            ),
            Route("/{rest:path}", self._endpoint(operations.unknown), methods=_ANY_METHOD),
        ]
        return Starlette(routes=routes)

    def _endpoint(self, operation: Operation) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            body = await _json(request)
            fault = self.world.take_fault(request.method, request.url.path)
            if fault is None:
                login, reply = self._answer(operation, request, body)
                response = self._response(request, reply)
                self._log(request, user=login, status=response.status_code)
                return response
            login, status = None, None
            if fault.when == "after":
                login, reply = self._answer(operation, request, body)
                status = reply.status
            self._store.save(self.world)
            self._log(request, user=login, status=status)
            return await _spoiled(request, fault)

        return endpoint

    def _answer(
        self, operation: Operation, request: Request, body: object
    ) -> tuple[str | None, Reply]:
        login = None
        try:
            actor = self.world.actor(_token(request))
            login = actor.login
            reply = self._carry_out(operation, request, body, actor)
        except Denied as no:
            reply = operations.denial(no)
        if request.method not in {"GET", "HEAD"}:
            self._store.save(self.world)
        return login, reply

    def _log(self, request: Request, *, user: str | None, status: int | None) -> None:
        path = request.url.path
        self._store.log(Logged(method=request.method, path=path, user=user, status=status))

    def _carry_out(
        self, operation: Operation, request: Request, body: object, actor: Actor
    ) -> Reply:
        self._used[actor.login] += 1
        if self._used[actor.login] > self.world.rate_limit:
            raise Denied(403, "API rate limit exceeded")
        call = Call(
            world=self.world,
            address=self._address,
            actor=actor,
            path=request.path_params,
            query=request.query_params,
            body=body,
        )
        return operations.perform(operation, call)

    def _response(self, request: Request, reply: Reply) -> Response:
        rates = self._rate_headers(request)
        if reply.status != 200:
            return _render(reply, rates | reply.headers)
        etag = f'W/"{hashlib.sha256(json.dumps(reply.content).encode()).hexdigest()}"'
        validators = {
            "etag": etag,
            "cache-control": "private, max-age=60, s-maxage=60",
            "vary": "Accept, Authorization, Cookie, X-GitHub-OTP,Accept-Encoding",
        }
        if request.headers.get("if-none-match") == etag and request.method in {"GET", "HEAD"}:
            # RFC 9110 wants no more than these in a 304: a kept `link` may well be outdated.
            return Response(status_code=304, headers=rates | validators)
        return _render(reply, rates | validators | reply.headers)

    def _rate_headers(self, request: Request) -> dict[str, str]:
        try:
            used = self._used[self.world.actor(_token(request)).login]
        except Denied:
            used = 0
        return {
            "x-ratelimit-limit": str(self.world.rate_limit),
            "x-ratelimit-remaining": str(max(self.world.rate_limit - used, 0)),
            "x-ratelimit-used": str(used),
            "x-ratelimit-reset": str(self._reset),
            "x-ratelimit-resource": "core",
        }

    async def _show_log(self, _request: Request) -> Response:
        return _render(Reply(200, self._store.logged()), {})

    async def _add_fault(self, request: Request) -> Response:
        self.add_fault(Fault.model_validate_json(await request.body()))
        return Response(status_code=204)

    async def _edit(self, request: Request) -> Response:
        path = request.path_params
        changes = json.loads(await request.body())
        self.edit(f"{path['owner']}/{path['repo']}", path["number"], **changes)
        return Response(status_code=204)

    def add_fault(self, fault: Fault) -> None:
        """Let something go wrong later."""
        self.world.faults.append(fault)
        self._store.save(self.world)

    def edit(self, full_name: str, number: int, **changes: object) -> None:
        """Change fields of an issue, as somebody at GitHub's website would."""
        issue = self.world.find_issue(full_name, number)
        if issue is None:
            raise LookupError(f"the stand-in has no issue {full_name}#{number}")
        for name, value in changes.items():
            setattr(issue, name, value)
        self._store.save(self.world)

    def logged(self) -> list[Logged]:
        """Every request so far."""
        return self._store.logged()


def _token(request: Request) -> str | None:
    scheme, _, value = request.headers.get("authorization", "").partition(" ")
    return value.strip() if scheme.lower() in {"bearer", "token"} else None


async def _json(request: Request) -> object:
    try:
        return json.loads(await request.body() or b"null")
    except ValueError:
        return None


def _render(reply: Reply, headers: dict[str, str]) -> Response:
    return Response(
        json.dumps(reply.content),
        reply.status,
        headers=headers,
        media_type="application/json; charset=utf-8",
    )


async def _spoiled(request: Request, fault: Fault) -> Response:
    if fault.kind == "timeout":
        while (await request.receive())["type"] != "http.disconnect":
            pass
    if fault.kind in {"timeout", "cut"}:
        return _Cut()
    if fault.kind == "bad_gateway":
        return Response("<html>502 Bad Gateway</html>", 502, media_type="text/html")
    return _limited(fault)


def _limited(fault: Fault) -> Response:
    headers = {"retry-after": fault.retry_after} if fault.retry_after is not None else {}
    message = _SECONDARY_LIMIT
    if fault.kind == "primary_limit":
        message = "API rate limit exceeded"
        headers |= {"x-ratelimit-limit": "60", "x-ratelimit-remaining": "0"}
        headers |= {"x-ratelimit-reset": str(fault.reset)} if fault.reset is not None else {}
    return _render(Reply(fault.status, {"message": message}), headers)
