"""A code index that suspects what a test wrote down."""

from collections.abc import Sequence

from resolveflow.domain.exploration import Localization, Suspect
from resolveflow.domain.report import IssueEvidence
from resolveflow.ports import Repository


class FixedCodeIndex:
    """Suspects `suspects` in every tree; `asked` keeps the limits it was asked for."""

    def __init__(self, suspects: Sequence[Suspect] = (), not_examined: Sequence[str] = ()) -> None:
        self._suspects = tuple(suspects)
        self._not_examined = tuple(not_examined)
        self.asked: list[int] = []

    async def localize(
        self, evidence: IssueEvidence, repository: Repository, limit: int
    ) -> Localization:
        """The first `limit` of the suspects."""
        self.asked.append(limit)
        return Localization(suspects=self._suspects[:limit], not_examined=self._not_examined)
