"""The stand-in answers as GitHub does, over real HTTP, and loses nothing that it answered."""

import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from resolveflow.testing.github_standin import (
    CheckRun,
    Commit,
    CommitStatus,
    Fault,
    Issue,
    Repository,
    StandIn,
    Token,
    User,
    World,
    serve,
)

SHA = "5" * 40
GUEST = {"authorization": "token guest"}
ISSUE = "/repos/acme/widget/issues/1"


def world() -> World:
    return World(
        users=[
            User(login="mona", tokens=[Token(value="writer")]),
            User(login="tess", tokens=[Token(value="triager"), Token(value="ro", access="read")]),
            User(login="otto", tokens=[Token(value="old", kind="classic", access="read")]),
            User(login="guest", tokens=[Token(value="guest")]),
            User(login="app[bot]", type="Bot", tokens=[Token(value="app", kind="installation")]),
        ],
        repositories=[
            Repository(
                owner="acme",
                name="widget",
                rights={"mona": "write", "tess": "triage"},
                labels=["bug"],
                issues=[
                    Issue(number=1, title="It breaks", user="guest"),
                    Issue(number=2, title="Locked", user="guest", locked=True),
                    Issue(number=3, title="Gone", user="guest", deleted=True),
                    Issue(number=4, title="Moved", user="guest", moved_to="acme/attic#9"),
                    Issue(number=5, title="A pull request", user="guest", head=SHA),
                ],
                commits={
                    SHA: Commit(
                        check_runs=[CheckRun(name="test", conclusion="failure")],
                        statuses=[CommitStatus(context="ci", state="pending")],
                    )
                },
                former_names=["acme/gadget"],
            ),
            Repository(
                owner="acme",
                name="attic",
                archived=True,
                issues=[Issue(number=9, title="Moved", user="guest")],
            ),
            Repository(owner="acme", name="secret", private=True),
        ],
    )


@pytest.fixture
async def standin(tmp_path: Path) -> AsyncIterator[StandIn]:
    async with serve(tmp_path / "state", seed=world()) as running:
        yield running


def client(standin: StandIn, token: str | None = None) -> httpx.AsyncClient:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    return httpx.AsyncClient(base_url=standin.url, headers=headers, timeout=30)


@pytest.mark.parametrize(
    ("token", "method", "path", "body", "status", "message"),
    [
        (None, "GET", "/user", None, 401, "Requires authentication"),
        ("wrong", "GET", ISSUE, None, 401, "Bad credentials"),
        ("app", "GET", "/user", None, 403, "Resource not accessible by integration"),
        (None, "GET", "/repos/acme/secret", None, 404, "Not Found"),
        ("guest", "GET", "/repos/acme/secret", None, 404, "Not Found"),
        (None, "GET", "/repos/acme/widget/issues/77", None, 404, "Not Found"),
        (None, "GET", "/repos/acme/widget/issues/x", None, 404, "Not Found"),
        (None, "GET", "/repositories/1/issues/1", None, 404, "Not Found"),
        (None, "GET", "/repos/acme/widget/issues/3", None, 410, "This issue was deleted"),
        (None, "GET", "/repos/acme/widget/issues/4", None, 301, "Moved Permanently"),
        (None, "GET", "/repos/acme/gadget", None, 301, "Moved Permanently"),
        (None, "GET", "/repos/acme/widget/pulls/1", None, 404, "Not Found"),
        (None, "GET", "/repos/acme/widget/commits/abcdef1/status", None, 422, "No commit found"),
        (None, "POST", f"{ISSUE}/comments", {"body": "x"}, 401, "Requires authentication"),
        ("ro", "POST", f"{ISSUE}/comments", {"body": "x"}, 403, "by personal access token"),
        ("old", "POST", f"{ISSUE}/comments", {"body": "x"}, 404, "Not Found"),
        ("guest", "POST", f"{ISSUE}/comments", None, 400, "Problems parsing JSON"),
        ("guest", "POST", f"{ISSUE}/comments", {"body": " "}, 422, "Validation Failed"),
        ("guest", "POST", f"{ISSUE}/comments", {"body": "x" * 65_537}, 422, "Validation Failed"),
        ("guest", "POST", "/repos/acme/widget/issues/2/comments", {"body": "x"}, 403, "locked"),
        ("guest", "POST", "/repos/acme/attic/issues/9/comments", {"body": "x"}, 403, "archived"),
        ("guest", "POST", f"{ISSUE}/labels", {"labels": ["bug"]}, 403, "Must have admin rights"),
        ("triager", "POST", f"{ISSUE}/labels", {"labels": ["new"]}, 403, "permission to create"),
        ("writer", "POST", f"{ISSUE}/labels", {"labels": "bug"}, 422, "Validation Failed"),
        ("writer", "DELETE", ISSUE, None, 404, "Not Found"),
    ],
)
async def test_it_refuses_what_github_refuses(
    standin: StandIn,
    token: str | None,
    method: str,
    path: str,
    body: object,
    status: int,
    message: str,
) -> None:
    async with client(standin, token) as github:
        answer = await github.request(method, path, json=body)
    assert (answer.status_code, message in answer.json()["message"]) == (status, True)
    assert standin.requests()[-1]["path"] == path


