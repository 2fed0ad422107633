"""Written dates: months in many languages, the time beside them, the order of day and month."""

from __future__ import annotations

import pytest
from extraction.trees import leaf

from scraping_ai.extraction import normalise
from scraping_ai.extraction.normalise.dates import iso_date


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12 March 2026 18:30", "2026-03-12T18:30:00"),
        ("18:30, 12 March 2026", "2026-03-12T18:30:00"),
        ("March 4, 2025 at 5:30 PM EST", "2025-03-04T17:30:00-05:00"),
        ("5 May 2025 12:00 am", "2025-05-05T00:00:00"),
        ("4 May 2025, 9:00 GMT+5:30", "2025-05-04T09:00:00+05:30"),
        ("4 May 2025, 9:00 -03:30", "2025-05-04T09:00:00-03:30"),
        ("4 May 2025, 9:00 UTC", "2025-05-04T09:00:00+00:00"),
        ("4 May 2025, 9:00 +99:00", "2025-05-04T09:00:00"),
        ("2026年8月2日(日)19時00分", "2026-08-02T19:00:00"),
        ("２０２６年８月２日 午後７時５分", "2026-08-02T19:05:00"),
        ("令和6年3月5日 午前12時", "2024-03-05T00:00:00"),
        ("2025/12/19 15:55 JST", "2025-12-19T15:55:00+09:00"),
        ("2024년 3월 5일 오후 3:04", "2024-03-05T15:04:00"),
        ("18.10.2019, 15.07 Uhr", "2019-10-18T15:07:00"),
        ("1er janvier 2024 à 18h30", "2024-01-01T18:30:00"),
        ("4 марта 2025, 10:30", "2025-03-04T10:30:00"),
        ("04-ago-2021 5:11:10", "2021-08-04T05:11:10"),
        ("12 March 2026 - 14 March 2026", "2026-03-12"),
        ("3 May 2024 | 5 min read", "2024-05-03"),
        ("5 Jan 2022 25:61", "2022-01-05"),
    ],
)
def test_the_time_beside_a_date_is_kept(text: str, expected: str) -> None:
    assert iso_date(text, with_time=True) == expected
    assert iso_date(text) == expected[:10]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("4 de marzo de 2025", "2025-03-04"),
        ("24. Dezember 2020", "2020-12-24"),
        ("12 stycznia 2023", "2023-01-12"),
        ("2025. március 4.", "2025-03-04"),
        ("19/Dec/2025", "2025-12-19"),
        ("3rd of May, 2024", "2024-05-03"),
        ("30 febrero 2020", None),
        ("December 2025", None),
    ],
)
def test_months_in_words(text: str, expected: str | None) -> None:
    assert iso_date(text) == expected


@pytest.mark.parametrize(
    ("language", "expected"),
    [("en-us", "2026-03-04"), ("en", "2026-03-04"), ("en-gb", "2026-04-03"), ("fr", "2026-04-03"), (None, None)],
)
def test_day_and_month_come_in_the_order_of_the_language(language: str | None, expected: str | None) -> None:
    assert iso_date("03/04/2026", language) == expected


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("12. 3. 2024", "en", "2024-03-12"),
        ("2024-W12-3", None, "2024-03-20"),
        ("2024W123", None, "2024-03-20"),
        ("2024-W12", None, None),
        ("Q3 2024", "en", None),
        ("Spring 2024", "en", None),
        ("3 days ago", "en", None),
        ("15 มีนาคม 2567", None, "2024-03-15"),
        ("วันที่ 15 มี.ค. พ.ศ. 2567", None, "2024-03-15"),
        ("15/03/2567", "th", "2024-03-15"),
        ("R6.3.4", "ja", "2024-03-04"),
        ("R6.3.4", "en", None),
        ("民國113年3月4日", "zh-tw", "2024-03-04"),
        ("大正3年4月5日", "ja", "1914-04-05"),
    ],
)
def test_calendars(text: str, language: str | None, expected: str | None) -> None:
    assert iso_date(text, language) == expected


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("04.03.24", "de", "2024-03-04"),
        ("03/04/24", "en-us", None),
        ("Di 4.3.24, 10:00", "de", "2024-03-04"),
        ("Mar 4 '24", None, "2024-03-04"),
        ("3.4.99", "it", "1999-04-03"),
        ("3.4.55", "it", None),
        ("24.03.04", "ja", None),
        ("03.04.24", None, None),
        ("version 1.2.24", "de", None),
        ("10.30.15 04.03.2024", "de", "2024-03-04"),
    ],
)
def test_years_of_two_digits(text: str, language: str | None, expected: str | None) -> None:
    assert iso_date(text, language) == expected


@pytest.mark.parametrize(
    "text", ["4-6 March 2024", "March 30 - April 2, 2024", "30.-31.3.2024", "5 à 6 mars 2024", "March 4-6, 2024"]
)
def test_the_end_of_a_range_is_no_date_of_its_own(text: str) -> None:
    assert iso_date(text, "en") is None


@pytest.mark.parametrize("text", ["12 March 2026 - 14 March 2026", "2026-03-12/2026-03-14", "3/12/2026 to 3/14/2026"])
def test_a_range_with_years_has_a_start_and_an_end(text: str) -> None:
    assert normalise(leaf("start_date", "date"), text, language="en-us") == "2026-03-12"
    assert normalise(leaf("end_date", "date"), text, language="en-us") == "2026-03-14"
