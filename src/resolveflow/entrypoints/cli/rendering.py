"""A case as a person reads it in a terminal. Every text of others goes through `visible`."""

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.text import Text

from resolveflow.domain import github
from resolveflow.domain.case import Case, Event
from resolveflow.domain.diagnosis import AffectedFile, Citation, Diagnosis, Investigation
from resolveflow.domain.exploration import Suspect
from resolveflow.domain.proposal import ProposedAction
from resolveflow.domain.review import Review
from resolveflow.entrypoints.cli.finding import Finding
from resolveflow.entrypoints.cli.visible import links, one_line, visible

COLOURS = {
    "awaiting_approval": "yellow",
    "human_review": "yellow",
    "posted": "green",
    "running": "blue",
}
CODE_LINES = 12  # of a suspect; the comment and --json hold the rest
OUTCOMES = {"approve": "the gates let it through", "escalate_to_human": "for a person"}
MARKS = {True: ("✓", "green"), False: ("✗", "red"), None: ("?", "yellow")}


def console(*, stderr: bool = False) -> Console:
    """Open a console that takes no markup from text and has no colour unless on a terminal."""
    return Console(stderr=stderr, markup=False, highlight=False, emoji=False, soft_wrap=True)


def print_case(case: Case, out: Console) -> None:
    """Print all that is known, in the order in which it was found out."""
    _heading(f"Case {case.id}", out)
    _field("status", Text(case.status, COLOURS.get(case.status, "red")), out)
    if case.note:
        _field("why", one_line(case.note, 400), out)
    _print_evidence(case, out)
    if case.triage:
        route = f"{case.triage.kind} → {case.triage.route}, by {case.triage.rule}"
        _field("triage", f"{one_line(route)}: {one_line(case.triage.reason, 400)}", out)
    if case.investigation:
        _print_investigation(case.investigation, out)
    if case.verification:
        _heading("Verification", out)
        out.print(f"  {one_line(case.verification.reason, 400)}")
    if case.review:
        print_review(case.review, out)
    if case.proposed_action:
        print_proposal(case.proposed_action, out)
    _print_end(case, out)


def print_decision(case: Case, out: Console) -> None:
    """Print what was decided on, and what became of it."""
    _heading(f"Case {case.id}", out)
    if case.proposed_action:
        print_proposal(case.proposed_action, out)
    _print_end(case, out)


def _print_evidence(case: Case, out: Console) -> None:
    evidence = case.evidence
    _field("report", one_line(case.report.source), out)
    if evidence is None:
        return
    _field("title", one_line(evidence.title), out)
    if evidence.tree:
        _field("source", f"{one_line(evidence.tree.location)} at {evidence.tree.short}", out)
        _field("", f"({one_line(evidence.tree.reason)})", out)
        for gap in evidence.tree.gaps:
            _field("without", one_line(gap, 300), out)
    elif evidence.tree_problem:
        _field("source", one_line(evidence.tree_problem, 400), out)


def _print_investigation(found: Investigation, out: Console) -> None:
    if found.diagnosis:
        print_diagnosis(found.diagnosis, out)
    elif found.abstained:
        _heading("No diagnosis", out)
        out.print(f"  {visible(found.abstained)}")
    if found.exploration:
        if found.exploration.suspects:
            _heading("Ranked files", out)
            for number, suspect in enumerate(found.exploration.suspects[:5], 1):
                out.print(f"  {number}. {_ranked(suspect)}")
        _section("Not examined", found.exploration.not_examined, out)


def _ranked(suspect: Suspect) -> str:
    reasons = "; ".join(suspect.reasons)
    return f"{one_line(suspect.path)}  {suspect.score:.2f}  {one_line(reasons)}"


def print_diagnosis(diagnosis: Diagnosis, out: Console) -> None:
    """Print root cause, places with their code, levels, what is missing, and what it rests on."""
    _heading("Diagnosis", out)
    _print_lines(diagnosis.root_cause, out)
    levels = (
        f"severity {diagnosis.severity}, complexity {diagnosis.complexity}, risk {diagnosis.risk}"
    )
    out.print(Text(f"  {levels}", "bold"))
    for place in diagnosis.affected_files:
        out.print(Text(f"  {_place(place)}", "cyan"))
        _print_code(place, diagnosis.citations, out)
    _section("Missing", diagnosis.missing_info, out)
    _section("Next steps", diagnosis.recommended_next_steps, out)
    if diagnosis.citations:
        _heading("Citations", out)
    for citation in diagnosis.citations:
        _print_mark(citation.ok, _cited(citation), out)


def _place(place: AffectedFile) -> str:
    lines = f"{place.start_line}-{place.end_line}"
    if place.start_line == place.end_line:
        lines = str(place.start_line)
    symbol = f"  in {one_line(place.symbol, 80)}" if place.symbol else ""
    return f"{one_line(place.path)}:{lines}{symbol}"


