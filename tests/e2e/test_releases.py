"""A case that waited under an earlier release can still be approved."""

import asyncio
import shutil
from pathlib import Path

import pytest

from tests.e2e import mortal

RELEASES = sorted((Path(__file__).parent / "releases").iterdir())


def test_there_is_a_fixture_of_a_release() -> None:
    assert RELEASES


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.name)
def test_a_waiting_case_resumes_and_posts(release: Path, tmp_path: Path, url: str) -> None:
    home = tmp_path / "home"
    shutil.copytree(release, home)

    async def approve_it() -> None:
        async with mortal.mortal_service(home, url, mortal.Fate()) as service:
            (case,) = await service.inbox()
            assert case.status == "awaiting_approval"
            assert case.proposed_action is not None
            digest = case.proposed_action.digest
            done = await service.approve(case.id, digest=digest, progress=mortal.quiet)
            assert done.status == "posted"
            assert mortal.comments(url, done) == [case.proposed_action.comment]

    asyncio.run(approve_it())
