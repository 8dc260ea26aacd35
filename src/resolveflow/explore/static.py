"""The explorer without a model: it says what frames, names and exact words show, and no more."""

from collections.abc import Sequence

from resolveflow.codebase.text import terms
from resolveflow.domain.diagnosis import Level
from resolveflow.domain.errors import RepositoryError
from resolveflow.domain.exploration import Budget, Exploration, Passage, Suspect
from resolveflow.domain.report import IssueEvidence
from resolveflow.explore.account import Account, from_crash, from_match, from_suspects
from resolveflow.explore.clues import Match, clues_in, look_up
from resolveflow.explore.conclusion import ExplorationReport, Finding, Lead
from resolveflow.explore.markdown import one_line
from resolveflow.explore.report import render
from resolveflow.explore.sources import Sources
from resolveflow.explore.trail import Trail, follow
from resolveflow.explore.wording import quoting, where
from resolveflow.intake.impact import severity_floor
from resolveflow.intake.missing import missing_facts
from resolveflow.ports import Commit, Repository

MOST_SUSPECTS = 10  # that are read and reported
MOST_NAMED = 10  # files that the report names
MOST_MATCHES = 4
HISTORY = 1_000  # commits that are searched for changes of a file
MOST_COMMITS = 3
LEAST_SHARED = 3  # words of a commit's subject that are in the title too


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
        sources = Sources(tree, budget)
        trails = await follow(evidence, sources)
        named = evidence.named_paths[:MOST_NAMED]
        ranked = suspects[:MOST_SUSPECTS]
        searched = await sources.open_all([*named, *(suspect.path for suspect in ranked)])
        matches = look_up(clues_in(evidence), searched)
        account = _account(evidence, trails, matches, ranked, sources)
        past = await _past(account, evidence, tree) if account else ()
        report = ExplorationReport(
            root_cause=account.cause if account else None,
            severity=severity_floor(evidence),
            complexity="low" if account else None,  # an account is about one cause in one place
            risk=_risk(account) if account else None,
            findings=(*(account.findings if account else ()), *_seen(matches, account), *past),
            affected_files=account.places if account else (),
            missing_info=_missing(evidence, trails, account),
            next_steps=_next_steps(evidence, account, ranked),
            suspects=tuple(Lead.of(suspect) for suspect in ranked if suspect.path.isprintable()),
            read=tuple(f"{one.path} ({len(one.lines)} lines)" for one in sources.read),
            not_examined=_not_examined(trails, sources, suspects, passages),
        )
        return Exploration(
            explorer=self.name,
            report=render(report),
            suspects=tuple(suspects),
            read=tuple(source.path for source in sources.read),
            not_examined=report.not_examined,
        )


def _account(
    evidence: IssueEvidence,
    trails: Sequence[Trail],
    matches: Sequence[Match],
    suspects: Sequence[Suspect],
    sources: Sources,
) -> Account | None:
    """The strongest account that the evidence allows: frames, then exact words, then ranking."""
    if trails:
        return from_crash(trails[0], sources.read)
    told = next((match for match in matches if match.alone and _is_pointed(match)), None)
    if told:
        return from_match(told)
    if evidence.crashes:
        return None  # a trace that fits nothing here speaks against this tree, not for a file of it
    report = f"{evidence.title}\n{evidence.body}"
    return from_suspects(suspects, {source.path: source for source in sources.read}, report)


def _is_pointed(match: Match) -> bool:
    """Whether a match alone may carry an account: a message does, a name only from the title."""
    return match.clue.kind == "message" or match.clue.titled


def _seen(matches: Sequence[Match], account: Account | None) -> tuple[Finding, ...]:
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


async def _past(account: Account, evidence: IssueEvidence, tree: Repository) -> tuple[Finding, ...]:
    """The commits that last touched the account's lines, and those like the report before them."""
    source, line = account.source, account.line
    function = source.function_at(line)
    first, last = (function.start_line, function.end_line) if function else (line, line)
    try:
        touched = [*await tree.blame(source.path, line, line)]
        touched += await tree.blame(source.path, first, last)
        alike = _alike(evidence.title, source.path, await tree.history(HISTORY))
    except RepositoryError:
        return ()
    told = {
        f"The last commits that touched {where(source, line, function)}": touched,
        f"Earlier changes of {source.path} whose messages are like the report's title": alike,
    }
    return tuple(
        Finding(
            claim="\n".join([f"{claim}:", *map(_commit, kept)]),
            supports=(quoting(source, line),),
        )
        for claim, commits in told.items()
        if (kept := list(dict.fromkeys(commits))[:MOST_COMMITS])
    )


def _alike(title: str, path: str, commits: Sequence[Commit]) -> list[Commit]:
    """The commits of a file that share words with a title, those with most of them first."""
    wanted = set(terms(title))
    shared = [
        (len(wanted & set(terms(commit.subject))), commit)
        for commit in commits
        if path in commit.paths
    ]
    kept = [one for one in shared if one[0] >= LEAST_SHARED]
    return [commit for _, commit in sorted(kept, key=lambda one: -one[0])]


def _commit(commit: Commit) -> str:
    return f"{commit.sha[:12]} of {commit.time:%Y-%m-%d}: {one_line(commit.subject)[:120]}"


def _risk(account: Account) -> Level:
    """Low where the place is private by its name, medium for what others may call."""
    name = account.places[0].symbol or ""
    return "low" if name.startswith("_") and not name.startswith("__") else "medium"


def _missing(
    evidence: IssueEvidence, trails: Sequence[Trail], account: Account | None
) -> tuple[str, ...]:
    missing = list(missing_facts(evidence, "crash" if evidence.crashes else "bug"))
    if account is None:
        missing.append(
            "A stack trace, an exact error message or the name of a function: nothing in the "
            "report points to one place of this tree."
        )
    frames = sum(len(crash.frames) for crash in evidence.crashes)
    if frames and not trails:
        missing.append(f"A stack trace of this project: none of the {frames} frames is in the tree")
    return tuple(missing)


def _next_steps(
    evidence: IssueEvidence, account: Account | None, suspects: Sequence[Suspect]
) -> tuple[str, ...]:
    if account is None:
        paths = ", ".join(suspect.path for suspect in suspects[:3])
        return (f"Look first at {paths}",) if paths else ()
    spot = where(account.source, account.line, account.source.function_at(account.line))
    version = evidence.tree.commit[:19] if evidence.tree else "this tree"
    return (
        f"Run what the report does at {version} and look at the values at {spot}",
        "Add a test that does what the report does and fails before the change",
    )


def _not_examined(
    trails: Sequence[Trail],
    sources: Sources,
    suspects: Sequence[Suspect],
    passages: Sequence[Passage],
) -> tuple[str, ...]:
    said = ["Nothing was run: the report's failure was not reproduced here"]
    said += [f"In {trail.crash.type}: {note}" for trail in trails for note in trail.unclear]
    said += [f"{trail.crash.type}, another crash of the report" for trail in trails[1:]]
    said += [f"{path} {reason}" for path, reason in sources.skipped.items() if path.isprintable()]
    if len(suspects) > MOST_SUSPECTS:
        said.append(f"The {len(suspects) - MOST_SUSPECTS} suspects after the first {MOST_SUSPECTS}")
    if passages:
        said.append(f"{len(passages)} similar resolved issues: this explorer reads code only")
    return tuple(one_line(line) for line in said)
