"""What every GitHubReader and GitHubWriter promises; each promise is given a `Lab`."""

from collections.abc import Awaitable
from contextlib import AbstractAsyncContextManager
from typing import Protocol, TypeVar

from pydantic import SecretStr

from resolveflow.domain.errors import (
    GitHubRefused,
    GitHubUnavailable,
    OutcomeUnknown,
    ResolveFlowError,
)
from resolveflow.domain.report import Check, IssueRef
from resolveflow.ports import GitHubReader, GitHubWriter
from resolveflow.testing.github_standin import (
    CheckRun,
    Comment,
    Commit,
    CommitStatus,
    Fault,
    Issue,
    Repository,
    Token,
    User,
    World,
)

E = TypeVar("E", bound=ResolveFlowError)
SHA = "c0ffee" + "0" * 34
MANY = 250
WIDGET = IssueRef(owner="acme", repo="widget", number=1)
BODY = "Found it.\r\n\n\tüñí‮ \U0001f41b <!-- resolveflow:1 -->"


class Lab(Protocol):
    """A GitHub with the world of `seed()`, and doors to it; a token of None is nobody's."""

    @property
    def world(self) -> World: ...  # noqa: D102 - the class says it
    def reader(self, token: str | None) -> AbstractAsyncContextManager[GitHubReader]: ...  # noqa: D102
    def writer(self, token: SecretStr) -> AbstractAsyncContextManager[GitHubWriter]: ...  # noqa: D102


def seed() -> World:
    """Make the world in which the promises are kept."""
    comments = [Comment(body=f"comment {number}", user="guest") for number in range(MANY)]
    comments[7] = Comment(body="from a maintainer", user="mona")
    return World(
        users=[
            User(login="mona", id=7, tokens=[Token(value="writer")]),
            User(login="tess", id=8, tokens=[Token(value="triager")]),
            User(login="guest", id=9, tokens=[Token(value="guest"), _token("reader", "read")]),
            User(login="app[bot]", type="Bot", tokens=[Token(value="app", kind="installation")]),
        ],
        repositories=[
            Repository(
                owner="acme",
                name="widget",
                rights={"mona": "write", "tess": "triage"},
                labels=["bug", "crash"],
                issues=[
                    Issue(number=1, title="It breaks", user="guest", labels=["crash"]),
                    Issue(number=2, title="Long talk", user="guest", comments=comments),
                    Issue(number=3, title="Locked", user="guest", locked=True, state="closed"),
                    Issue(number=4, title="Deleted", user="guest", deleted=True),
                    Issue(number=5, title="Moved", user="guest", moved_to="acme/attic#9"),
                    Issue(number=6, title="Mend it", user="mona", head=SHA),
                ],
                commits={
                    SHA: Commit(
                        check_runs=[
                            CheckRun(name="test", conclusion="failure"),
                            CheckRun(name="docs", status="in_progress"),
                        ],
                        statuses=[CommitStatus(context="ci/lint", state="success")],
                    )
                },
            ),
            Repository(
                owner="acme", name="attic", issues=[Issue(number=9, title="Moved", user="guest")]
            ),
            Repository(
                owner="acme",
                name="secret",
                private=True,
                rights={"mona": "read"},
                issues=[Issue(number=1, title="Hush", user="mona")],
            ),
        ],
    )


def _token(value: str, access: str) -> Token:
    return Token.model_validate({"value": value, "access": access})


def _ref(number: int, repo: str = "widget") -> IssueRef:
    return IssueRef(owner="acme", repo=repo, number=number)


async def _raises(kind: type[E], attempt: Awaitable[object]) -> E:
    error = await _error_of(attempt)
    assert isinstance(error, kind)
    assert type(error) is kind, f"{error!r} is not exactly {kind.__name__}"
    assert str(error)
    assert "\n" not in str(error)
    return error


async def _error_of(attempt: Awaitable[object]) -> ResolveFlowError | None:
    try:
        await attempt
    except ResolveFlowError as error:
        return error
    return None


