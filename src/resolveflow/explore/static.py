"""The explorer without a model: it says what frames, names and exact words show, and no more."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from resolveflow.domain.diagnosis import Level
from resolveflow.domain.exploration import Budget, Exploration, Passage, Suspect
from resolveflow.domain.report import IssueEvidence
from resolveflow.explore.account import Account
from resolveflow.explore.calls import Callers, callers_of
from resolveflow.explore.clues import Match, clues_in, look_up
from resolveflow.explore.conclusion import ExplorationReport, Finding, Lead
from resolveflow.explore.crash_account import from_crash
from resolveflow.explore.markdown import one_line
from resolveflow.explore.past import Past, past_of
from resolveflow.explore.report import render
from resolveflow.explore.sources import Source, Sources
from resolveflow.explore.trail import Trail, follow
from resolveflow.explore.unseen import missing, not_examined
from resolveflow.explore.word_account import from_match, from_suspects
from resolveflow.explore.wording import quoting, where
from resolveflow.intake.impact import severity_floor
from resolveflow.ports import Repository

MOST_SUSPECTS = 10  # that are read and reported
MOST_NAMED = 10  # files that the report names
MOST_MATCHES = 4


class StaticExplorer:
    """Explores by rules alone; the same evidence and tree give the same report to the byte."""

    name = "static"

    async def explore(
        self,
        evidence: IssueEvidence,
        passages: Sequence[Passage],
        tree: Repository,
        suspects: Sequence[Suspect],
        budget: Budget,
    ) -> Exploration:
        """Look up what the report shows and names, and write down where it is.

        Raises:
            RepositoryError: the tree cannot be read.
        """
        seen = await look(evidence, tree, suspects, budget)
        account = next((one for one in seen.accounts if one.establishes), None)
        callers = _callers(account, seen.sources) if account else Callers()
        past = await past_of(account, _words(evidence), tree) if account else Past()
        unseen = (*callers.unseen, *past.unseen, *_left(suspects, passages))
        report = ExplorationReport(
            root_cause=account.cause if account else None,
            severity=severity_floor(evidence),
            complexity="low" if account else None,  # an account is about one cause in one place
            risk=_risk(account) if account else None,
            findings=(*_told(seen, account), *callers.findings, *past.findings),
            affected_files=account.places if account else (),
            missing_info=missing(evidence, seen.trails, account),
            next_steps=tuple(_next_steps(evidence, account, past, seen.ranked)),
            suspects=tuple(Lead.of(one) for one in seen.ranked if one.path.isprintable()),
            read=tuple(f"{one.path} ({len(one.lines)} lines)" for one in seen.sources.read),
            not_examined=not_examined(evidence, seen.trails, seen.sources, unseen),
        )
        return Exploration(
            explorer=self.name,
            report=render(report),
            suspects=tuple(suspects),
            read=tuple(source.path for source in seen.sources.read),
            not_examined=report.not_examined,
        )


@dataclass(frozen=True)
class Seen:
    """What frames, exact words and ranking lead to; `accounts` with the strongest first."""

    sources: Sources
    trails: tuple[Trail, ...]
    matches: tuple[Match, ...]
    ranked: tuple[Suspect, ...]
    accounts: tuple[Account, ...]


async def look(
    evidence: IssueEvidence, tree: Repository, suspects: Sequence[Suspect], budget: Budget
) -> Seen:
    """Read what the evidence is about, and say what each part of it may account for.

    Raises:
        RepositoryError: the tree cannot be read.
    """
    sources = Sources(tree, budget)
    trails = await follow(evidence, sources)
    ranked = tuple(suspects[:MOST_SUSPECTS])
    named = evidence.named_paths[:MOST_NAMED]
    searched = await sources.open_all([*named, *(suspect.path for suspect in ranked)])
    matches = look_up(clues_in(evidence), searched)
    accounts = tuple(_accounts(evidence, trails, matches, ranked, sources.read))
    return Seen(sources, trails, matches, ranked, accounts)


def _accounts(
    evidence: IssueEvidence,
    trails: Sequence[Trail],
    matches: Sequence[Match],
    suspects: Sequence[Suspect],
    read: Sequence[Source],
) -> Iterator[Account]:
    if trails:
        yield from_crash(trails[0], read)
    told = next((match for match in matches if match.alone and _is_pointed(match)), None)
    if told:
        yield from_match(told, read)
    if evidence.crashes:
        return  # a trace that fits nothing here speaks against this tree, not for a file of it
    lead = from_suspects(suspects, {one.path: one for one in read}, _words(evidence))
    if lead:
        yield lead


def _words(evidence: IssueEvidence) -> str:
    return f"{evidence.title}\n{evidence.body}"


def _is_pointed(match: Match) -> bool:
    """Whether a match alone may carry an account: a message does, a name only from the title."""
    return match.clue.kind == "message" or match.clue.titled


def _callers(account: Account, sources: Sources) -> Callers:
    """Who else calls the account's function; of a mere lead, no function is known to matter."""
    if account.ground == "lead" or account.function is None:
        return Callers()
    return callers_of(account.source, account.function, sources.read, account.quoted)


def _told(seen: Seen, account: Account | None) -> tuple[Finding, ...]:
    """What the account rests on, else what the report's frames do show, and its other words."""
    told = account or next((one for one in seen.accounts if one.ground != "lead"), None)
    return (*(told.findings if told else ()), *_matched(seen.matches, told))


def _matched(matches: Sequence[Match], account: Account | None) -> tuple[Finding, ...]:
    """Further places of the report's words, that the account does not already quote."""
    told = account.quoted if account else frozenset()
    kinds = {"message": "The report quotes", "name": "The report names"}
    return tuple(
        Finding(
            claim=f"{kinds[match.clue.kind]} “{one_line(match.clue.text)[:200]}”; it is at "
            f"{where(match.source, match.line, match.function)}.",
            supports=(quoting(match.source, match.line),),
        )
        for match in matches[:MOST_MATCHES]
        if (match.source.path, match.line) not in told
    )


def _risk(account: Account) -> Level:
    """Low where the place is private by its name, medium for what others may call."""
    name = account.places[0].symbol or ""
    return "low" if name.startswith("_") and not name.startswith("__") else "medium"


def _next_steps(
    evidence: IssueEvidence, account: Account | None, past: Past, suspects: Sequence[Suspect]
) -> Iterator[str]:
    if account is None:
        paths = ", ".join(suspect.path for suspect in suspects[:3])
        if paths:
            yield f"Look first at {paths}"
        return
    spot = where(account.source, account.line, account.function)
    version = evidence.tree.short if evidence.tree else "this tree"
    yield f"Run what the report does at {version} and look at the values at {spot}"
    if past.last:
        yield f"Read what the last commit there changed, {past.last}"
    yield "Add a test that does what the report does and fails before the change"


def _left(suspects: Sequence[Suspect], passages: Sequence[Passage]) -> Iterator[str]:
    """What this explorer leaves to others."""
    if len(suspects) > MOST_SUSPECTS:
        yield f"The {len(suspects) - MOST_SUSPECTS} suspects after the first {MOST_SUSPECTS}"
    if passages:
        yield f"{len(passages)} similar resolved issues: this explorer reads code only"