def _print_code(place: AffectedFile, citations: Sequence[Citation], out: Console) -> None:
    """Print the lines of this place that checked citations quote, in the file's order."""
    quoted: dict[int, str] = {}
    for citation in citations:
        if citation.ok and citation.path == place.path and citation.start_line is not None:
            quoted.update(enumerate(citation.quote.splitlines(), citation.start_line))
    inside = [number for number in sorted(quoted) if place.start_line <= number <= place.end_line]
    for number in inside[:CODE_LINES]:
        out.print(Text(f"  {number:>6} │ {visible(quoted[number])}", "dim"))


def _cited(citation: Citation) -> str:
    where = citation.id or ""
    if citation.path:
        where = f"{citation.path}:{citation.start_line}"
        if citation.end_line != citation.start_line:
            where += f"-{citation.end_line}"
    score = f" (score {citation.score:.2f})" if citation.score is not None else ""
    reason = f": {citation.reason}" if citation.reason else ""
    return one_line(f"{citation.kind} {where}{score}{reason}", 300)


def print_review(review: Review, out: Console) -> None:
    """Print every gate with its reason, and the outcome."""
    _heading("Gates", out)
    for name, gate in review.gates.items():
        _print_mark(gate.ok, f"{name}: {one_line(gate.reason, 400)}", out)
    out.print(f"  → {OUTCOMES[review.outcome]}: {one_line(review.reasoning, 400)}")
    if review.critique:
        _section("Critique", (review.critique.text,), out)


def print_proposal(action: ProposedAction, out: Console) -> None:
    """Print the very text that would be posted, each line behind a bar that it cannot forge."""
    _heading(f"Proposed comment on {action.target}", out)
    for line in action.comment.split("\n"):
        out.print(Text("  │ ", "yellow").append(visible(line), "default"))
    _field("labels", one_line(", ".join(action.labels)) or "none", out)
    found = links(action.comment)
    _field("links", "none" if not found else "", out)
    for link in found:
        out.print(f"    {visible(link)}")
    _field("digest", action.digest, out)


def print_new_comments(comments: Sequence[github.Comment], out: Console) -> None:
    """Print what was said at the issue since it was read."""
    if not comments:
        out.print("No comment came since the issue was read.")
    for comment in comments:
        author = comment.user.login if comment.user else "somebody"
        _heading(f"New comment by {one_line(author, 60)} since the issue was read", out)
        _print_lines(comment.body or "(empty)", out, bar="  ┆ ")


def print_inbox(cases: Iterable[Case], out: Console) -> None:
    """Print a line for each case, and why it is where it is below it."""
    empty = True
    for case in cases:
        empty = False
        title = case.evidence.title if case.evidence else case.report.source
        line = Text(f"{case.id[:12]}  ").append(
            f"{case.status:<18}", COLOURS.get(case.status, "red")
        )
        target = f"{one_line(str(case.report.target))}  " if case.report.target else ""
        out.print(
            line.append(f"  {case.created_at:%Y-%m-%d %H:%M}  {target}{one_line(title, 100)}")
        )
        if case.note:
            out.print(f"{'':<14}{one_line(case.note, 300)}")
    if empty:
        out.print("Nothing waits.")


def print_history(events: Iterable[Event], out: Console) -> None:
    """Print what happened, one line each."""
    _heading("History", out)
    for event in events:
        line = f"  {event.at:%Y-%m-%d %H:%M:%S}  {one_line(event.what, 80)}"
        out.print(f"{line}  {one_line(event.detail, 300)}".rstrip())


def print_findings(findings: Iterable[Finding], out: Console) -> None:
    """Print what `doctor` found, and what to do about it."""
    for finding in findings:
        _print_mark(finding.ok, f"{finding.name:<10} {one_line(finding.detail, 400)}", out)
        if finding.advice:
            out.print(f"    {'':<10} {one_line(finding.advice, 400)}")


def _print_end(case: Case, out: Console) -> None:
    _heading("Now", out)
    if case.resolution:
        out.print(f"  {case.resolution.outcome}: {one_line(case.resolution.detail, 600)}")
        if case.resolution.comment_url:
            out.print(f"  {one_line(case.resolution.comment_url)}")
    elif case.status == "awaiting_approval":
        out.print("  Nothing was posted. To post exactly this, once, as yourself:")
        out.print(f"  resolveflow approve {case.id}")
    elif case.status == "human_review":
        out.print("  Nothing is proposed: this one is for a person.")
    else:
        out.print(f"  {case.status}{f': {one_line(case.note, 400)}' if case.note else ''}")


def _heading(text: str, out: Console) -> None:
    out.print(Text(f"\n{text}", "bold"))


def _field(name: str, value: str | Text, out: Console) -> None:
    out.print(Text(f"  {name:<8} ", "dim").append(value))


def _print_mark(ok: bool | None, text: str, out: Console) -> None:
    mark, colour = MARKS[ok]
    out.print(Text(f"  {mark} ", colour).append(text, "default"))


def _section(title: str, items: Iterable[str], out: Console) -> None:
    for index, item in enumerate(items):
        if index == 0:
            _heading(title, out)
        _print_lines(item, out, bar="  · ")


def _print_lines(text: str, out: Console, *, bar: str = "  ") -> None:
    for line in text.rstrip().split("\n"):
        out.print(f"{bar}{visible(line)}")
