"""How bad a report says it is: the table that no model and no text can argue down."""

import re

from resolveflow.domain.diagnosis import Level
from resolveflow.domain.report import IssueEvidence
from resolveflow.intake.prose import prose

# A safety constant: what is stated in these words is never answered without a person. Each phrase
# names a damage; the names of features ("taint", "token", "auth") do not, so they are not here.
HIGH_IMPACT: dict[str, tuple[str, ...]] = {
    "security": (
        "security issue",
        "security issues",
        "security bug",
        "security hole",
        "security flaw",
        "security report",
        "security advisory",
        "vulnerability",
        "vulnerabilities",
        "vulnerable version",
        "vulnerable versions",
        "remote code execution",
        "arbitrary code execution",
        "code injection",
        "command injection",
        "sql injection",
        "cross-site scripting",
        "stored xss",
        "reflected xss",
        "path traversal",
        "directory traversal",
        "privilege escalation",
        "authentication bypass",
        "authorization bypass",
        "bypasses authentication",
        "leaks credentials",
        "leaks secrets",
        "leaks passwords",
        "leaking credentials",
        "credentials are leaked",
        "exploitable",
    ),
    "data loss": (
        "data loss",
        "data corruption",
        "lost all my data",
        "lost all data",
        "loses data",
        "losing data",
        "lost my data",
        "corrupts data",
        "corrupts the database",
        "corrupted the database",
        "deleted my files",
        "deletes my files",
        "deleted all my files",
        "deletes all files",
        "wiped my disk",
    ),
    "payments": (
        "charged twice",
        "double charge",
        "double charged",
        "charges the customer twice",
        "wrong amount charged",
        "payment fails",
        "payment failed",
        "payments fail",
        "payments are failing",
        "payment is lost",
        "payments are lost",
    ),
}
HIGH_LABELS = frozenset(
    {"security", "vulnerability", "data loss", "data-loss", "payments", "critical", "p0"}
)
MEDIUM_LABELS = frozenset({"regression", "crash", "p1"})
MEDIUM_IMPACT = ("crash", "crashes", "deadlock", "memory leak", "regression", "segfault")

_CVE = re.compile(r"\bCVE-\d{4}-\d{4,7}\b")
_SENTENCE_END = re.compile(r"[.!?;\n]")
_UNSAID = frozenset(
    {"no", "not", "0", "zero", "isn't", "without", "never", "if", "non", "possible", "any"}
)


def stated_high_impact(evidence: IssueEvidence) -> str | None:
    """Tell which high impact is stated, and in which words; None where none is."""
    for label in evidence.labels:
        if _label(label) in HIGH_LABELS:
            return f"label {label}"
    text = f"{evidence.title}.\n{prose(evidence.body)}"
    found = _CVE.search(text)
    if found:
        return f"security: {found[0]}"
    lowered = text.lower()
    for kind, phrases in HIGH_IMPACT.items():
        for phrase in phrases:
            if _is_stated(phrase, lowered):
                return f"{kind}: “{phrase}”"
    return None


def severity_floor(evidence: IssueEvidence) -> Level:
    """Compute the least severity that a diagnosis of this report may have."""
    if stated_high_impact(evidence):
        return "high"
    text = f"{evidence.title}.\n{prose(evidence.body)}".lower()
    stated = any(_is_stated(phrase, text) for phrase in MEDIUM_IMPACT)
    labelled = any(_label(label) in MEDIUM_LABELS for label in evidence.labels)
    return "medium" if evidence.crashes or stated or labelled else "low"


def _label(label: str) -> str:
    return label.lower().rsplit(":", 1)[-1].rsplit("/", 1)[-1].strip()


def _is_stated(phrase: str, text: str) -> bool:
    position = text.find(phrase)
    while position >= 0:
        end = position + len(phrase)
        whole = not text[position - 1 : position].isalnum() and not text[end : end + 1].isalnum()
        if whole and not _is_unsaid(text[:position]):
            return True
        position = text.find(phrase, end)
    return False


def _is_unsaid(before: str) -> bool:
    """Whether the same sentence denies it, or only asks whether it is so."""
    sentence = _SENTENCE_END.split(before[-120:])[-1].split()
    return "if" in sentence or bool(_UNSAID.intersection(sentence[-3:]))