async def the_viewer_is_the_tokens_user(lab: Lab) -> None:
    """`viewer` is a person's account; nobody and an installation have none."""
    async with lab.reader("writer") as reader, lab.writer(SecretStr("writer")) as writer:
        assert (await reader.viewer()).id == (await writer.viewer()).id == 7
    async with lab.reader(None) as nobody, lab.reader("wrong") as wrong, lab.reader("app") as app:
        assert (await _raises(GitHubRefused, nobody.viewer())).status == 401
        assert (await _raises(GitHubRefused, wrong.viewer())).status == 401
        refused = await _raises(GitHubRefused, app.viewer())
    assert (refused.status, "integration" in refused.detail) == (403, True)


async def an_issue_is_read_as_it_is_now(lab: Lab) -> None:
    """No read is ever stale: not after an edit, not after a new comment."""
    async with lab.reader(None) as reader:
        before = await reader.issue(WIDGET)
        lab.world.repositories[0].issues[0].title = "It still breaks"
        after = await reader.issue(WIDGET)
        async with lab.writer(SecretStr("guest")) as writer:
            await writer.post_comment(_ref(2), "one more")
        comments = await reader.comments(_ref(2))
    assert (before.title, before.body, before.number) == ("It breaks", None, 1)
    assert before.user is not None
    assert (before.user.login, before.author_association) == ("guest", "NONE")
    assert after.title == "It still breaks"
    assert comments[-1].body == "one more"


async def an_issue_tells_its_state(lab: Lab) -> None:
    """Closed, locked, and whether it is a pull request."""
    async with lab.reader(None) as reader:
        locked, pull = await reader.issue(_ref(3)), await reader.issue(_ref(6))
    assert (locked.state, locked.locked, locked.pull_request) == ("closed", True, None)
    assert pull.pull_request is not None


async def every_no_keeps_its_status(lab: Lab) -> None:
    """Missing, private, deleted and transferred are told apart."""
    async with lab.reader("guest") as reader:
        missing = await _raises(GitHubRefused, reader.issue(_ref(77)))
        private = await _raises(GitHubRefused, reader.issue(_ref(1, "secret")))
        deleted = await _raises(GitHubRefused, reader.issue(_ref(4)))
        moved = await _raises(GitHubRefused, reader.issue(_ref(5)))
    statuses = [error.status for error in (missing, private, deleted, moved)]
    assert statuses == [404, 404, 410, 301]
    async with lab.reader("writer") as reader:
        assert (await reader.issue(_ref(1, "secret"))).title == "Hush"


async def all_pages_of_comments_are_read(lab: Lab) -> None:
    """In order, with each author and what the author is to the repository."""
    async with lab.reader(None) as reader, lab.writer(SecretStr("guest")) as writer:
        comments = await reader.comments(_ref(2))
        assert await writer.comments(_ref(2)) == comments
        assert await reader.comments(WIDGET) == ()
    assert len(comments) == MANY
    assert comments[-1].body == f"comment {MANY - 1}"
    assert [it.author_association for it in comments[6:9]] == ["NONE", "COLLABORATOR", "NONE"]


async def a_page_that_fills_up_hides_nothing(lab: Lab) -> None:
    """The hundred-and-first comment is seen by a reader that has just seen a hundred."""
    issue = lab.world.repositories[0].issues[0]
    issue.comments = [Comment(body=f"{n}", user="guest", id=n + 1) for n in range(100)]
    async with lab.reader(None) as reader:
        assert len(await reader.comments(WIDGET)) == 100
        issue.comments.append(Comment(body="100", user="guest", id=101))
        assert len(await reader.comments(WIDGET)) == 101


async def checks_are_runs_and_statuses(lab: Lab) -> None:
    """Of exactly the commit that was asked for."""
    async with lab.reader(None) as reader:
        pull = await reader.pull_request(_ref(6))
        checks = await reader.checks("acme", "widget", pull.head.sha)
        unknown = await _raises(GitHubRefused, reader.checks("acme", "widget", "f" * 40))
        no_pull = await _raises(GitHubRefused, reader.pull_request(WIDGET))
    found = [(check.name, check.conclusion, check.failed) for check in checks]
    assert pull.head.sha == SHA
    assert found == [
        ("test", "failure", True),
        ("docs", "in_progress", False),
        ("ci/lint", "success", False),
    ]
    assert all(isinstance(check, Check) and check.commit == SHA for check in checks)
    assert (unknown.status, no_pull.status) == (422, 404)


