"""`resolveflow eval localization`: how well reports are traced to the files their fixes touched."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from resolveflow.entrypoints.cli.cases import AsJson

if TYPE_CHECKING:
    from resolveflow.evals.localization_data import Row
    from resolveflow.evals.localization_repositories import Repositories
    from resolveflow.evals.localization_summary import Summary
    from resolveflow.evals.metrics import Estimate
    from resolveflow.settings import Settings

PROBLEMS_TOLD = 20

Repos = Annotated[
    Path,
    typer.Option(
        exists=True, file_okay=False, help="A directory of git directories named OWNER__NAME."
    ),
]


def eval_localization(
    data: Annotated[Path, typer.Argument(help="Reports with known fixes, as JSON Lines.")],
    repos: Repos,
    fetch: Annotated[
        bool, typer.Option("--fetch", help="Clone what is not in that directory from GitHub.")
    ] = False,
    fit: Annotated[
        bool, typer.Option("--fit", help="Also choose weights, cross-validated by repository.")
    ] = False,
    as_json: AsJson = False,
    report: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Write an HTML page with plots here.")
    ] = None,
) -> None:
    """Measure localization against BM25 in the same run; an interrupted run goes on.

    Exit code 1 if a report could not be measured, 2 if a line of the data is no report.
    """
    from resolveflow.entrypoints.cli import output
    from resolveflow.entrypoints.cli.running import read_settings, run_to_end
    from resolveflow.entrypoints.cli.visible import visible
    from resolveflow.evals.localization import measure
    from resolveflow.evals.localization_fit import fit as choose_weights
    from resolveflow.evals.localization_summary import summarize
    from resolveflow.settings import Settings

    _refuse_unwritable(report)
    settings = read_settings(Settings)
    measured = run_to_end(
        measure(
            _rows(data),
            settings.home / "evals" / "localization",
            repositories=_repositories(settings, repos, fetch=fetch),
            tell=_tell,
        )
    )
    summary = summarize(measured, choose_weights(measured) if fit else None)
    if as_json:
        typer.echo(output.dumps(summary.model_dump(mode="json")))
    else:
        for line in _lines(summary):
            typer.echo(visible(line).replace("\n", " "))
    _write_page(summary, report)
    if summary.skipped:
        raise typer.Exit(1)


async def _tell(line: str) -> None:
    from resolveflow.entrypoints.cli.visible import one_line

    typer.echo(one_line(line), err=True)


def _rows(data: Path) -> "tuple[Row, ...]":
    from resolveflow.domain.errors import InvalidReport
    from resolveflow.entrypoints.cli.visible import one_line
    from resolveflow.evals.localization_data import read_rows

    read = read_rows(data)
    if not read.problems:
        return read.rows
    for problem in read.problems[:PROBLEMS_TOLD]:
        typer.echo(one_line(f"{data}, {problem}", 500), err=True)
    raise InvalidReport(
        f"{len(read.problems)} lines of {data} are no reports to measure with: mend them first; "
        "nothing was measured."
    )


def _repositories(settings: "Settings", directory: Path, *, fetch: bool) -> "Repositories":
    from resolveflow.backends.git import find_git
    from resolveflow.backends.mirrors import Mirrors
    from resolveflow.backends.repository_open import RepositoryOpener
    from resolveflow.evals.localization_repositories import Repositories

    home = settings.home
    return Repositories(
        directory,
        open_repository=RepositoryOpener(home),
        web_url=str(settings.github_web_url),
        mirrors=Mirrors(home / "mirrors", find_git(home / "git")) if fetch else None,
        tell=_tell,
    )


def _refuse_unwritable(report: Path | None) -> None:
    """Say so before the work is done, not after."""
    from resolveflow.domain.errors import InvalidSettings

    if report is not None and not report.absolute().parent.is_dir():
        raise InvalidSettings(f"cannot write {report}: there is no such directory")


def _write_page(summary: "Summary", report: Path | None) -> None:
    from resolveflow.domain.errors import InvalidSettings
    from resolveflow.evals.localization_page import page

    if report is None:
        return
    try:
        report.write_text(page(summary), "utf-8")
    except OSError as error:
        raise InvalidSettings(f"cannot write {report}: {error.strerror}") from None


def _lines(summary: "Summary") -> Iterator[str]:
    yield (
        f"{summary.rows} reports of {summary.repositories} repositories, "
        f"{len(summary.skipped)} not measured"
    )
    parts = summary.slices.items()
    yield from _table("files, by method", summary.files)
    for baseline, gains in summary.gains.items():
        yield _line(f"gain over {baseline}", gains)
    yield from _table("files, by slice", {f"{name} ({p.rows})": p.files for name, p in parts})
    yield from _table(
        "functions", {f"{name} ({p.functions})": p.regions for name, p in parts if p.functions}
    )
    yield from _table(
        "line coverage", {f"{name} ({p.lined})": p.lines for name, p in parts if p.lined}
    )
    if summary.fit:
        yield from _table("held out", {"weights chosen elsewhere": summary.fit.held_out})
        chosen = ", ".join(f"{name} {weight:g}" for name, weight in summary.fit.weights.items())
        yield f"weights chosen on all: {chosen}"
    yield f"query milliseconds: {summary.milliseconds}"
    yield from (f"not measured: {row}: {why}" for row, why in summary.skipped.items())
    for row, paths in summary.unranked.items():
        yield from (f"counts as missed: {row}: {path} {why}" for path, why in paths.items())


def _table(title: str, rows: "Mapping[str, Mapping[str, Estimate]]") -> Iterator[str]:
    if not rows:
        return
    metrics = list(next(iter(rows.values())))
    yield f"{title:<36}{''.join(f'{metric:>15}' for metric in metrics)}"
    for name, row in rows.items():
        yield f"  {name:<34}{''.join(f'{row[metric].value:>15.3f}' for metric in metrics)}"


def _line(name: str, figures: "Mapping[str, Estimate]") -> str:
    told = (
        f"{metric} {one.value:+.3f} [{one.low:+.3f}, {one.high:+.3f}]"
        for metric, one in figures.items()
    )
    return f"{name}: {', '.join(told)}"
