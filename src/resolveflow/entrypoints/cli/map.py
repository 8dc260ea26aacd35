"""`resolveflow map`: a repository under a budget of tokens."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from resolveflow.entrypoints.cli.cases import AsJson, Commit

if TYPE_CHECKING:
    from resolveflow.codebase.code_tree import CodeTree
    from resolveflow.codebase.repo_map import RepoMap
    from resolveflow.domain.report import TreeRef
    from resolveflow.ports import Repository


Tree = Annotated[
    str,
    typer.Argument(
        metavar="REPO", help="A working tree, git directory, clone URL or source archive."
    ),
]


def map_repository(
    path: Tree = ".",
    commit: Commit = None,
    tokens: Annotated[
        int, typer.Option(min=100, max=200_000, help="How many tokens the text may take, about.")
    ] = 4096,
    report: Annotated[
        str | None,
        typer.Option(metavar="REPORT", help="A report's file, or -: what the map is to be about."),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw the modules as .svg or .html instead."),
    ] = None,
    list_skipped: Annotated[
        bool, typer.Option(help="List the files that were left out, and why, instead.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show a repository's key files and definitions, and how its modules connect.

    \b
    Examples:
      resolveflow map ~/src/project --tokens 2000
      resolveflow map . --report crash.log
      resolveflow map . --picture modules.svg
    """
    from resolveflow.entrypoints.cli.running import run_to_end

    _check_options(picture, list_skipped=list_skipped, as_json=as_json)
    about = _report_text(report) if report else ""
    if not (picture or list_skipped or as_json):
        from resolveflow.entrypoints.cli.visible import visible

        sys.stdout.write(visible(run_to_end(_text(path, commit, tokens, about))))
        return
    ref, tree = run_to_end(_tree(path, commit))
    if list_skipped:
        _print_skipped(tree, as_json=as_json)
        return
    from resolveflow.codebase.repo_map import Mapper

    shown = Mapper(tree).map(tokens=tokens, report=about)
    if picture:
        _draw(shown, picture, f"{ref.location} at {ref.short}")
    else:
        _print_json(_as_json(shown, ref))


async def _opened(
    location: str, commit: str | None, *, tell_gaps: bool = True
) -> "tuple[Path, Repository]":
    from resolveflow.backends.repository_open import RepositoryOpener
    from resolveflow.entrypoints.cli.running import read_settings
    from resolveflow.settings import Settings

    home = read_settings(Settings).home
    return home, await RepositoryOpener(home, tell_gaps=tell_gaps)(location, commit=commit)


async def _tree(location: str, commit: str | None) -> "tuple[TreeRef, CodeTree]":
    from resolveflow.backends.code_trees import CodeTrees

    home, repository = await _opened(location, commit)
    return repository.ref, await CodeTrees(home).tree(repository)


async def _text(location: str, commit: str | None, tokens: int, report: str) -> str:
    """The map as text; the same question about the same commit is answered without computing."""
    from hashlib import sha256

    from resolveflow.backends.code_store import CodeStore, store_path

    home, repository = await _opened(location, commit, tell_gaps=False)  # it shows none
    store = CodeStore(store_path(home, repository.ref.location))
    question = sha256(f"{tokens}\n{report}".encode("utf-8", "replace")).hexdigest()
    text = store.answer(repository.ref.commit, question)
    if text is None:
        from resolveflow.backends.code_trees import CodeTrees
        from resolveflow.codebase.languages import MISSING
        from resolveflow.codebase.repo_map import Mapper, render

        tree = await CodeTrees(home).tree(repository)
        text = render(Mapper(tree).map(tokens=tokens, report=report))
        if all(why != MISSING for _, why in tree.skipped):  # what is missing may be fetched
            store.add_answer(repository.ref.commit, question, text)
    return text


def _report_text(report: str) -> str:
    from resolveflow.domain.errors import InvalidReport
    from resolveflow.entrypoints.cli.cases import read

    if report != "-" and "://" not in report and not Path(report).exists():
        raise InvalidReport(f"there is no file {report}")
    given = read(report, issue=None, web_url="https://github.com")
    if given.issue:
        return f"{given.issue.title}\n\n{given.issue.body or ''}"
    if given.text is None:
        raise InvalidReport(f"{report} cannot be read here: give the report as a file, or -")
    return given.text


def _check_options(picture: Path | None, *, list_skipped: bool, as_json: bool) -> None:
    from resolveflow.domain.errors import BadInput

    if picture is None:
        return
    if list_skipped or as_json:
        raise BadInput("--picture draws instead of printing: leave --json and --list-skipped out")
    if picture.suffix.lower() not in (".svg", ".html"):
        raise BadInput(f"{picture} cannot be drawn: its name has to end in .svg or .html")


def _draw(shown: "RepoMap", picture: Path, title: str) -> None:
    from resolveflow.codebase.map_picture import picture_html, picture_svg
    from resolveflow.domain.errors import BadInput

    draw = picture_svg if picture.suffix.lower() == ".svg" else picture_html
    try:
        picture.write_text(draw(shown, title), encoding="utf-8", errors="replace")
    except OSError as error:
        raise BadInput(f"cannot write {picture}: {error.strerror}") from None


def _print_skipped(tree: "CodeTree", *, as_json: bool) -> None:
    from resolveflow.entrypoints.cli.visible import one_line

    if as_json:
        _print_json({"skipped": [{"path": path, "reason": why} for path, why in tree.skipped]})
        return
    for path, why in sorted(tree.skipped, key=lambda one: one[1] == "not source"):
        typer.echo(f"{why:<28} {one_line(path)}")


def _as_json(shown: "RepoMap", ref: "TreeRef") -> dict[str, Any]:
    from dataclasses import asdict

    return {"tree": ref.model_dump(mode="json"), **asdict(shown)}


def _print_json(content: dict[str, Any]) -> None:
    import json

    typer.echo(json.dumps(content, indent=2, ensure_ascii=True))
