"""`resolveflow localize`: the files and lines where a report's cause may be, and why."""

from typing import TYPE_CHECKING, Annotated

import typer

from resolveflow.entrypoints.cli.cases import AsJson, Commit, Repo, ReportSource, read

if TYPE_CHECKING:
    from resolveflow.domain.exploration import Localization, Suspect
    from resolveflow.ports import CodeIndex


def localize(
    report: ReportSource,
    repo: Repo = None,
    commit: Commit = None,
    limit: Annotated[int, typer.Option(min=1, max=100, help="How many files to list.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Rank the files where a report's cause may be. Nothing is stored or proposed.

    \b
    Examples:
      resolveflow localize crash.log --repo ~/src/project
      resolveflow localize OWNER/REPO#7 --limit 3 --json
    """
    from resolveflow.entrypoints.cli import output
    from resolveflow.entrypoints.cli.running import run_to_end
    from resolveflow.entrypoints.cli.visible import one_line

    found = run_to_end(_located(report, repo, commit, limit))
    if as_json:
        typer.echo(output.dumps(found.model_dump(mode="json")))
        return
    for number, suspect in enumerate(found.suspects, 1):
        _print(number, suspect)
    for line in found.not_examined:
        typer.echo(f"Not examined: {one_line(line)}")


async def _located(report: str, repo: str | None, commit: str | None, limit: int) -> "Localization":
    from resolveflow.backends.github_http import Patience
    from resolveflow.backends.repository_open import RepositoryOpener
    from resolveflow.bootstrap import load, open_github
    from resolveflow.domain.errors import RepositoryError
    from resolveflow.entrypoints.cli.running import read_settings, show_wait
    from resolveflow.settings import Settings
    from resolveflow.steps.classify import of_other_sources
    from resolveflow.steps.fetch_evidence import fetch_evidence
    from resolveflow.steps.generate_diagnosis import reopen
    from resolveflow.steps.normalize_evidence import normalize_evidence

    settings = read_settings(Settings)
    given = read(report, issue=None, web_url=str(settings.github_web_url))
    given = given.model_copy(update={"repository": repo, "commit": commit})
    patience = Patience(max_wait=settings.github_max_wait, on_wait=show_wait)
    async with open_github(settings, settings.github_token, patience) as reader:
        fetched = await fetch_evidence(given, reader=reader)
    opener = RepositoryOpener(settings.home)
    evidence = await normalize_evidence(fetched, open_repository=opener)
    if evidence.tree is None:
        raise RepositoryError(f"there is no source tree to look in: {evidence.tree_problem}")
    tree = await reopen(evidence.tree, opener)
    index: CodeIndex = load("code_indexes", settings.code_index)(settings.home)
    found = await index.localize(evidence, tree, limit)
    doubt = of_other_sources(evidence)
    unseen = dict.fromkeys((*([doubt] if doubt else []), *evidence.tree.gaps, *found.not_examined))
    return found.model_copy(update={"not_examined": tuple(unseen)})


def _print(number: int, suspect: "Suspect") -> None:
    from resolveflow.entrypoints.cli.visible import one_line

    typer.echo(f"{number:>2}. {one_line(suspect.path)}  {suspect.score:.2f}")
    for symbol in suspect.symbols:
        place = f"{symbol.start_line}-{symbol.end_line}"
        name = one_line(symbol.name) or "(before the first definition)"
        typer.echo(f"      {place:<11} {name}")
    for reason in suspect.reasons:
        typer.echo(f"      · {one_line(reason)}")