async def test_rights_decide_what_may_be_written(standin: StandIn) -> None:
    async with client(standin, "triager") as triager, client(standin, "writer") as writer:
        labelled = await triager.post(f"{ISSUE}/labels", json={"labels": ["bug", "bug"]})
        made = await writer.post(f"{ISSUE}/labels", json={"labels": ["new"]})
        locked = await writer.post("/repos/acme/widget/issues/2/comments", json={"body": "ok"})
    assert [label["name"] for label in labelled.json()] == ["bug"]
    assert [label["name"] for label in made.json()] == ["bug", "new"]
    assert locked.status_code == 201
    assert [(entry["method"], entry["user"]) for entry in standin.writes()] == [
        ("POST", "tess"),
        ("POST", "mona"),
        ("POST", "mona"),
    ]


async def test_pages_are_linked_by_the_repositorys_id(standin: StandIn) -> None:
    async with client(standin, "guest") as github:
        for number in range(5):
            await github.post(f"{ISSUE}/comments", json={"body": f"comment {number}"})
        pages = [await github.get(f"{ISSUE}/comments", params={"per_page": 2})]
        while "next" in pages[-1].links:
            pages.append(await github.get(pages[-1].links["next"]["url"]))
    assert [len(page.json()) for page in pages] == [2, 2, 1]
    assert f"/repositories/{standin.world.repositories[0].id}/" in pages[0].links["last"]["url"]
    assert set(pages[1].links) == {"prev", "next", "last", "first"}


async def test_an_unchanged_answer_is_a_304(standin: StandIn) -> None:
    async with client(standin) as github:
        first = await github.get(ISSUE)
        etag = first.headers["etag"]
        again = await github.get(ISSUE, headers={"if-none-match": etag})
        standin.edit("acme/widget", 1, title="It still breaks")
        changed = await github.get(ISSUE, headers={"if-none-match": etag})
    assert (again.status_code, again.content) == (304, b"")
    assert (changed.status_code, changed.json()["title"]) == (200, "It still breaks")
    assert [entry["status"] for entry in standin.requests()] == [200, 304, 200]


