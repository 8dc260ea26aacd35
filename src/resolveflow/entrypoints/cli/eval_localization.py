"""`resolveflow eval localization`: how well reports are traced to the files their fixes touched."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from resolveflow.evals.localization_summary import Summary
    from resolveflow.evals.metrics import Estimate


def eval_localization(
    data: Annotated[Path, typer.Argument(help="Reports with known fixes, as JSON Lines.")],
    repos: Annotated[Path, typer.Option(help="A directory of git directories named OWNER__NAME.")],
    fit: Annotated[
        bool, typer.Option("--fit", help="Also choose weights, cross-validated by repository.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON to stdout and nothing else.")
    ] = False,
    report: Annotated[Path | None, typer.Option(help="Write an HTML page with plots here.")] = None,
) -> None:
    """Measure localization against BM25 in the same run; an interrupted run goes on.

    Exit code 1 if a report could not be measured.
    """
    from resolveflow.backends.repository_open import RepositoryOpener
    from resolveflow.entrypoints.cli import output, session
    from resolveflow.evals.localization import measure
    from resolveflow.evals.localization_data import read_rows
    from resolveflow.evals.localization_fit import fit as choose_weights
    from resolveflow.evals.localization_page import page
    from resolveflow.evals.localization_summary import summarize
    from resolveflow.settings import Settings

    async def tell(line: str) -> None:
        typer.echo(line, err=True)

    settings = session.read_settings(Settings)
    measured = session.run_to_end(
        measure(
            read_rows(data),
            repos,
            settings.home / "evals" / "localization",
            open_repository=RepositoryOpener(settings.home),
            tell=tell,
        )
    )
    summary = summarize(measured, choose_weights(measured) if fit else None)
    if report is not None:
        report.write_text(page(summary), "utf-8")
    if as_json:
        typer.echo(output.dumps(summary.model_dump(mode="json")))
    else:
        for line in _lines(summary):
            typer.echo(line)
    if summary.skipped:
        raise typer.Exit(1)


def _lines(summary: "Summary") -> Iterator[str]:
    yield f"{summary.rows} reports, {len(summary.skipped)} not measured"
    for method, figures in summary.files.items():
        yield _line(method, figures)
    for baseline, gains in summary.gains.items():
        yield _line(f"gain over {baseline}", gains)
    for name, part in summary.slices.items():
        yield _line(f"{name} ({part.rows})", part.files)
    yield _line("regions", summary.slices["all"].regions if summary.slices else {})
    if summary.fit:
        yield _line("weights chosen without the repository", summary.fit.held_out)
        chosen = ", ".join(f"{name} {weight:g}" for name, weight in summary.fit.weights.items())
        yield f"weights chosen on all: {chosen}"
    yield f"query milliseconds: {summary.milliseconds}"
    yield from (f"not measured: {row}: {why}" for row, why in summary.skipped.items())


def _line(name: str, figures: "Mapping[str, Estimate]") -> str:
    told = (
        f"{metric} {one.value:.3f} [{one.low:.3f}, {one.high:.3f}]"
        for metric, one in figures.items()
    )
    return f"{name}: {', '.join(told)}"
