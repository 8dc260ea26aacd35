"""From the bytes of a file to a report."""

import json

from pydantic import ValidationError

from resolveflow.domain import github
from resolveflow.domain.errors import InvalidReport
from resolveflow.domain.report import Report

LARGEST = 20_000_000  # bytes; a larger log has to be cut by whoever knows where it matters
_BOMS = (
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
    (b"\xef\xbb\xbf", "utf-8"),
)


def read_report(data: bytes, *, source: str) -> Report:
    """Read an issue as GitHub's REST API returns it (JSON), a crash log or plain text.

    Text that is no UTF-8 is read with replacement characters: a log is not refused for a byte.

    Raises:
        InvalidReport: empty, binary, too large, or JSON that is no issue.
    """
    if len(data) > LARGEST:
        raise InvalidReport(
            f"{source} has {len(data) / 1e6:.0f} MB, more than {LARGEST / 1e6:.0f} MB: "
            "cut it to the part around the failure"
        )
    text = _decode(data, source)
    if not text.strip():
        raise InvalidReport(f"{source} is empty: give an issue link, a crash log or text")
    if text.lstrip().startswith("{"):
        issue = _issue(text, source)
        if issue is not None:
            return Report(kind="issue", source=source, issue=issue)
    return Report(kind="crash", source=source, text=text)


def _decode(data: bytes, source: str) -> str:
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return data[len(bom) :].decode(encoding, errors="replace")
    if b"\0" in data:
        raise InvalidReport(f"{source} is binary: give a text file")
    text = data.decode("utf-8", errors="replace")
    controls = sum(
        text.count(chr(code)) for code in range(1, 32) if code not in (9, 10, 12, 13, 27)
    )
    if controls + text.count("\N{REPLACEMENT CHARACTER}") > 0.1 * len(text):
        raise InvalidReport(f"{source} is binary: give a text file")
    return text


def _issue(text: str, source: str) -> github.Issue | None:
    """Read an issue; None for text that only begins like JSON (a log line, a fragment)."""
    try:
        payload = json.loads(text)
    except (ValueError, RecursionError):
        return None
    try:
        issue = github.Issue.model_validate(payload)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise InvalidReport(
            f"{source} is JSON but no issue as GitHub's API returns it: {field}: {first['msg']}"
        ) from None
    if issue.pull_request is not None:
        raise InvalidReport(f"{source} is a pull request; give an issue")
    return issue
