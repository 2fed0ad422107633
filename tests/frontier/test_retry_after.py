"""Retry-After as servers write it, and as they should not."""

from __future__ import annotations

import time
from email.utils import formatdate

import pytest

from scraping_ai.frontier.retry_after import seconds_of

DATE = "Wed, 21 Oct 2026 07:28:00 GMT"


@pytest.mark.parametrize(
    ("fields", "seconds"),
    [
        (["120"], 120.0),
        ([" 120 "], 120.0),
        (["0"], 0.0),
        (["1.5"], 1.5),
        (["9" * 400], float("inf")),
        ([], 0.0),
        ([""], 0.0),
        (["-5"], 0.0),
        (["+5"], 0.0),
        (["1e3"], 0.0),
        (["nan"], 0.0),
        (["inf"], 0.0),
        (["0x10"], 0.0),
        (["\u0665"], 0.0),  # a digit, of another script
        (["soon"], 0.0),
        (["120, 60"], 0.0),
        (["5", "120", "soon"], 120.0),
        (["Wed, 21 Oct 2026 07:29:30 GMT"], 90.0),
        (["Wednesday, 21-Oct-26 07:29:30 GMT"], 90.0),  # RFC 850
        (["Wed Oct 21 07:29:30 2026"], 90.0),  # asctime
        (["Wed, 21 Oct 2026 09:29:30 +0200"], 90.0),
        (["Wed, 21 Oct 2026 07:29:30 -0000"], 90.0),
        (["Wed, 21 Oct 2020 07:28:00 GMT"], 0.0),  # past
        (["Wed, 32 Oct 2026 07:28:00 GMT"], 0.0),
        (["Wed, 21 Oct 99999999999 07:28:00 GMT"], 0.0),
        (["Wed, 21 Oct 2026 07:28:00 " + "G" * 10_000], 0.0),
        (["\0"], 0.0),
    ],
)
def test_seconds(fields: list[str], seconds: float) -> None:
    assert seconds_of(fields, DATE) == seconds


@pytest.mark.parametrize("date", [None, "yesterday"])
def test_without_a_date_of_the_servers_own_ours_counts(date: str | None) -> None:
    assert seconds_of([formatdate(time.time() + 100, usegmt=True)], date) == pytest.approx(99.5, abs=5)


def test_a_servers_clock_may_be_wrong() -> None:
    an_hour_ahead = time.time() + 3600
    field = formatdate(an_hour_ahead + 30, usegmt=True)
    assert seconds_of([field], formatdate(an_hour_ahead, usegmt=True)) == 30.0
