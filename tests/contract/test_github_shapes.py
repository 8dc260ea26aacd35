"""The stand-in's answers and our models against GitHub's own description and recorded traffic.

`tests/assets.sh` fetches them; without them these tests are skipped.
"""

import json
import re
from collections.abc import AsyncIterator, Iterator
from functools import cache
from pathlib import Path

import httpx
import pytest
from jsonschema import Draft4Validator
from pydantic import BaseModel

from resolveflow.domain import github
from resolveflow.testing.github_standin import StandIn, serve
from resolveflow.testing.promises_github import SHA, seed

ASSETS = Path(__file__).parents[2] / ".cache" / "assets"
REPO = "/repos/{owner}/{repo}"
pytestmark = pytest.mark.skipif(
    not (ASSETS / "webhooks-examples").is_dir(),
    reason="GitHub's description and recorded traffic are missing: run tests/assets.sh",
)


@cache
def description() -> dict[str, object]:
    """GitHub's OpenAPI description, its `nullable` said in JSON Schema."""
    path = ASSETS / "openapi" / "generated" / "api.github.com.json"
    whole = json.loads(path.read_bytes())
    return {"paths": whole["paths"], "components": _nullable(whole["components"])}


def _nullable(node: object) -> object:
    if isinstance(node, list):
        return [_nullable(item) for item in node]
    if not isinstance(node, dict):
        return node
    schema = {name: _nullable(value) for name, value in node.items()}
    if schema.pop("nullable", None) is True:
        return {"anyOf": [schema, {"type": "null"}]}
    return schema


def problems(operation: str, method: str, status: int, content: object) -> list[str]:
    """What GitHub's description says against that answer."""
    described = description()["paths"][operation][method.lower()]["responses"]
    response = described.get(str(status))
    if response is None:  # the description leaves most 401 and 403 out
        schema = {"$ref": "#/components/schemas/basic-error"}
    else:
        response = _resolved(response)
        schema = _nullable(response["content"]["application/json"]["schema"])
    schema = {**schema, "components": description()["components"]}
    errors = Draft4Validator(schema).iter_errors(content)
    return [f"{'/'.join(map(str, it.absolute_path))}: {it.message[:200]}" for it in errors]


