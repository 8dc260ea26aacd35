"""A code index that answers what a test wrote down."""

import re
from collections.abc import Sequence

from resolveflow.domain.code import Definition, Match
from resolveflow.domain.errors import InvalidPattern
from resolveflow.domain.exploration import Localization, Suspect
from resolveflow.domain.report import IssueEvidence
from resolveflow.ports import Repository


class FixedCodeIndex:
    """Knows the same of every tree; `asked` keeps the limits that `localize` was asked for."""

    def __init__(
        self,
        suspects: Sequence[Suspect] = (),
        not_examined: Sequence[str] = (),
        *,
        map_text: str = "",
        matches: Sequence[Match] = (),
        definitions: Sequence[Definition] = (),
    ) -> None:
        self._suspects = tuple(suspects)
        self._not_examined = tuple(not_examined)
        self._map = map_text
        self._matches = tuple(matches)
        self._definitions = tuple(definitions)
        self.asked: list[int] = []

    async def localize(
        self, evidence: IssueEvidence, repository: Repository, limit: int
    ) -> Localization:
        """The first `limit` of the suspects."""
        self.asked.append(limit)
        return Localization(suspects=self._suspects[:limit], not_examined=self._not_examined)

    async def map(self, repository: Repository, tokens: int, report: str = "") -> str:
        """The map."""
        return self._map

    async def search(
        self, repository: Repository, pattern: str, limit: int, *, regex: bool = False
    ) -> tuple[Match, ...]:
        """The first `limit` of the matches whose text has the pattern."""
        try:
            wanted = re.compile(pattern if regex else re.escape(pattern))
        except re.error as error:
            raise InvalidPattern(f"{pattern!r} is no regular expression: {error}") from None
        return tuple(one for one in self._matches if wanted.search(one.text))[:limit]

    async def definitions(self, repository: Repository, name: str) -> tuple[Definition, ...]:
        """The definitions of that name."""
        return tuple(one for one in self._definitions if one.name == name)
