"""From what the sources said to the evidence that every later stage reads."""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from resolveflow.codebase.frames import PathIndex
from resolveflow.domain import github
from resolveflow.domain.crash import Crash
from resolveflow.domain.errors import (
    InvalidReport,
    MissingProgram,
    RepositoryError,
    RepositoryUnavailable,
)
from resolveflow.domain.proposal import issue_hash
from resolveflow.domain.report import Fetched, FrameFile, IssueEvidence
from resolveflow.intake.crashes import parse_crashes
from resolveflow.intake.environment import package_version, reported_versions
from resolveflow.intake.formats.stack import UNKNOWN
from resolveflow.ports import OpenRepository, Repository

LONGEST_TITLE = 200
_SDIST = re.compile(r"^(.+?)-\d[\w.]*\.(?:tar\.gz|tgz|tar\.bz2|zip)$")


async def normalize_evidence(fetched: Fetched, *, open_repository: OpenRepository) -> IssueEvidence:
    """Parse crashes and versions, pin the tree they are about, resolve frames and names in it.

    Raises:
        InvalidReport: the report has neither a title nor a text.
        RepositoryError: the repository or commit that the caller named cannot be read.
        RepositoryUnavailable: the host of the repository that the caller named did not answer.
    """
    evidence = _evidence(fetched)
    if not evidence.title.strip() and not evidence.body.strip():
        raise InvalidReport(f"{evidence.source} has neither a title nor a text")
    tree, problem = await _pin(fetched, evidence, open_repository)
    if tree is None:
        return evidence.model_copy(update={"tree_problem": problem})
    index = PathIndex([entry.path for entry in await tree.entries() if entry.kind == "file"])
    text = f"{evidence.title}\n{evidence.body}"
    return evidence.model_copy(
        update={
            "tree": tree.ref,
            "frame_files": _frame_files(evidence.crashes, index),
            "named_paths": tuple(index.named_in(text)),
        }
    )


def _evidence(fetched: Fetched) -> IssueEvidence:
    report, issue = fetched.report, fetched.issue
    title, body = (issue.title, issue.body or "") if issue else _split(report.text or "")
    title, body = _lines(title), _lines(body)
    answered = fetched.target_issue or issue
    texts = [body, *_of_author(fetched.comments, issue)]
    return IssueEvidence(
        source=report.source,
        target=report.target,
        title=title,
        body=body,
        state=issue.state if issue else "open",
        locked=issue.locked if issue else False,
        author=issue.user if issue else None,
        author_association=issue.author_association if issue else "NONE",
        created_at=issue.created_at if issue else None,
        labels=_labels(answered),
        comments=fetched.comments,
        checks=fetched.checks,
        crashes=tuple(crash for text in texts for crash in parse_crashes(text)),
        environment=reported_versions("\n".join((title, *texts))),
        content_hash=_hash(answered, title, body),
    )


def _hash(answered: github.Issue | None, title: str, body: str) -> str:
    """Hash the issue that may be answered exactly as GitHub gave it: that is what is compared."""
    if answered is None:
        return issue_hash(title, body, "open", locked=False)
    return issue_hash(answered.title, answered.body, answered.state, locked=answered.locked)


def _split(text: str) -> tuple[str, str]:
    """Title a plain text by its failure, else by its first line."""
    named = next((crash for crash in parse_crashes(text) if crash.type != UNKNOWN), None)
    if named:
        return f"{named.type}: {named.message}"[:LONGEST_TITLE], text
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return first[:LONGEST_TITLE], text


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _labels(issue: github.Issue | None) -> tuple[str, ...]:
    labels = issue.labels if issue else ()
    return tuple(label if isinstance(label, str) else label.name for label in labels)


def _of_author(comments: Sequence[github.Comment], issue: github.Issue | None) -> list[str]:
    """The reporter's own comments: they often bring the trace or the version later."""
    author = issue.user.id if issue and issue.user else None
    said = [it for it in comments if it.user is not None and it.user.id == author]
    return [_lines(comment.body or "") for comment in said]


async def _pin(
    fetched: Fetched, evidence: IssueEvidence, open_repository: OpenRepository
) -> tuple[Repository | None, str | None]:
    given = fetched.report.repository
    location = given or (fetched.repository.clone_url if fetched.repository else None)
    if location is None:
        return None, "no repository is known: give one with --repo"
    version = package_version(evidence.environment, _names(fetched, location))
    try:
        tree = await open_repository(
            location, commit=fetched.report.commit, version=version, date=evidence.created_at
        )
    except (RepositoryError, RepositoryUnavailable, MissingProgram) as error:
        if given or fetched.report.commit:
            raise
        return None, str(error)
    return tree, None


def _names(fetched: Fetched, location: str) -> tuple[str, ...]:
    """What the project may be called where its version is told."""
    file = PurePosixPath(location.rstrip("/")).name
    sdist = _SDIST.match(file)
    names = [sdist[1] if sdist else file.removesuffix(".git")]
    if fetched.report.target:
        names.append(fetched.report.target.repo)
    return tuple(dict.fromkeys(names))


def _frame_files(crashes: Sequence[Crash], index: PathIndex) -> tuple[FrameFile, ...]:
    found = []
    for number, crash in enumerate(crashes):
        for position, frame in enumerate(crash.frames):
            paths = tuple(index.resolve(frame))
            if paths:
                file = FrameFile(crash=number, frame=position, paths=paths, line=frame.line)
                found.append(file)
    return tuple(found)