def _resolved(node: dict[str, object]) -> dict[str, object]:
    while "$ref" in node:
        target: object = description()
        for part in node["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        node = target
    return node


@pytest.fixture
async def standin(tmp_path: Path) -> AsyncIterator[StandIn]:
    async with serve(tmp_path / "state", seed=seed()) as running:
        yield running


COMMENT, LABELS = {"body": "x"}, {"labels": ["bug"]}


@pytest.mark.parametrize(
    ("operation", "path", "token", "body", "status"),
    [
        ("GET /user", "/user", "writer", None, 200),
        ("GET /user", "/user", None, None, 401),
        ("GET /user", "/user", "app", None, 403),
        (f"GET {REPO}", "/repos/acme/widget", None, None, 200),
        (f"GET {REPO}", "/repos/acme/none", None, None, 404),
        (f"GET {REPO}/issues/{{issue_number}}", "/repos/acme/widget/issues/1", None, None, 200),
        (f"GET {REPO}/issues/{{issue_number}}", "/repos/acme/widget/issues/6", None, None, 200),
        (f"GET {REPO}/issues/{{issue_number}}", "/repos/acme/widget/issues/3", None, None, 200),
        (f"GET {REPO}/issues/{{issue_number}}", "/repos/acme/widget/issues/99", None, None, 404),
        (f"GET {REPO}/issues/{{issue_number}}", "/repos/acme/widget/issues/4", None, None, 410),
        (f"GET {REPO}/issues/{{issue_number}}", "/repos/acme/widget/issues/5", None, None, 301),
        (
            f"GET {REPO}/issues/{{issue_number}}/comments",
            "/repos/acme/widget/issues/2/comments",
            None,
            None,
            200,
        ),
        (
            f"POST {REPO}/issues/{{issue_number}}/comments",
            "/repos/acme/widget/issues/1/comments",
            "guest",
            COMMENT,
            201,
        ),
        (
            f"POST {REPO}/issues/{{issue_number}}/comments",
            "/repos/acme/widget/issues/1/comments",
            "guest",
            {"body": ""},
            422,
        ),
        (
            f"POST {REPO}/issues/{{issue_number}}/comments",
            "/repos/acme/widget/issues/1/comments",
            "reader",
            COMMENT,
            403,
        ),
        (
            f"POST {REPO}/issues/{{issue_number}}/labels",
            "/repos/acme/widget/issues/1/labels",
            "triager",
            LABELS,
            200,
        ),
        (
            f"POST {REPO}/issues/{{issue_number}}/labels",
            "/repos/acme/widget/issues/1/labels",
            "guest",
            LABELS,
            403,
        ),
        (f"GET {REPO}/labels", "/repos/acme/widget/labels", None, None, 200),
        (f"GET {REPO}/pulls/{{pull_number}}", "/repos/acme/widget/pulls/6", None, None, 200),
        (f"GET {REPO}/pulls/{{pull_number}}", "/repos/acme/widget/pulls/1", None, None, 404),
        (
            f"GET {REPO}/commits/{{ref}}/check-runs",
            f"/repos/acme/widget/commits/{SHA}/check-runs",
            None,
            None,
            200,
        ),
        (
            f"GET {REPO}/commits/{{ref}}/status",
            f"/repos/acme/widget/commits/{SHA}/status",
            None,
            None,
            200,
        ),
    ],
)
async def test_the_standin_answers_in_githubs_shapes(
    standin: StandIn, operation: str, path: str, token: str | None, body: object, status: int
) -> None:
    method, template = operation.split(" ")
    headers = {"authorization": f"Bearer {token}"} if token else {}
    async with httpx.AsyncClient(base_url=standin.url, headers=headers) as client:
        answer = await client.request(method, path, json=body)
    assert answer.status_code == status
    assert problems(template, method, status, answer.json()) == []


def test_the_comparison_sees_a_missing_and_a_wrong_field() -> None:
    issue = {"title": 5}
    found = problems(f"{REPO}/issues/{{issue_number}}", "GET", 200, issue)
    assert any("'number' is a required property" in it for it in found)
    assert any("title: 5 is not of type 'string'" in it for it in found)


# Which of our models reads the answer to a path.
MODELS: tuple[tuple[str, type[BaseModel]], ...] = (
    (r"/repos/[^/]+/[^/]+|/repositories/[0-9]+", github.Repository),
    (r"/repos/[^/]+/[^/]+/issues/[0-9]+|/repositories/[0-9]+/issues", github.Issue),
    (r"/repos/[^/]+/[^/]+/issues", github.Issue),
    (r"/repos/[^/]+/[^/]+/issues/[0-9]+/labels|/repos/[^/]+/[^/]+/labels", github.Label),
    (r"/repos/[^/]+/[^/]+/commits/[0-9a-f]+/statuses", github.CommitStatus),
)


def exchanges() -> Iterator[tuple[dict[str, object], type[BaseModel]]]:
    for path in sorted(ASSETS.glob("fixtures/scenarios/api.github.com/*/normalized-fixture.json")):
        for exchange in json.loads(path.read_bytes()):
            if exchange["status"] not in {200, 201} or not exchange["response"]:
                continue
            for pattern, model in MODELS:
                if re.fullmatch(pattern, exchange["path"].partition("?")[0]):
                    yield exchange, model


def test_recorded_answers_are_read_by_our_models() -> None:
    read = 0
    for exchange, model in exchanges():
        content = exchange["response"]
        for item in content if isinstance(content, list) else [content]:
            model.model_validate(item)
            read += 1
    assert read >= 30


def payloads() -> Iterator[tuple[str, object, type[BaseModel]]]:
    kinds = {
        "issue": github.Issue,
        "comment": github.Comment,
        "check_run": github.CheckRun,
        "repository": github.Repository,
        "sender": github.Account,
        "label": github.Label,
        "pull_request": github.PullRequest,
    }
    events = json.loads((ASSETS / "webhooks-examples/api.github.com/index.json").read_bytes())
    for event in events:
        for example in event["examples"]:
            for name, model in kinds.items():
                if isinstance(example.get(name), dict) and not _simple(event["name"], name):
                    yield f"{event['name']}.{name}", example[name], model
            if event["name"] == "status":
                yield "status", example, github.CommitStatus


def _simple(event: str, name: str) -> bool:
    return name == "comment" and event in {"discussion_comment", "commit_comment"}


def test_recorded_webhooks_are_read_by_our_models() -> None:
    read = 0
    for source, content, model in payloads():
        try:
            model.model_validate(content)
        except ValueError as error:
            pytest.fail(f"{source}: {error}")
        read += 1
    assert read >= 500


@pytest.mark.parametrize("page", [1, 2, 5])
async def test_links_are_as_recorded(standin: StandIn, page: int) -> None:
    recorded = ASSETS / "fixtures/scenarios/api.github.com/paginate-issues/normalized-fixture.json"
    exchange = json.loads(recorded.read_bytes())[page - 1]
    path = "/repos/acme/widget/issues/2/comments"
    async with httpx.AsyncClient(base_url=standin.url) as client:
        answer = await client.get(path, params={"per_page": 50, "page": page})
    assert _relations(answer.headers["link"]) == _relations(exchange["headers"]["link"])


def _relations(link: str) -> list[tuple[str, str]]:
    """The pages that a header names, in its order."""
    return re.findall(r'/repositories/[0-9]+/[^>]*[?&]page=([0-9]+)[^>]*>; rel="(\w+)"', link)


async def test_a_recorded_rename_is_a_301_as_the_standin_sends_it(standin: StandIn) -> None:
    recorded = ASSETS / "fixtures/scenarios/api.github.com/rename-repository"
    rename = json.loads((recorded / "normalized-fixture.json").read_bytes())[1]
    repository = standin.world.repositories[0]
    repository.former_names.append("acme/old")
    async with httpx.AsyncClient(base_url=standin.url) as client:
        answer = await client.get("/repos/acme/old")
    assert answer.status_code == rename["status"]
    assert set(rename["response"]) - {"documentation_url"} == set(answer.json())
    assert answer.headers["location"].endswith(f"/repositories/{repository.id}")
