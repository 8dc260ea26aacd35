"""What the history tells of an account's lines, up to the pinned commit: who, when, and no why."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from resolveflow.codebase.text import terms
from resolveflow.domain.errors import RepositoryError
from resolveflow.explore.account import Account
from resolveflow.explore.conclusion import Finding
from resolveflow.explore.markdown import one_line
from resolveflow.explore.sources import Source
from resolveflow.explore.wording import place_of, where
from resolveflow.ports import Commit, Repository

HISTORY = 1_000  # commits that are searched for changes of a file
LONGEST_REPORT = 20_000  # characters that are compared with commits
MOST_COMMITS = 3
SHORTEST_WORD = 4
LEAST_SHARED = 2  # rare words of a commit's subject that are in the report too
RARE = 0.01  # of the subjects hold a word that says something
SURELY_RARE = 2  # subjects with a word, however few there are

_HAVE_NONE = {"directory": "a directory has no history", "sdist": "an sdist has no history"}


@dataclass(frozen=True)
class Past:
    """Findings about earlier commits, the last of the account's own line, and what was not seen."""

    findings: tuple[Finding, ...] = ()
    unseen: tuple[str, ...] = ()
    last: str | None = None


async def past_of(account: Account, report: str, tree: Repository) -> Past:
    """The commits that last touched the account's lines, and those of its file like the report.

    A history that cannot be read is said to be unread; it never costs the account.
    """
    findings: list[Finding] = []
    lasts: list[str | None] = []
    try:
        for source, line in account.spots:
            own = await tree.blame(source.path, line, line)
            findings += _touched(source, line, own, await _around(source, line, tree))
            lasts.append(next(map(_commit, own), None))
        commits = await tree.history(HISTORY)
    except RepositoryError as error:
        unseen = f"The history of {account.source.path}: {error}"
        return Past(tuple(findings), (unseen,), next(iter(lasts), None))
    findings += _touched_before(account.source.path, report, commits)
    lacks = not commits and tree.ref.kind != "git"
    none = (f"Who last touched these lines: {_HAVE_NONE[tree.ref.kind]}",) if lacks else ()
    return Past(tuple(findings), none, lasts[0])


async def _around(source: Source, line: int, tree: Repository) -> list[Commit]:
    """The commits of the place around a line, the newest first."""
    place = place_of(source, line)
    commits = await tree.blame(source.path, place.start_line, place.end_line)
    return sorted(commits, key=lambda one: (one.time, one.sha), reverse=True)


def _touched(
    source: Source, line: int, own: Sequence[Commit], around: Sequence[Commit]
) -> Iterator[Finding]:
    """Who last touched a line, and the newest of the other commits around it."""
    place, spot = place_of(source, line), where(source, line, source.function_at(line))
    told = [f"line {line}: {_commit(one)}" for one in own[:1]]
    others = [one for one in around if one not in own][: MOST_COMMITS - len(told)]
    told += [f"lines {place.start_line}-{place.end_line}: {_commit(one)}" for one in others]
    return _listed(f"The last commits that touched {spot}, which are no cause by themselves:", told)


def _touched_before(path: str, report: str, commits: Sequence[Commit]) -> Iterator[Finding]:
    told = [
        f"{_commit(commit)} (shared: {', '.join(words[:MOST_COMMITS])})"
        for commit, words in _alike(path, report, commits)[:MOST_COMMITS]
    ]
    return _listed(f"Touched {path} before, in rare words of the report:", told)


def _listed(claim: str, told: Sequence[str]) -> Iterator[Finding]:
    """The claim with what is told below it; nothing is quoted, for no cause rests on it."""
    if told:
        yield Finding(claim="\n".join([claim, *told]))


def _alike(
    path: str, report: str, commits: Sequence[Commit]
) -> list[tuple[Commit, tuple[str, ...]]]:
    """The file's commits that share rare words with the report, those with the rarest first."""
    subjects = [_words(commit.subject) for commit in commits]
    counted = Counter(word for subject in subjects for word in subject)
    most = max(SURELY_RARE, int(RARE * len(commits)))
    wanted = {word for word in _words(report[:LONGEST_REPORT]) if word not in path.lower()}
    rare = {word for word in wanted if 0 < counted[word] <= most}
    found = [
        (commit, tuple(sorted(subject & rare, key=lambda word: (counted[word], word))))
        for commit, subject in zip(commits, subjects, strict=True)
        if path in commit.paths and len(subject & rare) >= LEAST_SHARED
    ]
    weights = {word: math.log(len(commits) / counted[word]) for word in rare}
    return sorted(found, key=lambda one: -sum(weights[word] for word in one[1]))


def _words(text: str) -> set[str]:
    return {word for word in terms(text) if len(word) >= SHORTEST_WORD}


def _commit(commit: Commit) -> str:
    return f"{commit.sha[:12]} of {commit.time:%Y-%m-%d}: {one_line(commit.subject)[:120]}"
