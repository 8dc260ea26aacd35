import time
from collections.abc import Iterator

import pytest

from resolveflow.backends.github_limits import UNSTATED, limit_of

NOW = 1_800_000_000.0  # 15 January 2027, 08:00:00 UTC
DATE = "Fri, 15 Jan 2027 08:00:09 "


@pytest.fixture
def far_from_greenwich(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("far_from_greenwich")
@pytest.mark.parametrize("zone", ["GMT", "+0000", "-0000"])
def test_a_date_is_in_greenwich_time_wherever_we_are(zone: str) -> None:
    limit = limit_of(429, {"retry-after": DATE + zone}, "", now=NOW)
    assert limit is not None
    assert limit.seconds == 9


@pytest.mark.parametrize("status", [200, 304, 401, 404, 500, 503])
def test_other_statuses_are_no_limits(status: int) -> None:
    assert limit_of(status, {"retry-after": "7"}, "secondary rate limit", now=NOW) is None


@pytest.mark.parametrize(
    ("status", "headers", "message", "seconds"),
    [
        (403, {}, "Must have admin rights to Repository.", None),
        (403, {"x-ratelimit-remaining": "7"}, "Resource not accessible", None),
        (403, {}, "You have exceeded a secondary rate limit", UNSTATED),
        (403, {}, "You have triggered an abuse detection mechanism", UNSTATED),
        (403, {"retry-after": "5"}, "", 5),
        (429, {}, "", UNSTATED),
        (429, {"retry-after": "-5"}, "", UNSTATED),
        (429, {"retry-after": "²"}, "", UNSTATED),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "soon"}, "", UNSTATED),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": f"{NOW + 4:.0f}"}, "", 5),
        (
            403,
            {
                "x-ratelimit-remaining": "0",
                "x-ratelimit-reset": f"{NOW + 900:.0f}",
                "retry-after": "3",
            },
            "",
            3,
        ),
    ],
)
def test_how_long_to_wait(
    status: int, headers: dict[str, str], message: str, seconds: float | None
) -> None:
    limit = limit_of(status, headers, message, now=NOW)
    assert (limit.seconds if limit else None) == seconds