async def test_the_primary_limit_counts_per_account(standin: StandIn) -> None:
    standin.world.rate_limit = 2
    async with client(standin) as nobody, client(standin, "guest") as guest:
        left = [(await nobody.get(ISSUE)).headers["x-ratelimit-remaining"] for _ in range(2)]
        refused = await nobody.get(ISSUE)
        other = await guest.get(ISSUE)
    assert left == ["1", "0"]
    assert (refused.status_code, refused.headers["x-ratelimit-remaining"]) == (403, "0")
    assert int(refused.headers["x-ratelimit-reset"]) > 0
    assert other.status_code == 200


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("kind", ["timeout", "cut", "bad_gateway"])
async def test_a_fault_spoils_the_answer_before_or_after_the_write(
    standin: StandIn, kind: str, when: str
) -> None:
    standin.fail(Fault.model_validate({"kind": kind, "when": when, "path": "*/comments"}))
    async with client(standin, "guest") as github:
        if kind == "bad_gateway":
            assert (await github.post(f"{ISSUE}/comments", json={"body": "x"})).status_code == 502
        else:
            error = httpx.ReadTimeout if kind == "timeout" else httpx.RemoteProtocolError
            with pytest.raises(error):
                await github.post(f"{ISSUE}/comments", json={"body": "x"}, timeout=0.5)
        assert len((await github.get(f"{ISSUE}/comments")).json()) == (when == "after")
        assert (await github.post(f"{ISSUE}/comments", json={"body": "y"})).status_code == 201


async def test_limits_on_demand_carry_the_headers_they_are_given(standin: StandIn) -> None:
    secondary = {"kind": "secondary_limit", "method": "GET", "status": 429, "retry_after": "7"}
    primary = {"kind": "primary_limit", "method": "GET", "times": 2, "reset": 99}
    async with client(standin) as github:
        for fault in (secondary, primary):
            assert (await github.post("/_standin/faults", json=fault)).status_code == 204
        answers = [await github.get(ISSUE) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [429, 403, 403, 200]
    assert answers[0].headers["retry-after"] == "7"
    assert "secondary rate limit" in answers[0].json()["message"]
    assert answers[1].headers["x-ratelimit-reset"] == "99"


async def test_another_process_can_edit_and_read_the_log(standin: StandIn) -> None:
    async with client(standin) as github:
        unparsable = await github.post(f"{ISSUE}/comments", content=b"{", headers=GUEST)
        edit = {"state": "closed", "locked": True}
        await github.patch("/_standin/issues/acme/widget/1", json=edit)
        issue = (await github.get(ISSUE)).json()
        log = (await github.get("/_standin/requests")).json()
    assert (issue["state"], issue["locked"]) == ("closed", True)
    assert unparsable.status_code == 400
    assert [(it["method"], it["user"], it["status"]) for it in log] == [
        ("POST", "guest", 400),
        ("GET", None, 200),
    ]
    with pytest.raises(LookupError):
        standin.edit("acme/widget", 99, state="closed")


def start(state: Path, *options: str) -> tuple[subprocess.Popen[str], str]:
    command = [sys.executable, "-m", "resolveflow.testing.github_standin", "--state", str(state)]
    process = subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, json.loads(process.stdout.readline())["url"]


def test_state_outlives_a_kill(tmp_path: Path) -> None:
    seed = tmp_path / "seed.json"
    seed.write_text(world().model_dump_json(exclude_defaults=True), encoding="utf-8")
    process, url = start(tmp_path / "state", "--seed", str(seed))
    with process:
        posted = httpx.post(url + f"{ISSUE}/comments", json={"body": "kept"}, headers=GUEST)
        process.send_signal(signal.SIGKILL)
    process, url = start(tmp_path / "state", "--seed", str(seed))
    with process:
        comments = httpx.get(url + f"{ISSUE}/comments").json()
        process.send_signal(signal.SIGTERM)
    assert posted.status_code == 201
    assert [(it["id"], it["body"]) for it in comments] == [(posted.json()["id"], "kept")]
    assert process.returncode in {0, -signal.SIGTERM}


@pytest.mark.parametrize("content", [None, "{", '{"users": [{"name": "x"}]}'])
def test_a_seed_that_is_none_is_one_line(tmp_path: Path, content: str | None) -> None:
    seed = tmp_path / "seed.json"
    if content is not None:
        seed.write_text(content, encoding="utf-8")
    command = [sys.executable, "-m", "resolveflow.testing.github_standin"]
    done = subprocess.run(
        [*command, "--state", str(tmp_path), "--seed", str(seed)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert str(seed) in done.stderr
