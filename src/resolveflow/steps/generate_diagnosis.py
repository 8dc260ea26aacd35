"""Investigate the pinned tree: retrieve, localize, explore, structure, check what is cited."""

from typing import Final

from resolveflow.domain.diagnosis import Investigation
from resolveflow.domain.errors import RepositoryError
from resolveflow.domain.exploration import Budget
from resolveflow.domain.report import IssueEvidence, TreeRef
from resolveflow.explore.citations import check_citations
from resolveflow.explore.structure import structure
from resolveflow.ports import CodeIndex, Explorer, KnowledgeStore, Model, OpenRepository, Repository

PASSAGES: Final = 3
BUDGET: Final = Budget()


async def generate_diagnosis(
    evidence: IssueEvidence,
    *,
    open_repository: OpenRepository,
    index: CodeIndex,
    explorer: Explorer,
    model: Model | None = None,
    knowledge: KnowledgeStore | None = None,
    floor: float | None = None,
    limit: int = 10,
) -> Investigation:
    """Investigate at most `limit` suspects; `floor` is the cosine from which passages count.

    Raises:
        RepositoryError: the pinned tree is gone or has changed.
        MissingProgram: git is needed to read it.
        ModelUnavailable: the model did not answer.
    """
    report = f"{evidence.title}\n\n{evidence.body}"
    passages = await knowledge.search(report, PASSAGES) if knowledge else ()
    if evidence.tree is None:
        why = evidence.tree_problem or "no repository is known"
        return Investigation(passages=passages, abstained=f"No source tree was read: {why}")
    tree = await reopen(evidence.tree, open_repository)
    located = await index.localize(evidence, tree, limit)
    exploration = await explorer.explore(evidence, passages, tree, located.suspects, BUDGET)
    unseen = dict.fromkeys((*exploration.not_examined, *evidence.tree.gaps, *located.not_examined))
    exploration = exploration.model_copy(update={"not_examined": tuple(unseen)})
    found = await structure(exploration, evidence, passages, tree, model=model)
    if found.diagnosis is None:
        return found
    diagnosis = await check_citations(found.diagnosis, tree, passages, floor, report=report)
    return found.model_copy(update={"diagnosis": diagnosis})


async def reopen(ref: TreeRef, open_repository: OpenRepository) -> Repository:
    """Open the very tree that the evidence was normalised against."""
    commit = ref.commit if ref.kind == "git" else None
    tree = await open_repository(ref.location, commit=commit)
    if tree.ref.commit != ref.commit:
        raise RepositoryError(
            f"{ref.location} is no longer what was read: it was {ref.short} and is "
            f"{tree.ref.short}. Run the report again."
        )
    return tree
