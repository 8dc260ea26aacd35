"""Tell what cannot be used before a case is made of it."""

from collections.abc import Iterable

from resolveflow.domain.report import Report
from resolveflow.ports import Model, OpenRepository


async def check_input(
    report: Report, *, open_repository: OpenRepository, models: Iterable[Model]
) -> None:
    """Open the tree that the caller named, and prepare the models that may be asked.

    Raises:
        RepositoryError, RepositoryUnavailable: no such tree or commit, or its host is away.
        InvalidSettings, MissingProgram: a model that could not be asked, or no git.
    """
    for model in models:
        model.prepare()
    if report.repository is not None:
        await open_repository(report.repository, commit=report.commit)
