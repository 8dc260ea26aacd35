"""What kind of report it is, by labels first and words second."""

from resolveflow.domain.report import IssueEvidence
from resolveflow.domain.triage import Kind
from resolveflow.intake.forms import form_fields
from resolveflow.intake.prose import prose

_LABELS: tuple[tuple[Kind, tuple[str, ...]], ...] = (
    ("crash", ("crash",)),
    ("bug", ("bug", "defect", "regression", "broken", "unexpected behavior")),
    ("feature", ("feature", "enhancement", "feature request", "improvement", "proposal", "rfc")),
    ("question", ("question", "support", "help", "discussion", "usage")),
)
_FEATURE = ("feature request", "add support for", "please add", "it would be nice", "proposal:")
_QUESTION = ("how to ", "how do ", "how can ", "is it possible", "what is the ", "question:")
_BUG = (
    "bug",
    "error",
    "exception",
    "fail",
    "broken",
    "crash",
    "throws",
    "raises",
    "incorrect",
    "wrong",
    "does not work",
    "doesn't work",
    "not working",
    "unexpected",
    "regression",
    "hang",
    "freez",
    "leak",
)
_BUG_FIELDS = ("actual", "expected", "reproduc", "current behavior", "what happened", "bug")


def kinds_of(evidence: IssueEvidence) -> tuple[Kind, ...]:
    """List the kinds that it shows signs of: several contradict each other, none is `other`."""
    labelled = _labelled(evidence.labels)
    if labelled:
        return _merged(labelled)
    if evidence.crashes:
        return ("crash",)
    return _merged(_worded(evidence)) or ("other",)


def _labelled(labels: tuple[str, ...]) -> list[Kind]:
    words = {label.lower().rsplit(":", 1)[-1].rsplit("/", 1)[-1].strip() for label in labels}
    return [kind for kind, names in _LABELS if not words.isdisjoint(names)]


def _merged(kinds: list[Kind]) -> tuple[Kind, ...]:
    """A crash is a bug with more said; it is no contradiction."""
    if "crash" in kinds and "bug" in kinds:
        kinds = [kind for kind in kinds if kind != "bug"]
    return tuple(kinds)


def _worded(evidence: IssueEvidence) -> list[Kind]:
    title = evidence.title.lower()
    if any(words in title for words in _FEATURE) or title.startswith(("[feature", "feature:")):
        return ["feature"]
    if title.startswith(_QUESTION) or title.rstrip().endswith("?"):
        return ["question"]
    headings = form_fields(evidence.body)
    fields = any(word in heading for heading in headings for word in _BUG_FIELDS)
    words = any(word in f"{title}\n{prose(evidence.body).lower()}" for word in _BUG)
    return ["bug"] if fields or words else []
