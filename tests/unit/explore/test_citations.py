import pytest

from resolveflow.domain.diagnosis import Citation, Diagnosis
from resolveflow.domain.exploration import Passage, Tier
from resolveflow.explore.citations import LONGEST_QUOTE, MOST_LINES, check_citations
from resolveflow.testing.memory_repository import MemoryRepository
from tests.unit.explore.trees import CELLS, PYTHON, number_of, tree

REPORT = "Empty cells crash the wrapped column of a table"
TEXT = "An empty cell of a wrapped column crashed. Fixed by keeping None out of the wrapper."
LINE = number_of(CELLS, "wrapped.append")


def code(path: str, start: int | None, end: int | None, quote: str) -> Citation:
    return Citation(kind="code", path=path, start_line=start, end_line=end, quote=quote)


def passage(
    *, score: float = 0.6, tier: Tier = "maintainer", text: str = TEXT, name: str = "issue-1"
) -> Passage:
    return Passage(id=name, text=text, source="owner/repo#1", tier=tier, score=score)


async def checked(
    citation: Citation,
    *passages: Passage,
    floor: float | None = 0.53,
    repository: MemoryRepository | None = None,
) -> Citation:
    diagnosis = Diagnosis(
        root_cause="x", severity="low", complexity="low", risk="low", citations=(citation,)
    )
    found = await check_citations(
        diagnosis, repository or tree(PYTHON), passages, floor, report=REPORT
    )
    return found.citations[0]


@pytest.mark.parametrize(
    ("start", "end", "quote"),
    [
        (LINE, LINE, "        wrapped.append(caster(cell)[:width])"),
        (LINE, LINE, "wrapped.append(caster(cell)[:width])"),
        (LINE, LINE, "caster(cell)[:width]"),
        (LINE - 1, LINE, "caster = _caster(cell)\n\n\t wrapped.append(caster(cell)"),
        (1, 25, "wrapped.append(caster(cell)[:width])"),
    ],
)
async def test_a_quote_at_its_place_holds(start: int, end: int, quote: str) -> None:
    found = await checked(code("pkg/cells.py", start, end, quote))
    assert (found.ok, found.reason) == (True, "the quoted lines are at that place")


@pytest.mark.parametrize(
    ("citation", "reason"),
    [
        (code("pkg/gone.py", 1, 1, "wrapped"), "pkg/gone.py is no file of the tree"),
        (code("../pkg/cells.py", 1, 1, "wrapped"), "is no file of the tree"),
        (code("link.py", 1, 1, "wrapped"), "is no file of the tree"),
        (code("", 1, 1, "wrapped"), "is no file of the tree"),
        (code("pkg/cells.py", None, None, "wrapped"), "has no lines None-None"),
        (code("pkg/cells.py", 0, 1, "wrapped"), "has no lines 0-1"),
        (code("pkg/cells.py", 5, 4, "wrapped"), "has no lines 5-4"),
        (code("pkg/cells.py", 1, 999, "wrapped"), "has no lines 1-999"),
        (code("pkg/cells.py", LINE, LINE, "}"), "too trivial"),
        (code("pkg/cells.py", LINE, LINE, "return None"), "too trivial"),
        (code("pkg/cells.py", LINE, LINE, ""), "too trivial"),
        (code("pkg/cells.py", LINE, LINE, "wrapped"), "too trivial"),
        (code("pkg/cells.py", LINE, LINE, "rapped.append(caster"), "does not hold"),
        (code("pkg/cells.py", LINE, LINE, "wrapped.append(cast"), "does not hold"),
        (code("pkg/cells.py", LINE + 1, LINE + 1, "wrapped.append"), "does not hold"),
        (code("pkg/cells.py", LINE, LINE, "wrapped.append(other_name)"), "does not hold"),
        (code("pkg/cells.py", LINE, LINE, "wrapped " * LONGEST_QUOTE), "characters"),
        (code("long.py", 1, MOST_LINES + 1, "some_name"), f"more than {MOST_LINES} lines"),
    ],
)
async def test_any_other_quote_of_code_fails(citation: Citation, reason: str) -> None:
    content = {path: text.encode() for path, text in PYTHON.items()}
    content["long.py"] = b"some_name\n" * 500
    repository = MemoryRepository(content, links={"link.py": b"pkg/cells.py"})
    found = await checked(citation, repository=repository)
    assert found.ok is False
    assert reason in found.reason


def cites(quote: str, name: str | None = "issue-1") -> Citation:
    return Citation(kind="passage", id=name, quote=quote, score=0.99, ok=True, reason="trust me")


async def test_a_maintainers_words_above_the_floor_hold_with_the_retrieved_score() -> None:
    found = await checked(cites("keeping None out of the wrapper"), passage())
    assert found.ok is True
    assert found.score == 0.6


@pytest.mark.parametrize(
    ("citation", "given", "floor", "reason"),
    [
        (cites(TEXT, "issue-2"), passage(), 0.5, "no passage 'issue-2' was retrieved"),
        (cites(TEXT, None), passage(), 0.5, "no passage '' was retrieved"),
        (cites(TEXT), passage(), None, "no floor is calibrated"),
        (cites(TEXT), passage(score=0.52), 0.53, "scores 0.52, below the floor 0.53"),
        (cites(TEXT), passage(score=float("nan")), 0.53, "below the floor"),
        (cites(TEXT), passage(tier="reporter"), 0.5, "not a maintainer's"),
        (cites(TEXT), passage(tier="other"), 0.5, "not a maintainer's"),
        (cites("keeping  None out of the wrapper"), passage(), 0.5, "does not hold"),
        (cites("An empty"), passage(), 0.5, "too short"),
        (cites("the login page is slow"), passage(text="the login page is slow"), 0.5, "few words"),
    ],
)
async def test_any_other_passage_fails(
    citation: Citation, given: Passage, floor: float | None, reason: str
) -> None:
    found = await checked(citation, given, floor=floor)
    assert found.ok is False
    assert reason in found.reason


async def test_a_score_at_the_floor_counts() -> None:
    assert (await checked(cites(TEXT), passage(score=0.53), floor=0.53)).ok is True


async def test_the_score_of_a_passage_that_was_not_retrieved_is_taken_away() -> None:
    assert (await checked(cites(TEXT, "issue-2"), passage())).score is None


class _Torn(MemoryRepository):
    async def read(self, path: str) -> bytes:
        return await super().read(f"missing {path}")


async def test_a_file_whose_content_is_missing_fails_the_citation() -> None:
    found = await checked(code("a.py", 1, 1, "some_name"), repository=_Torn({"a.py": b"some_name"}))
    assert found.ok is False
    assert "is no file" in found.reason
