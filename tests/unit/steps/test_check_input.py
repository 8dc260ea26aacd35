"""What cannot be used is told before any work is done."""

from datetime import datetime

import pytest

from resolveflow.domain.errors import InvalidSettings, RepositoryError
from resolveflow.domain.report import Report
from resolveflow.steps.check_input import check_input
from resolveflow.testing.memory_repository import MemoryRepository
from resolveflow.testing.scripted_model import ScriptedModel

REPORT = Report(kind="crash", source="x.log", text="boom")


class Opener:
    """Opens one location at one commit."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str | None]] = []

    async def __call__(
        self,
        location: str,
        *,
        commit: str | None = None,
        version: str | None = None,
        date: datetime | None = None,
    ) -> MemoryRepository:
        self.asked.append((location, commit))
        if (location, commit) not in {("/srv/r", None), ("/srv/r", "v1")}:
            raise RepositoryError("no such commit")
        return MemoryRepository({})


class NoKey(ScriptedModel):
    """A model whose key is not set."""

    def prepare(self) -> None:
        raise InvalidSettings("there is no key")


async def test_a_named_tree_is_opened_at_its_commit() -> None:
    opener = Opener()
    named = REPORT.model_copy(update={"repository": "/srv/r", "commit": "v1"})
    await check_input(named, open_repository=opener, models=[ScriptedModel()])
    assert opener.asked == [("/srv/r", "v1")]
    with pytest.raises(RepositoryError):
        await check_input(
            named.model_copy(update={"commit": "v2"}), open_repository=opener, models=[]
        )


async def test_a_tree_that_nobody_named_is_not_looked_for() -> None:
    opener = Opener()
    await check_input(REPORT, open_repository=opener, models=[])
    assert opener.asked == []


async def test_every_model_is_prepared() -> None:
    with pytest.raises(InvalidSettings, match="no key"):
        await check_input(REPORT, open_repository=Opener(), models=[ScriptedModel(), NoKey()])