async def a_repository_tells_where_it_is(lab: Lab) -> None:
    """Its name, its branch and where to clone it."""
    async with lab.reader(None) as reader:
        repository = await reader.repository("acme", "widget")
        missing = await _raises(GitHubRefused, reader.repository("acme", "nothing"))
    assert (repository.full_name, repository.default_branch) == ("acme/widget", "main")
    assert repository.clone_url
    assert missing.status == 404


async def a_reader_recovers_or_says_so(lab: Lab) -> None:
    """A GitHub that stays away is unavailable, and nothing else."""
    async with lab.reader(None) as reader:
        lab.world.faults.append(Fault(kind="bad_gateway", method="GET", times=9))
        await _raises(GitHubUnavailable, reader.issue(WIDGET))
        lab.world.faults.clear()
        assert (await reader.issue(WIDGET)).number == 1


async def a_comment_is_posted_byte_for_byte(lab: Lab) -> None:
    """Once, as the token's user, and it is there for the next read."""
    async with lab.writer(SecretStr("guest")) as writer:
        posted = await writer.post_comment(WIDGET, BODY)
        comments = await writer.comments(WIDGET)
    assert comments == (posted,)
    assert posted.user is not None
    assert (posted.user.id, posted.body) == (9, BODY)
    assert posted.html_url


async def labels_are_added_and_none_removed(lab: Lab) -> None:
    """Those that are there stay."""
    async with lab.writer(SecretStr("triager")) as writer:
        await writer.add_labels(WIDGET, ["bug"])
        issue = await writer.issue(WIDGET)
    assert [getattr(label, "name", label) for label in issue.labels] == ["crash", "bug"]


async def a_refused_write_keeps_githubs_words(lab: Lab) -> None:
    """In `detail`; and nothing was written."""
    async with lab.writer(SecretStr("guest")) as guest, lab.writer(SecretStr("reader")) as reader:
        labels = await _raises(GitHubRefused, guest.add_labels(WIDGET, ["bug"]))
        locked = await _raises(GitHubRefused, guest.post_comment(_ref(3), "x"))
        scope = await _raises(GitHubRefused, reader.post_comment(WIDGET, "x"))
        empty = await _raises(GitHubRefused, guest.post_comment(WIDGET, ""))
        assert await guest.comments(WIDGET) == ()
    assert (labels.status, labels.detail) == (403, "Must have admin rights to Repository.")
    assert (locked.status, "locked" in locked.detail) == (403, True)
    assert (scope.status, "personal access token" in scope.detail) == (403, True)
    assert (empty.status, "Validation Failed" in empty.detail) == (422, True)


async def a_lost_answer_is_an_unknown_outcome(lab: Lab) -> None:
    """Whether the write happened or not; it is never sent again by itself."""
    async with lab.writer(SecretStr("guest")) as writer:
        for kind, when, there in (
            ("bad_gateway", "before", 0),
            ("cut", "before", 0),
            ("bad_gateway", "after", 1),
            ("cut", "after", 2),
        ):
            fault = {"kind": kind, "when": when, "path": "*/comments"}
            lab.world.faults.append(Fault.model_validate(fault))
            await _raises(OutcomeUnknown, writer.post_comment(WIDGET, "x"))
            assert len(await writer.comments(WIDGET)) == there, (kind, when)


async def a_rate_limit_on_a_write_is_no_unknown_outcome(lab: Lab) -> None:
    """GitHub said that it did not do it; the caller may try again later."""
    async with lab.writer(SecretStr("guest")) as writer:
        for kind in ("primary_limit", "secondary_limit"):
            lab.world.faults.append(Fault.model_validate({"kind": kind}))
            await _raises(GitHubUnavailable, writer.post_comment(WIDGET, "x"))
        assert await writer.comments(WIDGET) == ()


PROMISES = (
    the_viewer_is_the_tokens_user,
    an_issue_is_read_as_it_is_now,
    an_issue_tells_its_state,
    every_no_keeps_its_status,
    all_pages_of_comments_are_read,
    a_page_that_fills_up_hides_nothing,
    checks_are_runs_and_statuses,
    a_repository_tells_where_it_is,
    a_reader_recovers_or_says_so,
    a_comment_is_posted_byte_for_byte,
    labels_are_added_and_none_removed,
    a_refused_write_keeps_githubs_words,
    a_lost_answer_is_an_unknown_outcome,
    a_rate_limit_on_a_write_is_no_unknown_outcome,
)
