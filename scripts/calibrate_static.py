"""How often the static explorer is right: `scripts/calibrate_static.py DATA.jsonl DIR`.

Each report is investigated at the commit before its fix, in the steps that a case goes through;
`DIR/OWNER__NAME` are git directories. A diagnosis is right if a place that it names is in a file
that the fix changed. Then the strongest account of each report, made or not: by ground, and, for a
mere lead, by the first suspect's score and its factor over the second.
"""

import asyncio
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from resolveflow.backends.github_http import Patience
from resolveflow.bootstrap import BoundSteps, bind_steps, open_github
from resolveflow.domain import github
from resolveflow.domain.report import Fetched, Report
from resolveflow.evals.localization_data import Row, read_rows
from resolveflow.explore.account import RECORD
from resolveflow.explore.static import look
from resolveflow.explore.word_account import lead_of
from resolveflow.intake.policy import NO_POLICY
from resolveflow.settings import Settings
from resolveflow.steps.generate_diagnosis import BUDGET, generate_diagnosis, reopen
from resolveflow.steps.normalize_evidence import normalize_evidence

SCORES = (0.0, 0.2, 0.3, 0.4, 0.45, 0.5, 0.55, 0.6)
FACTORS = (1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.75, 2.0)


@dataclass(frozen=True)
class Outcome:
    """A report's diagnosis, if any, and its strongest account, if any."""

    id: str
    made: bool
    named: bool
    cited: bool
    ground: str
    right: bool
    lead: tuple[float, float]


async def measure(data: Path, repositories: Path) -> list[Outcome]:
    """Investigate every report."""
    with TemporaryDirectory() as home:
        settings = Settings(home=Path(home))
        async with open_github(settings, None, Patience(max_wait=0)) as reader:
            steps = bind_steps(settings, reader=reader, policy=NO_POLICY, approver_token=None)
            outcomes = []
            for row in read_rows(data).rows:
                outcomes.append(await _outcome(row, repositories, steps))
                print(*vars(outcomes[-1]).values(), file=sys.stderr, flush=True)
            return outcomes


async def _outcome(row: Row, repositories: Path, steps: BoundSteps) -> Outcome:
    location = str(repositories / row.repo.replace("/", "__"))
    given = Report(kind="issue", source=row.id, repository=location, commit=row.base_commit)
    issue = github.Issue(title=row.issue_title or "", body=row.issue_body)
    trees, gold = steps.open_repository, set(row.gold_files)
    evidence = await normalize_evidence(Fetched(report=given, issue=issue), open_repository=trees)
    found = await generate_diagnosis(
        evidence, open_repository=trees, index=steps.index, explorer=steps.explorer
    )
    if evidence.tree is None or found.exploration is None:
        raise SystemExit(f"{row.id} could not be investigated: {evidence.tree_problem}")
    suspects, tree = found.exploration.suspects, await reopen(evidence.tree, trees)
    account = next(iter((await look(evidence, tree, suspects, BUDGET)).accounts), None)
    places = account.places if account else ()
    named = [place.path for place in found.diagnosis.affected_files] if found.diagnosis else []
    cited = [one.path for one in found.diagnosis.citations] if found.diagnosis else []
    return Outcome(
        id=row.id,
        made=found.diagnosis is not None,
        named=not gold.isdisjoint(named),
        cited=not gold.isdisjoint(cited),
        ground=account.ground if account else "none",
        right=not gold.isdisjoint(place.path for place in places),
        lead=lead_of(suspects) if suspects else (0.0, 0.0),
    )


def lines(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """The figures as text."""
    made = [one for one in outcomes if one.made]
    yield f"{len(made)} diagnoses, {len(outcomes) - len(made)} abstentions"
    yield f"names a file of the fix   {_share(one.named for one in made)}"
    yield f"cites a file of the fix   {_share(one.cited for one in made)}"
    yield "\nstrongest account, made or not, by ground"
    for ground in RECORD:
        yield f"{ground:<9} {_share(one.right for one in outcomes if one.ground == ground)}"
    leads = [one for one in outcomes if one.ground == "lead"]
    yield "\nleads by score (down) and factor over the second (across)"
    yield " " * 5 + "".join(f"{factor:>14}" for factor in FACTORS)
    for score in SCORES:
        shares = (
            _share(one.right for one in leads if one.lead[0] >= score and one.lead[1] >= factor)
            for factor in FACTORS
        )
        yield f"{score:<5}" + "".join(f"{share:>14}" for share in shares)


def _share(right: Iterable[bool]) -> str:
    counted = list(right)
    share = f" {sum(counted) / len(counted):.3f}" if counted else ""
    return f"{sum(counted)}/{len(counted)}{share}"


if __name__ == "__main__":
    measured = asyncio.run(measure(Path(sys.argv[1]), Path(sys.argv[2])))
    print("\n".join(lines(measured)))
