"""What the stand-in knows, and what GitHub would allow whom; the same model reads a seed file."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

from pydantic import Field

from resolveflow.testing.github_standin.records import (
    Actor,
    Comment,
    Fault,
    Issue,
    Record,
    Repository,
    Token,
    User,
    now,
)

MAX_COMMENT = 65_536  # characters, as on GitHub


class Denied(Exception):
    """GitHub's own no: the status and the message it sends."""

    def __init__(self, status: int, message: str, errors: Sequence[dict[str, str]] = ()) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.errors = tuple(errors)


class Moved(Exception):
    """GitHub's 301: `repository` (and `number`) is where it is now."""

    def __init__(self, repository: Repository, number: int | None = None) -> None:
        super().__init__(f"{repository.full_name}#{number}")
        self.repository = repository
        self.number = number


class World(Record):
    """All accounts and repositories, and the faults that are still to come."""

    users: list[User] = Field(default_factory=list)
    repositories: list[Repository] = Field(default_factory=list)
    faults: list[Fault] = Field(default_factory=list)
    rate_limit: int = 5_000
    last_id: int = 1_000

    def model_post_init(self, _context: object) -> None:
        """Give every record an id and every named login an account."""
        for repository in self.repositories:
            self._add_account(repository.owner)
            for issue in repository.issues:
                self._add_account(issue.user)
                for comment in issue.comments:
                    self._add_account(comment.user)
                    comment.id = comment.id or self.next_id()
                issue.id = issue.id or self.next_id()
            for commit in repository.commits.values():
                for run in commit.check_runs:
                    run.id = run.id or self.next_id()
                for status in commit.statuses:
                    status.id = status.id or self.next_id()
            repository.id = repository.id or self.next_id()
        for user in self.users:
            user.id = user.id or self.next_id()

    def _add_account(self, login: str) -> None:
        if all(user.login != login for user in self.users):
            self.users.append(User(login=login))

    def next_id(self) -> int:
        """Count up: ids are unique across all kinds of records."""
        self.last_id += 1
        return self.last_id

    def user(self, login: str) -> User:
        """The account of that login."""
        return next(user for user in self.users if user.login == login)

    def actor(self, token: str | None) -> Actor:
        """Who holds that token."""
        if token is None:
            return Actor()
        for user in self.users:
            for known in user.tokens:
                if known.value == token:
                    return Actor(login=user.login, token=known)
        raise Denied(401, "Bad credentials")

    def take_fault(self, method: str, path: str) -> Fault | None:
        """The next fault for that request; it is used up by this."""
        for fault in self.faults:
            if fault.method == method and fnmatchcase(path, fault.path):
                fault.times -= 1
                if fault.times <= 0:
                    self.faults.remove(fault)
                return fault
        return None

    def find(self, full_name: str) -> Repository | None:
        """The repository of that OWNER/REPO, whatever its case."""
        wanted = full_name.lower()
        return next((it for it in self.repositories if it.full_name.lower() == wanted), None)

    def find_issue(self, full_name: str, number: int) -> Issue | None:
        """The issue of that number, deleted and transferred ones included."""
        repository = self.find(full_name)
        issues = repository.issues if repository else []
        return next((issue for issue in issues if issue.number == number), None)

    def viewer(self, actor: Actor) -> User:
        """`GET /user`: only a user's own token has one."""
        if actor.login is None or actor.token is None:
            raise Denied(401, "Requires authentication")
        if actor.token.kind == "installation":
            raise Denied(403, "Resource not accessible by integration")
        return self.user(actor.login)

    def repository(self, actor: Actor, full_name: str) -> Repository:
        """The repository, if the actor may see it."""
        repository = self.find(full_name)
        if repository is not None and repository.allows(actor.login, "read"):
            return repository
        for other in self.repositories:
            if full_name in other.former_names and other.allows(actor.login, "read"):
                raise Moved(other)
        raise Denied(404, "Not Found")

    def issue(self, actor: Actor, full_name: str, number: int) -> Issue:
        """The issue or pull request, if the actor may see it."""
        self.repository(actor, full_name)
        issue = self.find_issue(full_name, number)
        if issue is None:
            raise Denied(404, "Not Found")
        if issue.deleted:
            raise Denied(410, "This issue was deleted")
        if issue.moved_to is not None:
            name, _, there = issue.moved_to.partition("#")
            raise Moved(self.repository(actor, name), int(there))
        return issue

    def comment(self, actor: Actor, full_name: str, number: int, body: object) -> Comment:
        """`POST …/comments`."""
        repository, issue = self._writable(actor, full_name, number)
        if issue.locked and not repository.allows(actor.login, "write"):
            raise Denied(403, "Unable to create comment because issue is locked.")
        if not isinstance(body, str) or not body.strip():
            raise _invalid("IssueComment", "missing_field", "Body can't be blank")
        if len(body) > MAX_COMMENT:
            raise _invalid(
                "IssueComment", "unprocessable", f"Body is too long (maximum is {MAX_COMMENT})"
            )
        comment = Comment(body=body, user=actor.login or "", id=self.next_id())
        issue.comments.append(comment)
        issue.updated_at = comment.created_at
        return comment

    def add_labels(self, actor: Actor, full_name: str, number: int, names: object) -> list[str]:
        """`POST …/labels`: triage may use the repository's labels, write may make new ones."""
        repository, issue = self._writable(actor, full_name, number)
        if not repository.allows(actor.login, "triage"):
            raise Denied(403, "Must have admin rights to Repository.")
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise _invalid("Label", "invalid", "labels must be an array of strings")
        new = [name for name in names if name not in repository.labels]
        if new and not repository.allows(actor.login, "write"):
            raise Denied(403, "You do not have permission to create labels on this repository.")
        repository.labels += new
        issue.labels += [name for name in dict.fromkeys(names) if name not in issue.labels]
        issue.updated_at = now()
        return issue.labels

    def _writable(self, actor: Actor, full_name: str, number: int) -> tuple[Repository, Issue]:
        if actor.login is None or actor.token is None:
            raise Denied(401, "Requires authentication")
        issue = self.issue(actor, full_name, number)
        if actor.token.access == "read":
            raise _unscoped(actor.token)
        repository = self.repository(actor, full_name)
        if repository.archived:
            raise Denied(403, "Repository was archived so is read-only.")
        return repository, issue


def _unscoped(token: Token) -> Denied:
    if token.kind == "classic":  # GitHub hides what a classic token has no scope for
        return Denied(404, "Not Found")
    holder = "integration" if token.kind == "installation" else "personal access token"
    return Denied(403, f"Resource not accessible by {holder}")


def _invalid(resource: str, code: str, message: str) -> Denied:
    error = {"resource": resource, "code": code, "field": "data", "message": message}
    return Denied(422, "Validation Failed", [error])
