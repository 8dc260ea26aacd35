"""GitHub's rate limits, recognised in an answer: how long to wait, and why."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime

# GitHub asks for a minute where a secondary limit's answer does not say how long.
UNSTATED = 60.0
_SIGNS = ("rate limit", "abuse detection")


@dataclass(frozen=True)
class Limit:
    """Seconds until GitHub answers again, and which limit it is."""

    seconds: float
    why: str


def limit_of(status: int, headers: Mapping[str, str], message: str, *, now: float) -> Limit | None:
    """Read a limit from an answer to a request; `now` is a Unix time; None where it is none."""
    if status not in {403, 429}:
        return None
    spent = headers.get("x-ratelimit-remaining") == "0"
    signs = any(sign in message.lower() for sign in _SIGNS)
    stated = _retry_after(headers.get("retry-after"), now)
    if not (spent or signs or stated is not None or status == 429):
        return None
    why = "GitHub's rate limit is used up" if spent else "GitHub's secondary rate limit is reached"
    if stated is None and spent:
        stated = _reset(headers.get("x-ratelimit-reset"), now)
    return Limit(UNSTATED if stated is None else stated, why)


def _retry_after(value: str | None, now: float) -> float | None:
    if value is None:
        return None
    if value.strip().isdecimal():
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return UNSTATED
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(moment.timestamp() - now, 0.0)


def _reset(value: str | None, now: float) -> float | None:
    if value is None or not value.isdecimal():
        return None
    # One second more: the reset is a whole second, and clocks differ.
    return max(float(value) - now, 0.0) + 1.0
