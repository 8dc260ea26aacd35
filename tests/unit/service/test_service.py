"""The use cases on a real graph and real checkpoints, with scripted steps and GitHub."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from resolveflow.bootstrap import open_checkpoints
from resolveflow.domain.case import Case
from resolveflow.domain.errors import (
    AlreadyDecided,
    CaseFailed,
    GitHubUnavailable,
    InvalidSettings,
    NotApproved,
    RepositoryError,
    StateLost,
    Superseded,
)
from resolveflow.domain.github import Account, Comment, Issue, PullRequest, Repository
from resolveflow.domain.proposal import Resolution
from resolveflow.domain.report import Check, IssueRef, Report
from resolveflow.graph import CaseGraph
from resolveflow.service import Service
from resolveflow.testing.memory_case_store import MemoryCaseStore
from resolveflow.testing.promises_case_store import approval
from tests.scripted_steps import ScriptedSteps

REF = IssueRef(owner="o", repo="r", number=1)
REPORT = Report(kind="issue", source="o/r#1", ref=REF, target=REF)
MONA = Account(id=7, login="mona")


@dataclass
class GitHub:
    """One issue as a reader sees it."""

    account: Account = MONA
    now: Issue = field(default_factory=lambda: Issue(title="Boom", body="It broke"))
    said: tuple[Comment, ...] = ()

    async def viewer(self) -> Account:
        return self.account

    async def repository(self, owner: str, repo: str) -> Repository:
        return Repository(full_name=f"{owner}/{repo}")

    async def issue(self, ref: IssueRef) -> Issue:
        return self.now

    async def comments(self, ref: IssueRef) -> tuple[Comment, ...]:
        return self.said

    async def pull_request(self, ref: IssueRef) -> PullRequest:
        raise NotImplementedError

    async def checks(self, owner: str, repo: str, commit: str) -> tuple[Check, ...]:
        return ()


@dataclass
class World:
    """Everything under a service, kept apart from it so that the service can be restarted."""

    github: GitHub
    steps: ScriptedSteps
    store: MemoryCaseStore
    home: Path
    ttl: float = 60.0
    new_comments_void: bool = False

    @asynccontextmanager
    async def serve(self) -> AsyncIterator[Service]:
        async with open_checkpoints(self.home) as saver:
            graph = CaseGraph(self.steps, store=self.store, checkpointer=saver)
            yield Service(
                store=self.store,
                graph=graph,
                check_input=self.steps.check_input,
                reader=self.github,
                approver=self.github,
                approval_ttl=self.ttl,
                new_comments_void=self.new_comments_void,
            )

    async def do(self, verb: str, *args: str, **kwargs: str) -> Case:
        """Call one use case in a service that knows nothing but what is stored."""
        async with self.serve() as service:
            extra = {} if verb in ("reject", "case") else {"progress": quiet}
            case: Case = await getattr(service, verb)(*args, **kwargs, **extra)
        return case

    async def submit(self, report: Report = REPORT) -> Case:
        async with self.serve() as service:
            return await service.submit(report, progress=quiet)


async def quiet(stage: str, line: str, did: bool | None) -> None:
    """Hear nothing."""


@pytest.fixture
def world(tmp_path: Path) -> World:
    github = GitHub()
    return World(github, ScriptedSteps(github), MemoryCaseStore(), tmp_path)


def digest(case: Case) -> str:
    assert case.proposed_action is not None
    return case.proposed_action.digest


async def test_a_case_waits_and_another_service_posts_it(world: World) -> None:
    case = await world.submit()
    assert case.status == "awaiting_approval"
    done = await world.do("approve", case.id, digest=digest(case))
    assert (done.status, done.resolution) == ("posted", world.steps.resolution)
    assert done.approval is not None
    assert (done.approval.state, done.approval.approver) == ("done", MONA)
    assert world.steps.ran == [
        "fetch_evidence",
        "normalize_evidence",
        "classify",
        "generate_diagnosis",
        "verify_diagnosis",
        "independent_review",
        "draft_proposal",
        "execute",
    ]


async def test_progress_tells_each_stage_when_it_is_done(world: World) -> None:
    stages: list[str] = []
    lines: list[str] = []
    idle: list[str] = []

    async def hear(stage: str, line: str, did: bool | None) -> None:
        stages.append(stage)
        lines.append(line)
        idle.extend([stage] if did is None else [])

    async with world.serve() as service:
        await service.submit(REPORT, progress=hear)
    assert stages == world.steps.ran
    assert lines[2] == "bug → ai_investigation: because"
    assert lines[-1].startswith("digest ")
    assert idle == ["verify_diagnosis"]


@pytest.mark.parametrize(
    ("changes", "skipped", "note"),
    [
        ({"route": "human_review"}, "generate_diagnosis", "because"),
        ({"outcome": "escalate_to_human"}, "draft_proposal", "the gates said so"),
        ({"answerable": False}, "draft_proposal", "--issue"),
        ({"route": "human_review", "answerable": False}, "generate_diagnosis", "because"),
        ({"route": "deterministic", "answerable": False}, "draft_proposal", "--issue"),
    ],
)
async def test_what_may_not_be_proposed_ends_with_a_person(
    world: World, changes: dict[str, object], skipped: str, note: str
) -> None:
    for name, value in changes.items():
        setattr(world.steps, name, value)
    case = await world.submit()
    assert (case.status, case.proposed_action) == ("human_review", None)
    assert case.note is not None
    assert note in case.note
    assert skipped not in world.steps.ran
    with pytest.raises(AlreadyDecided):
        await world.do("approve", case.id, digest="0" * 64)
    assert "execute" not in world.steps.ran


async def test_the_deterministic_route_skips_the_investigation(world: World) -> None:
    world.steps.route = "deterministic"
    case = await world.submit()
    assert case.status == "awaiting_approval"
    assert case.investigation is None


async def test_a_wrong_digest_is_refused_and_a_right_one_still_works(world: World) -> None:
    case = await world.submit()
    with pytest.raises(NotApproved, match="digest"):
        await world.do("approve", case.id, digest="f" * 64)
    assert (await world.do("approve", case.id, digest=digest(case))).status == "posted"


async def test_a_second_approval_is_refused(world: World) -> None:
    case = await world.submit()
    await world.do("approve", case.id, digest=digest(case))
    with pytest.raises(AlreadyDecided, match="posted"):
        await world.do("approve", case.id, digest=digest(case))
    assert world.steps.ran.count("execute") == 1


@pytest.mark.parametrize("edit", [{"title": "New"}, {"body": None}, {"state": "closed"}])
async def test_an_edited_issue_is_refused_then_investigated_anew(
    world: World, edit: dict[str, str | None]
) -> None:
    case = await world.submit()
    world.github.now = world.github.now.model_copy(update=edit)
    with pytest.raises(Superseded, match="resume"):
        await world.do("approve", case.id, digest=digest(case))
    assert (await world.do("case", case.id)).status == "superseded"
    renewed = await world.do("resume", case.id)
    assert (renewed.status, renewed.revision) == ("awaiting_approval", 2)
    assert digest(renewed) != digest(case)
    with pytest.raises(NotApproved):
        await world.do("approve", case.id, digest=digest(case))
    assert (await world.do("approve", case.id, digest=digest(renewed))).status == "posted"


@pytest.mark.parametrize(
    ("raised", "status"),
    [(Superseded("edited"), "superseded"), (NotApproved("wrong person"), "refused")],
)
async def test_a_refusal_at_the_last_moment_voids_the_approval(
    world: World, raised: Exception, status: str
) -> None:
    case = await world.submit()
    world.steps.trouble["execute"] = raised
    refused = await world.do("approve", case.id, digest=digest(case))
    assert (refused.status, refused.note) == (status, str(raised))
    world.steps.trouble.clear()
    renewed = await world.do("resume", case.id)
    assert (await world.do("approve", case.id, digest=digest(renewed))).status == "posted"


async def test_a_refusal_by_github_is_told_and_can_be_tried_anew(world: World) -> None:
    case = await world.submit()
    world.steps.resolution = Resolution(outcome="refused", detail="o/r is archived")
    refused = await world.do("approve", case.id, digest=digest(case))
    assert (refused.status, refused.note) == ("refused", "o/r is archived")
    assert (await world.do("resume", case.id)).status == "awaiting_approval"


async def test_an_approval_cut_short_is_finished_by_its_approver_only(world: World) -> None:
    case = await world.submit()
    world.steps.trouble["execute"] = GitHubUnavailable("no route")
    with pytest.raises(GitHubUnavailable):
        await world.do("approve", case.id, digest=digest(case))
    assert (await world.do("case", case.id)).status == "failed"
    with pytest.raises(AlreadyDecided, match="approve"):
        await world.do("resume", case.id)
    with pytest.raises(AlreadyDecided, match="cannot be rejected"):
        await world.do("reject", case.id, reason="changed my mind")
    world.steps.trouble.clear()
    world.github.account = Account(id=8, login="eve")
    with pytest.raises(AlreadyDecided, match="mona"):
        await world.do("approve", case.id, digest=digest(case))
    world.github.account = MONA
    done = await world.do("approve", case.id, digest=digest(case))
    assert (done.status, done.approval and done.approval.attempts) == ("posted", 2)


async def test_an_expired_approval_is_not_used(world: World) -> None:
    world.ttl = -1.0
    case = await world.submit()
    expired = await world.do("approve", case.id, digest=digest(case))
    assert expired.status == "expired"
    assert "execute" not in world.steps.ran
    world.ttl = 60.0
    renewed = await world.do("resume", case.id)
    assert (await world.do("approve", case.id, digest=digest(renewed))).status == "posted"


async def test_an_unexpected_exception_fails_the_case_and_it_can_be_resumed(world: World) -> None:
    world.steps.trouble["independent_review"] = ZeroDivisionError("oops")
    with pytest.raises(CaseFailed, match="oops"):
        await world.submit()
    (case,) = await world.store.cases()
    assert (case.status, case.approval) == ("failed", None)
    with pytest.raises(AlreadyDecided):
        await world.do("approve", case.id, digest="0" * 64)
    world.steps.trouble.clear()
    assert (await world.do("resume", case.id)).status == "awaiting_approval"
    assert world.steps.ran.count("generate_diagnosis") == 1


async def test_a_failed_first_stage_is_run_again(world: World) -> None:
    world.steps.trouble["fetch_evidence"] = GitHubUnavailable("no route")
    with pytest.raises(GitHubUnavailable):
        await world.submit()
    (case,) = await world.store.cases()
    assert case.note == "no route"
    world.steps.trouble.clear()
    assert (await world.do("resume", case.id)).status == "awaiting_approval"


async def test_a_case_that_never_started_is_started(world: World) -> None:
    case = await world.store.create(REPORT)
    assert (await world.do("resume", case.id)).status == "awaiting_approval"


async def test_resuming_a_waiting_case_changes_nothing(world: World) -> None:
    case = await world.submit()
    again = await world.do("resume", case.id)
    assert (again.status, digest(again)) == ("awaiting_approval", digest(case))


async def test_a_kill_between_the_pause_and_its_status_is_mended(world: World) -> None:
    case = await world.submit()
    await world.store.set_status(case.id, "running")
    assert (await world.do("resume", case.id)).status == "awaiting_approval"


async def test_resuming_a_case_at_rest_with_a_person_investigates_anew(world: World) -> None:
    world.steps.outcome = "escalate_to_human"
    case = await world.submit()
    world.steps.outcome = "approve"
    renewed = await world.do("resume", case.id)
    assert (renewed.status, renewed.revision) == ("awaiting_approval", 2)


async def test_a_waiting_case_without_checkpoint_is_a_loud_error(world: World) -> None:
    case = await world.submit()
    (world.home / "checkpoints.db").unlink()
    with pytest.raises(StateLost, match="resume"):
        await world.do("approve", case.id, digest=digest(case))
    assert (await world.do("case", case.id)).approval is None
    renewed = await world.do("resume", case.id)
    assert (await world.do("approve", case.id, digest=digest(renewed))).status == "posted"


async def test_checkpoints_that_are_no_database_are_named(world: World) -> None:
    case = await world.submit()
    (world.home / "checkpoints.db").write_bytes(b"garbage" * 1000)
    for leftover in world.home.glob("checkpoints.db-*"):
        leftover.unlink()
    with pytest.raises(InvalidSettings, match=r"checkpoints\.db cannot be used"):
        await world.do("approve", case.id, digest=digest(case))


async def test_an_approval_whose_checkpoint_is_gone_is_a_loud_error(world: World) -> None:
    case = await world.submit()
    await world.store.grant(approval(case))
    (world.home / "checkpoints.db").unlink()
    with pytest.raises(StateLost, match="nothing was posted"):
        await world.do("approve", case.id, digest=digest(case))
    assert "execute" not in world.steps.ran


async def test_a_kill_between_grant_and_resume_is_finished(world: World) -> None:
    case = await world.submit()
    await world.store.grant(approval(case))
    assert (await world.do("approve", case.id, digest=digest(case))).status == "posted"


@pytest.mark.parametrize("kind", ["Bot", "Organization"])
async def test_only_a_person_approves(world: World, kind: str) -> None:
    case = await world.submit()
    world.github.account = Account(id=9, login="robot[bot]", type=kind)
    with pytest.raises(NotApproved, match="person"):
        await world.do("approve", case.id, digest=digest(case))


async def test_what_cannot_be_used_makes_no_case(world: World) -> None:
    world.steps.trouble["check_input"] = RepositoryError("no such commit")
    with pytest.raises(RepositoryError, match=r"^no such commit$"):
        await world.submit()
    assert await world.store.cases() == ()
    assert world.steps.ran == []


async def test_a_case_that_cannot_be_resumed_now_stays_as_it_is(world: World) -> None:
    world.steps.route = "human_review"
    case = await world.submit()
    world.steps.trouble["check_input"] = InvalidSettings("no key")
    with pytest.raises(InvalidSettings):
        await world.do("resume", case.id)
    assert await world.do("case", case.id) == case


async def test_a_service_that_is_away_is_told_with_the_way_on(world: World) -> None:
    world.steps.trouble["fetch_evidence"] = GitHubUnavailable("no route")
    with pytest.raises(
        GitHubUnavailable, match=r"no route \[the case is kept: `resolveflow resume"
    ):
        await world.submit()
    (case,) = await world.store.cases()
    assert (case.status, case.note) == ("failed", "no route")
    world.steps.trouble["fetch_evidence"] = InvalidSettings("a wrong name")
    with pytest.raises(InvalidSettings, match=rf"a wrong name \[case {case.id}\]"):
        await world.do("resume", case.id)


async def test_of_two_cases_of_an_issue_one_is_posted(world: World) -> None:
    first, second = await world.submit(), await world.submit()
    results = await asyncio.gather(
        *[world.do("approve", case.id, digest=digest(case)) for case in (first, second)],
        return_exceptions=True,
    )
    (refused,) = [it for it in results if isinstance(it, AlreadyDecided)]
    assert "for o/r#1: a second comment" in str(refused)
    assert world.steps.ran.count("execute") == 1


async def test_approving_needs_a_token(world: World) -> None:
    case = await world.submit()
    async with open_checkpoints(world.home) as saver:
        graph = CaseGraph(world.steps, store=world.store, checkpointer=saver)
        service = Service(
            store=world.store,
            graph=graph,
            check_input=world.steps.check_input,
            reader=world.github,
            approval_ttl=60,
        )
        with pytest.raises(NotApproved, match="RESOLVEFLOW_APPROVER_TOKEN"):
            await service.approve(case.id, digest=digest(case), progress=quiet)


async def test_new_comments_are_shown_and_void_only_by_policy(world: World) -> None:
    case = await world.submit()
    world.github.said = (Comment(id=3, body="Me too"),)
    async with world.serve() as service:
        assert (await service.preview(case.id)).new_comments == world.github.said
    world.new_comments_void = True
    with pytest.raises(Superseded, match="new comments"):
        await world.do("approve", case.id, digest=digest(case))
    renewed = await world.do("resume", case.id)
    assert (await world.do("approve", case.id, digest=digest(renewed))).status == "posted"


async def test_nothing_to_approve_has_no_new_comments(world: World) -> None:
    world.steps.route = "human_review"
    case = await world.submit()
    async with world.serve() as service:
        assert (await service.preview(case.id)).new_comments == ()


async def test_a_rejection_closes_the_case(world: World) -> None:
    case = await world.submit()
    assert (await world.do("reject", case.id, reason="wrong")).status == "rejected"
    for verb, extra in (("approve", {"digest": digest(case)}), ("resume", {})):
        with pytest.raises(AlreadyDecided):
            await world.do(verb, case.id, **extra)
    async with world.serve() as service:
        assert [event.what for event in await service.history(case.id)][-1] == "rejected"
        assert await service.inbox() == ()


async def test_fifty_approvals_at_once_post_once(world: World) -> None:
    case = await world.submit()
    async with world.serve() as service:
        attempts = [
            service.approve(case.id, digest=digest(case), progress=quiet) for _ in range(50)
        ]
        results = await asyncio.gather(*attempts, return_exceptions=True)
    posted = [result for result in results if isinstance(result, Case)]
    assert [result.status for result in posted] == ["posted"]
    assert world.steps.ran.count("execute") == 1


async def test_node_names_are_a_contract(world: World) -> None:
    async with open_checkpoints(world.home) as saver:
        graph = CaseGraph(world.steps, store=world.store, checkpointer=saver)
    assert graph.nodes == (
        "fetch_evidence",
        "normalize_evidence",
        "classify",
        "generate_diagnosis",
        "verify_diagnosis",
        "independent_review",
        "draft_proposal",
        "await_approval",
        "execute",
    )
