"""A whole case with a model behind real HTTP: it explains, and code decides."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from pydantic import HttpUrl, SecretStr

from resolveflow.bootstrap import open_service
from resolveflow.domain.case import Case
from resolveflow.domain.report import IssueRef, Report
from resolveflow.settings import Settings
from resolveflow.testing.github_standin import Issue, Repository, World, serve
from resolveflow.testing.model_server import Broken, ModelServer, Reply, serve_model

KEY = "sk-test-0123456789abcdef"
TRACE = """```
Traceback (most recent call last):
  File "/app/shop/cart.py", line 2, in total
    return sum(prices) / 0
ZeroDivisionError: division by zero
```
"""
DIAGNOSIS: dict[str, object] = {
    "root_cause": "`total` divides by a constant zero.",
    "severity": "low",
    "complexity": "low",
    "risk": "low",
    "affected_files": [{"path": "shop/cart.py", "start_line": 1, "end_line": 2, "symbol": "total"}],
    "citations": [
        {
            "kind": "code",
            "path": "shop/cart.py",
            "start_line": 2,
            "end_line": 2,
            "quote": "return sum(prices) / 0",
        }
    ],
}
INVENTED: dict[str, object] = {
    **DIAGNOSIS,
    "affected_files": [{"path": "shop/devtools.py", "start_line": 1, "end_line": 2}],
}
MISQUOTED: dict[str, object] = {
    **DIAGNOSIS,
    "citations": [
        {
            "kind": "code",
            "path": "shop/cart.py",
            "start_line": 2,
            "end_line": 2,
            "quote": "return sum(prices) / len(prices)",
        }
    ],
}


async def _quiet(*_: object) -> None:
    pass


async def _case(tmp_path: Path, *replies: Reply) -> tuple[Case, ModelServer]:
    tree = tmp_path / "tree" / "shop"
    tree.mkdir(parents=True, exist_ok=True)
    (tree / "cart.py").write_text("def total(prices):\n    return sum(prices) / 0\n")
    issue = Issue(number=1, title="total() raises", body=TRACE, user="rita")
    world = World(repositories=[Repository(owner="octo", name="shop", issues=[issue])])
    ref = IssueRef(owner="octo", repo="shop", number=1)
    report = Report(kind="issue", source=str(ref), ref=ref, target=ref, repository=str(tree.parent))
    async with serve(tmp_path / "github", seed=world) as github, serve_model(replies) as server:
        settings = Settings(
            home=tmp_path / "home",
            github_api_url=HttpUrl(github.url),
            model="scripted",
            model_base_url=HttpUrl(server.base_url),
            model_api_key=SecretStr(KEY),
        )
        async with open_service(settings, on_wait=_quiet) as service:
            return await service.submit(report, progress=_quiet), server


async def test_a_checked_answer_is_proposed_and_a_critique_decides_nothing(tmp_path: Path) -> None:
    case, server = await _case(tmp_path, DIAGNOSIS, "I would reject this. Do not post it.")
    assert case.status == "awaiting_approval"
    assert case.investigation is not None
    assert case.investigation.diagnosis is not None
    assert case.investigation.diagnosis.root_cause == DIAGNOSIS["root_cause"]
    assert case.investigation.exploration is not None
    (call,) = case.investigation.exploration.calls
    assert (call.model, call.temperature) == ("scripted", 0.0)
    assert case.review is not None
    assert case.review.critique is not None
    assert case.review.critique.text.startswith("I would reject this")
    diagnosing, reviewing = server.requests
    assert diagnosing.body["messages"] != reviewing.body["messages"]
    assert "# Investigation" in diagnosing.text
    assert "# Investigation" not in reviewing.text
    assert all(KEY not in request.text for request in server.requests)


async def test_an_invented_file_is_handed_back_and_then_escalates(tmp_path: Path) -> None:
    case, server = await _case(tmp_path, INVENTED, INVENTED, INVENTED, "no opinion")
    assert (case.status, case.proposed_action) == ("human_review", None)
    assert case.investigation is not None
    assert case.investigation.diagnosis is None
    assert "shop/devtools.py" in (case.investigation.abstained or "")
    assert "shop/devtools.py" in server.requests[1].text


async def test_a_corrected_answer_is_taken(tmp_path: Path) -> None:
    case, _ = await _case(tmp_path, INVENTED, DIAGNOSIS, "fine")
    assert case.status == "awaiting_approval"


@pytest.mark.parametrize(
    ("answer", "gate"),
    [
        (MISQUOTED, "groundedness_ok"),
        ({**DIAGNOSIS, "citations": []}, "groundedness_ok"),
        ({**DIAGNOSIS, "severity": "high"}, "risk_ok"),
    ],
)
async def test_the_gates_do_not_take_a_models_word(
    tmp_path: Path, answer: Mapping[str, object], gate: str
) -> None:
    case, _ = await _case(tmp_path, answer, answer, answer, "Looks right, approve it!")
    assert (case.status, case.proposed_action) == ("human_review", None)
    assert case.review is not None
    assert case.review.gates[gate].ok is not True


async def test_a_model_cannot_lower_the_severity_that_code_computes(tmp_path: Path) -> None:
    case, _ = await _case(tmp_path, DIAGNOSIS, "fine")
    assert case.review is not None
    assert "medium" in case.review.gates["risk_ok"].reason


async def test_a_lost_critique_opens_nothing_and_is_told(tmp_path: Path) -> None:
    case, _ = await _case(tmp_path, DIAGNOSIS, Broken("unauthorized"))
    assert case.review is not None
    assert case.review.critique is None
    assert KEY not in case.model_dump_json()
    assert case.status == "awaiting_approval"
