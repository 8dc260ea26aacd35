import pytest

from resolveflow.domain.diagnosis import Investigation
from resolveflow.domain.errors import RepositoryError
from resolveflow.domain.exploration import Passage
from resolveflow.domain.report import IssueEvidence, TreeRef
from resolveflow.explore.static import StaticExplorer
from resolveflow.steps.generate_diagnosis import PASSAGES, generate_diagnosis
from resolveflow.testing.fixed_index import FixedCodeIndex
from resolveflow.testing.memory_repository import MemoryOpener, MemoryRepository
from resolveflow.testing.scripted_model import ScriptedModel
from tests.unit.explore.trees import CELLS_TRACE, PYTHON, cells_crash, report, suspect, tree

PASSAGE = Passage(
    id="issue-1",
    text="An empty cell in wrap_cells crashed; fixed by skipping None.",
    source="owner/repo#1",
    tier="maintainer",
    score=0.7,
)


class Knowledge:
    """A store that answers everything with `PASSAGE`; `asked` keeps the questions."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, int]] = []

    async def search(self, text: str, k: int) -> tuple[Passage, ...]:
        self.asked.append((text, k))
        return (PASSAGE,)


def crash_report(repository: MemoryRepository) -> IssueEvidence:
    return report(
        repository,
        list(PYTHON),
        title="Empty cell in wrap_cells crashed",
        body=CELLS_TRACE,
        crashes=[cells_crash()],
    )


async def generate(evidence: IssueEvidence, opener: MemoryOpener, **more: object) -> Investigation:
    capabilities = {
        "index": FixedCodeIndex([suspect("pkg/cells.py", 0.9)], ["The tests were not ranked."]),
        "explorer": StaticExplorer(),
    } | more
    return await generate_diagnosis(evidence, open_repository=opener, **capabilities)


async def test_a_crash_becomes_a_diagnosis_whose_citations_hold() -> None:
    repository = tree(PYTHON)
    opener = MemoryOpener({"memory": repository})
    found = await generate(crash_report(repository), opener)
    assert found.abstained is None
    assert found.diagnosis is not None
    assert found.diagnosis.citations
    assert all(citation.ok for citation in found.diagnosis.citations)
    assert found.exploration is not None
    assert found.exploration.not_examined[-1] == "The tests were not ranked."
    assert found.passages == ()
    assert opener.asked == [("memory", None, None, None)]


async def test_a_git_tree_is_opened_at_its_commit() -> None:
    gaps = ("Later commits: the mirror is old",)
    ref = TreeRef(location="repo", kind="git", commit="c" * 40, reason="HEAD", gaps=gaps)
    repository = tree(PYTHON, ref=ref)
    opener = MemoryOpener({"repo": repository})
    found = await generate(crash_report(repository), opener)
    assert found.diagnosis is not None
    assert found.exploration is not None
    assert found.exploration.not_examined.count(gaps[0]) == 1
    assert opener.asked == [("repo", "c" * 40, None, None)]


async def test_a_directory_that_changed_since_is_an_error() -> None:
    evidence = crash_report(tree(PYTHON))
    opener = MemoryOpener({"memory": tree(PYTHON | {"new.py": "x = 1\n"})})
    with pytest.raises(RepositoryError, match="is no longer what was read"):
        await generate(evidence, opener)


async def test_without_a_tree_it_abstains_and_says_why() -> None:
    evidence = crash_report(tree(PYTHON))
    lost = evidence.model_copy(update={"tree": None, "tree_problem": "no such commit"})
    knowledge = Knowledge()
    found = await generate(lost, MemoryOpener({}), knowledge=knowledge)
    assert found.abstained == "No source tree was read: no such commit"
    assert found.passages == (PASSAGE,)
    unknown = evidence.model_copy(update={"tree": None})
    found = await generate(unknown, MemoryOpener({}))
    assert found.abstained == "No source tree was read: no repository is known"


async def test_passages_are_asked_for_with_title_and_body() -> None:
    repository = tree(PYTHON)
    knowledge = Knowledge()
    evidence = crash_report(repository)
    await generate(evidence, MemoryOpener({"memory": repository}), knowledge=knowledge)
    assert knowledge.asked == [(f"{evidence.title}\n\n{evidence.body}", PASSAGES)]


@pytest.mark.parametrize(("floor", "ok"), [(None, False), (0.9, False), (0.5, True)])
async def test_a_cited_passage_needs_a_calibrated_floor(floor: float | None, ok: bool) -> None:
    repository = tree(PYTHON)
    answer = {
        "root_cause": "None is called.",
        "severity": "low",
        "complexity": "low",
        "risk": "low",
        "citations": [{"kind": "passage", "id": "issue-1", "quote": "fixed by skipping None"}],
    }
    found = await generate(
        crash_report(repository),
        MemoryOpener({"memory": repository}),
        knowledge=Knowledge(),
        model=ScriptedModel([answer]),
        floor=floor,
    )
    assert found.diagnosis is not None
    [citation] = found.diagnosis.citations
    assert (citation.ok, citation.score) == (ok, 0.7)


async def test_an_explorer_that_abstains_leaves_its_report_and_the_reason() -> None:
    repository = tree(PYTHON)
    evidence = report(repository, list(PYTHON), title="It does not work")
    index = FixedCodeIndex([suspect("pkg/cells.py", 0.2), suspect("pkg/formats.py", 0.19)])
    found = await generate(evidence, MemoryOpener({"memory": repository}), index=index, limit=1)
    assert index.asked == [1]
    assert found.diagnosis is None
    assert "established no root cause. Missing: " in (found.abstained or "")
    assert found.exploration is not None
    assert [one.path for one in found.exploration.suspects] == ["pkg/cells.py"]
