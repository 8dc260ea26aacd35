"""What a good report of its kind needs, against what is there."""

import re

from resolveflow.domain.report import IssueEvidence
from resolveflow.domain.triage import Kind
from resolveflow.intake.forms import form_fields
from resolveflow.intake.prose import has_code

STEPS = ("steps to reproduce", "to reproduce", "how to reproduce", "reproduction", "reproduce")
EXPECTED = ("expected", "should ")
# What a program runs on: a version of these says nothing about the project that is reported.
_PLATFORMS = (
    "android bun cargo chrome chromium clang conda cpython deno docker dotnet edge firefox g++ gcc"
    " git go golang gradle ios java jdk jre jvm kernel kotlin linux macos maven msvc node node.js"
    " nodejs npm openjdk os perl php pip pnpm pypy python ruby rust rustc rustup safari swift"
    " ubuntu uv windows xcode yarn"
)
PLATFORMS = frozenset(_PLATFORMS.split())

_WORD = re.compile(r"[a-z][a-z+.]*[a-z+]|[a-z]")


def missing_facts(evidence: IssueEvidence, kind: Kind) -> tuple[str, ...]:
    """List what is truly absent; never what the report or its thread already says."""
    if kind not in ("bug", "crash"):
        return ()
    said = "\n".join((evidence.body, *(comment.body or "" for comment in evidence.comments)))
    lowered = said.lower()
    answered = {heading for heading, answer in form_fields(said).items() if answer}
    missing = []
    if not _tells_version(evidence, answered):
        missing.append("the version that was used")
    if not has_code(said) and not any(words in lowered for words in STEPS):
        missing.append("the steps or the code that reproduce it")
    if kind == "crash" and not any(crash.frames for crash in evidence.crashes):
        missing.append("the full stack trace")
    if kind == "bug" and not any(words in lowered for words in EXPECTED):
        missing.append("what was expected to happen instead")
    return tuple(missing)


def _tells_version(evidence: IssueEvidence, answered: set[str]) -> bool:
    """Whether a version other than that of a platform is told, or asked for and answered."""
    platforms = PLATFORMS - _own_names(evidence)
    headings = (set(_WORD.findall(heading)) for heading in answered if "version" in heading)
    return not platforms.issuperset(evidence.environment) or any(
        map(platforms.isdisjoint, headings)
    )


def _own_names(evidence: IssueEvidence) -> set[str]:
    """What the reported project is called, for it may be a platform itself."""
    target = [evidence.target.repo] if evidence.target else []
    location = [evidence.tree.location] if evidence.tree else []
    names = (name.rstrip("/").rpartition("/")[2].lower() for name in (*target, *location))
    return {name.removesuffix(".git") for name in names}
