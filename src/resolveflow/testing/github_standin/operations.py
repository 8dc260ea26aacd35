"""What the stand-in answers, operation by operation: GitHub's paths, statuses and shapes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from resolveflow.testing.github_standin.records import Actor, Commit, Issue, Repository
from resolveflow.testing.github_standin.shapes import Shapes
from resolveflow.testing.github_standin.world import Denied, Moved, World

Item = TypeVar("Item")


@dataclass(frozen=True)
class Call:
    """A request, taken apart; `body` is the parsed JSON, `address` where the stand-in listens."""

    world: World
    address: str
    actor: Actor
    path: Mapping[str, str]
    query: Mapping[str, str] = field(default_factory=dict)
    body: object = None

    @property
    def shapes(self) -> Shapes:
        """The renderer for this world."""
        return Shapes(self.world, self.address)

    @property
    def full_name(self) -> str:
        """OWNER/REPO, also where the path names the repository by its id."""
        if "id" not in self.path:
            return f"{self.path['owner']}/{self.path['repo']}"
        known = {str(it.id): it.full_name for it in self.world.repositories}
        if self.path["id"] not in known:
            raise Denied(404, "Not Found")
        return known[self.path["id"]]

    @property
    def number(self) -> int:
        """The issue's or pull request's number."""
        if not self.path["number"].isdecimal():
            raise Denied(404, "Not Found")
        return int(self.path["number"])

    def repository(self) -> Repository:
        """The repository that the path names."""
        return self.world.repository(self.actor, self.full_name)

    def issue(self) -> Issue:
        """The issue that the path names."""
        return self.world.issue(self.actor, self.full_name, self.number)

    def field(self, name: str) -> object:
        """A field of the body."""
        if not isinstance(self.body, dict):
            raise Denied(400, "Problems parsing JSON")
        return self.body.get(name)


@dataclass(frozen=True)
class Reply:
    """A status, JSON content and GitHub's headers."""

    status: int
    content: object
    headers: dict[str, str] = field(default_factory=dict)


Operation = Callable[[Call], Reply]


def perform(operation: Operation, call: Call) -> Reply:
    """Carry it out; a no or a redirect becomes the reply that GitHub sends for it."""
    try:
        return operation(call)
    except Denied as no:
        return denial(no)
    except Moved as moved:
        url = f"{call.address}/repositories/{moved.repository.id}"
        if moved.number is not None:
            url += f"/issues/{moved.number}"
        content = {"message": "Moved Permanently", "url": url}
        return Reply(301, content, {"location": url})


def denial(no: Denied) -> Reply:
    """GitHub's error body."""
    content: dict[str, object] = {"message": no.message, "status": str(no.status)}
    if no.errors:
        content["errors"] = list(no.errors)
    return Reply(no.status, content | {"documentation_url": "https://docs.github.com/rest"})


def get_viewer(call: Call) -> Reply:
    """`GET /user`."""
    return Reply(200, call.shapes.viewer(call.world.viewer(call.actor)))


def get_repository(call: Call) -> Reply:
    """`GET /repos/{owner}/{repo}`."""
    return Reply(200, call.shapes.repository(call.repository()))


def get_issue(call: Call) -> Reply:
    """`GET /repos/{owner}/{repo}/issues/{number}`."""
    issue = call.issue()
    return Reply(200, call.shapes.issue(call.repository(), issue))


def get_pull_request(call: Call) -> Reply:
    """`GET /repos/{owner}/{repo}/pulls/{number}`."""
    issue = call.issue()
    if issue.head is None:
        raise Denied(404, "Not Found")
    return Reply(200, call.shapes.pull_request(call.repository(), issue))


def get_comments(call: Call) -> Reply:
    """`GET /repos/{owner}/{repo}/issues/{number}/comments`, a page of them."""
    issue = call.issue()
    repository = call.repository()
    page, headers = _page(call, f"/issues/{issue.number}/comments", issue.comments)
    return Reply(200, [call.shapes.comment(repository, issue, it) for it in page], headers)


def get_labels(call: Call) -> Reply:
    """`GET /repos/{owner}/{repo}/labels`, a page of them."""
    repository = call.repository()
    page, headers = _page(call, "/labels", repository.labels)
    return Reply(200, [call.shapes.label(repository, name) for name in page], headers)


def get_check_runs(call: Call) -> Reply:
    """`GET /repos/{owner}/{repo}/commits/{ref}/check-runs`, a page of them."""
    repository = call.repository()
    sha, commit = _commit(repository, call.path["ref"])
    page, headers = _page(call, f"/commits/{sha}/check-runs", commit.check_runs)
    runs = [call.shapes.check_run(repository, sha, run) for run in page]
    return Reply(200, {"total_count": len(commit.check_runs), "check_runs": runs}, headers)


def get_status(call: Call) -> Reply:
    """`GET /repos/{owner}/{repo}/commits/{ref}/status`, a page of them."""
    repository = call.repository()
    sha, commit = _commit(repository, call.path["ref"])
    page, headers = _page(call, f"/commits/{sha}/status", commit.statuses)
    return Reply(200, call.shapes.combined_status(repository, sha, commit, page), headers)


def post_comment(call: Call) -> Reply:
    """`POST /repos/{owner}/{repo}/issues/{number}/comments`."""
    body = call.field("body")
    comment = call.world.comment(call.actor, call.full_name, call.number, body)
    shape = call.shapes.comment(call.repository(), call.issue(), comment)
    return Reply(201, shape, {"location": str(shape["url"])})


def post_labels(call: Call) -> Reply:
    """`POST /repos/{owner}/{repo}/issues/{number}/labels`."""
    names = call.field("labels")
    labels = call.world.add_labels(call.actor, call.full_name, call.number, names)
    repository = call.repository()
    return Reply(200, [call.shapes.label(repository, name) for name in labels])


def unknown(_call: Call) -> Reply:
    """Any path or method that the stand-in does not have."""
    raise Denied(404, "Not Found")


def _commit(repository: Repository, ref: str) -> tuple[str, Commit]:
    for sha, commit in repository.commits.items():
        if sha == ref or (len(ref) >= 7 and sha.startswith(ref)):
            return sha, commit
    raise Denied(422, f"No commit found for SHA: {ref}")


def _page(call: Call, rest: str, items: list[Item]) -> tuple[list[Item], dict[str, str]]:
    size = min(max(_number(call, "per_page", 30), 1), 100)
    page = max(_number(call, "page", 1), 1)
    last = max(-(-len(items) // size), 1)
    base = f"{call.address}/repositories/{call.repository().id}{rest}?per_page={size}&page="
    steps = {"prev": page - 1, "next": page + 1, "last": last, "first": 1}
    shown = {"prev", "first"} if page > 1 else set()
    shown |= {"next", "last"} if page < last else set()
    links = [f'<{base}{number}>; rel="{name}"' for name, number in steps.items() if name in shown]
    headers = {"link": ", ".join(links)} if links else {}
    return items[(page - 1) * size : page * size], headers


def _number(call: Call, name: str, default: int) -> int:
    value = call.query.get(name, "")
    return int(value) if value.isdecimal() else default
