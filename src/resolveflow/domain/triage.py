"""How a report is sorted, by rules alone."""

from typing import Literal

from resolveflow.domain.value import Value

Kind = Literal["bug", "crash", "feature", "question", "other"]
Route = Literal["deterministic", "ai_investigation", "human_review"]


class Triage(Value):
    """The kind of report, the route it takes, and the rule that decided it."""

    kind: Kind
    route: Route
    rule: str
    reason: str
