"""The commands that submit, show and decide cases."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from resolveflow.domain.case import Case
    from resolveflow.domain.report import Report
    from resolveflow.service import Service

CaseId = Annotated[str, typer.Argument(metavar="CASE", help="A case's id, or its beginning.")]
ReportSource = Annotated[
    str,
    typer.Argument(
        metavar="REPORT",
        help="An issue's link (or OWNER/REPO#N), a file (issue JSON, crash log, text), or -.",
    ),
]
Repo = Annotated[
    str | None,
    typer.Option(
        metavar="REPO", help="A working tree, git directory, clone URL or source archive."
    ),
]
Commit = Annotated[
    str | None, typer.Option(metavar="COMMIT", help="The commit to read, else it is chosen.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON to stdout and nothing else.")]


def register(app: typer.Typer) -> None:
    """Add these commands to the program."""
    for command in (run, inbox, show, approve, reject, resume):
        app.command()(command)


def run(
    report: ReportSource,
    repo: Repo = None,
    commit: Commit = None,
    issue: Annotated[
        str | None,
        typer.Option(metavar="URL", help="The issue that may be answered, for a report in a file."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Investigate a report, up to a proposal that waits for approval.

    \b
    Examples:
      resolveflow run https://github.com/OWNER/REPO/issues/7
      resolveflow run crash.log --repo ~/src/project
      journalctl -u app | resolveflow run - --repo app-1.2.tar.gz --json
    """
    from resolveflow.entrypoints.cli import session
    from resolveflow.settings import Settings

    settings = session.read_settings(Settings)
    given = read(report, issue=issue, web_url=str(settings.github_web_url))
    given = given.model_copy(update={"repository": repo, "commit": commit})

    async def submit() -> "Case":
        async with session.service() as service:
            return await service.submit(given, progress=session.show_progress)

    session.print_result(session.run_to_end(submit()), as_json=as_json)


def read(report: str, *, issue: str | None, web_url: str) -> "Report":
    """Read REPORT: a file or `-` if there is such a file, else an issue's link.

    Raises:
        InvalidReport: a file that cannot be used.
        InvalidReference: a link that names no issue.
    """
    from resolveflow.domain.errors import InvalidReport
    from resolveflow.domain.report import Report
    from resolveflow.intake.reading import read_report
    from resolveflow.intake.reference import parse_issue_url

    target = parse_issue_url(issue, web_url=web_url) if issue else None
    if report == "-":
        given = read_report(sys.stdin.buffer.read(), source="standard input")
        return given.model_copy(update={"target": target})
    path = Path(report)
    if _looks_like_file(path):
        try:
            given = read_report(path.read_bytes(), source=report)
        except OSError as error:
            raise InvalidReport(f"cannot read {report}: {error.strerror}") from None
        return given.model_copy(update={"target": target})
    ref = parse_issue_url(report, web_url=web_url)
    return Report(kind="issue", source=report, ref=ref, target=target or ref)


def _looks_like_file(path: Path) -> bool:
    try:
        return path.exists() or (path.suffix != "" and "#" not in path.name and not _is_url(path))
    except (OSError, ValueError):  # a name that no file can have
        return False


def _is_url(path: Path) -> bool:
    return path.parts[0].endswith(":") if path.parts else False


def inbox(as_json: AsJson = False) -> None:
    """List what waits for a person, the oldest first."""
    from resolveflow.entrypoints.cli import output, rendering, session

    async def waiting() -> "tuple[Case, ...]":
        async with session.service() as service:
            return await service.inbox()

    cases = session.run_to_end(waiting())
    if as_json:
        typer.echo(output.dumps({"cases": [output.summary_json(case) for case in cases]}))
    else:
        rendering.print_inbox(cases, rendering.console())


def show(
    case: CaseId,
    report: Annotated[
        bool, typer.Option("--report", help="Print the explorer's report instead: all it found.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show a case: evidence, diagnosis, gates, the exact proposal, and its history.

    \b
    Examples:
      resolveflow show 3f2a
      resolveflow show 3f2a --report
    """
    from resolveflow.entrypoints.cli import rendering, session
    from resolveflow.entrypoints.cli.visible import visible

    async def found() -> None:
        async with session.service() as service:
            shown = await service.case(case)
            history = await service.history(case)
        if report:
            typer.echo(visible(session.exploration(shown).report))
            return
        session.print_result(shown, as_json=as_json)
        if not as_json:
            rendering.print_history(history, rendering.console())

    session.run_to_end(found())


def approve(
    case: CaseId,
    digest: Annotated[
        str | None, typer.Option(metavar="DIGEST", help="The digest of what you approve.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask; needs --digest.")] = False,
    as_json: AsJson = False,
) -> None:
    """Post a case's proposal, exactly as shown, as the owner of RESOLVEFLOW_APPROVER_TOKEN.

    In a terminal the stored text is shown first, and you are asked.

    \b
    Examples:
      resolveflow approve 3f2a
      resolveflow approve 3f2a --digest 9c1d... --yes
    """
    from resolveflow.domain.errors import BadInput
    from resolveflow.entrypoints.cli import rendering, session

    if yes and digest is None:
        raise BadInput("--yes needs --digest: say what you approve")
    if not yes and not sys.stdin.isatty():
        raise BadInput("there is no terminal to ask in: give --digest DIGEST and --yes")

    async def decide() -> "Case":
        async with session.service(deciding=True) as service:
            agreed = digest if yes and digest else await _ask(service, case, digest, as_json)
            return await service.approve(case, digest=agreed, progress=session.show_progress)

    decided = session.run_to_end(decide())
    session.print_result(decided, as_json=as_json, render=rendering.print_decision)
    if decided.status not in ("posted", "partial"):
        raise typer.Exit(1)


async def _ask(service: "Service", case_id: str, digest: str | None, as_json: bool) -> str:
    """Show the stored bytes and ask; the answer binds to what was shown."""
    from resolveflow.domain.errors import AlreadyDecided, NotApproved
    from resolveflow.entrypoints.cli import rendering

    preview = await service.preview(case_id)
    action = preview.case.proposed_action
    if action is None:
        raise AlreadyDecided(f"case {preview.case.id} proposes nothing: nothing can be approved")
    if digest is not None and digest != action.digest:
        raise NotApproved(f"case {preview.case.id} waits for another digest: {action.digest}")
    out = rendering.console(stderr=as_json)
    rendering.print_proposal(action, out)
    rendering.print_new_comments(preview.new_comments, out)
    typer.confirm(f"\nPost exactly this to {action.target} as yourself?", abort=True, err=as_json)
    return action.digest


def reject(
    case: CaseId,
    reason: Annotated[str, typer.Option(help="Why; it is kept with the case.")],
    as_json: AsJson = False,
) -> None:
    """Close a case without posting anything."""
    from resolveflow.entrypoints.cli import rendering, session

    async def close() -> "Case":
        async with session.service() as service:
            return await service.reject(case, reason=reason)

    closed = session.run_to_end(close())
    session.print_result(closed, as_json=as_json, render=rendering.print_decision)


def resume(case: CaseId, as_json: AsJson = False) -> None:
    """Go on with a case that was cut short, or investigate it anew where its issue changed."""
    from resolveflow.entrypoints.cli import session

    async def go_on() -> "Case":
        async with session.service() as service:
            return await service.resume(case, progress=session.show_progress)

    session.print_result(session.run_to_end(go_on()), as_json=as_json)
