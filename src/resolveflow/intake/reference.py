"""An issue's link, read into owner, repository and number. Nothing is ever fetched from it."""

import re
from typing import NoReturn

from resolveflow.domain.errors import InvalidReference
from resolveflow.domain.report import IssueRef

MAX_LENGTH = 2_000  # characters; GitHub's longest names make a link of about 200

_OWNER = r"[A-Za-z0-9][A-Za-z0-9_-]{0,38}"
_REPO = r"[A-Za-z0-9._-]{1,100}"
_NUMBER = r"[1-9][0-9]{0,9}"
_ORIGIN = re.compile(
    r"(?P<scheme>https?)://(?P<host>[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::(?P<port>[0-9]{1,5}))?"
    r"(?P<rest>(?:[/?#].*)?)",
    re.IGNORECASE | re.ASCII,
)
_PATH = re.compile(
    rf"/(?P<owner>{_OWNER})/(?P<repo>{_REPO})/(?P<kind>issues|pulls?|discussions)"
    r"/(?P<number>[0-9]{1,12})(?P<more>/[^?#]*)?(?:[?#].*)?",
    re.ASCII,
)
_SHORT = re.compile(rf"({_OWNER})/({_REPO})#({_NUMBER})", re.ASCII)
_NAMES = re.compile(rf"{_OWNER}/{_REPO}", re.ASCII)
_DEFAULT_PORTS = {"http": "80", "https": "443"}


def is_repository_name(owner: str, repo: str) -> bool:
    """Whether GitHub allows these names, so that they may stand in a path."""
    return repo not in {".", ".."} and _NAMES.fullmatch(f"{owner}/{repo}") is not None


def parse_issue_url(text: str, *, web_url: str) -> IssueRef:
    """Read `{web_url}/OWNER/REPO/issues/N` or `OWNER/REPO#N`.

    Raises:
        InvalidReference: anything else, with what to give instead.
    """
    text = text.strip()
    web = web_url.rstrip("/")
    if len(text) > MAX_LENGTH:
        _refuse("The link is longer than any issue's", web)
    if short := _SHORT.fullmatch(text):
        owner, repo, number = short.groups()
    else:
        owner, repo, number = _parts(text, web)
    if not is_repository_name(owner, repo):
        _refuse(f"{repo!r} is no repository's name", web)
    return IssueRef(owner=owner, repo=repo, number=int(number))


def _parts(text: str, web: str) -> tuple[str, str, str]:
    path = _PATH.fullmatch(_path_on_host(text, web))
    if path is None:
        _refuse("The link names no issue", web)
    owner, repo, kind, number, more = path.group("owner", "repo", "kind", "number", "more")
    if kind in {"pull", "pulls"}:
        _refuse(f"{owner}/{repo}#{number} is a pull request: give the issue's link", web)
    if kind == "discussions":
        _refuse(f"{owner}/{repo}#{number} is a discussion: give the issue's link", web)
    if more not in {None, "/"} or re.fullmatch(_NUMBER, number) is None:
        _refuse("The link names no issue", web)
    return owner, repo, number


def _path_on_host(text: str, web: str) -> str:
    given, configured = _ORIGIN.fullmatch(text), _ORIGIN.fullmatch(web)
    if given is None and "@" in text:
        _refuse("The link carries a user name or a password", web)
    if given is None:
        _refuse(f"{text[:80]!a} is no issue's link", web)
    if configured is None or _origin(given) != _origin(configured):
        host = given["host"].lower() + (f":{given['port']}" if given["port"] else "")
        _refuse(f"The link leads to {given['scheme'].lower()}://{host}", web)
    return given["rest"]


def _origin(match: re.Match[str]) -> tuple[str, str, str]:
    scheme = match["scheme"].lower()
    return scheme, match["host"].lower(), match["port"] or _DEFAULT_PORTS[scheme]


def _refuse(what: str, web: str) -> NoReturn:
    raise InvalidReference(f"{what}. Accepted: {web}/OWNER/REPO/issues/N or OWNER/REPO#N.")
