import pytest

from resolveflow.domain.report import IssueEvidence, IssueRef, TreeRef
from resolveflow.intake.environment import reported_versions
from resolveflow.intake.missing import missing_facts

VERSION = "the version that was used"


def evidence(body: str, **fields: object) -> IssueEvidence:
    known: dict[str, object] = {
        "source": "report",
        "target": None,
        "title": "It broke",
        "body": body,
        "environment": reported_versions(body),
        "content_hash": "0",
    }
    return IssueEvidence.model_validate(known | fields)


@pytest.mark.parametrize(
    "body",
    [
        "Error: boom\n    at go (/app/a.js:1:2)\n\nNode.js v22.1.0",
        "Python 3.11.4 on Ubuntu 22.04",
        "macOS 14.2",
        "### Node version\n\n20.1.0",
        "### What version of Python do you use?\n\n3.12.1, from conda",
    ],
)
def test_the_version_of_what_it_ran_on_is_not_the_version_of_the_project(body: str) -> None:
    assert VERSION in missing_facts(evidence(body), "bug")


@pytest.mark.parametrize(
    "body",
    [
        "tabulate 0.9.0 on Python 3.11.4",
        "Version: 2.0.1",
        "### What version of eslint do you use?\n\nthe newest",
        "### Version\n\nmain\n\n### Node version\n\n20.1.0",
    ],
)
def test_a_version_of_anything_else_counts(body: str) -> None:
    assert VERSION not in missing_facts(evidence(body), "bug")


def test_a_platform_may_be_the_project_itself() -> None:
    body = "Node.js v22.1.0"
    ref = IssueRef(owner="nodejs", repo="Node.js", number=1)
    tree = TreeRef(location="/src/node.js.git", kind="git", commit="0", reason="HEAD")
    assert VERSION not in missing_facts(evidence(body, target=ref), "bug")
    assert VERSION not in missing_facts(evidence(body, tree=tree), "bug")
