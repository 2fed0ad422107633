from __future__ import annotations

from typing import Any

import pytest
from extraction.trees import leaf

from scraping_ai.extraction import normalise
from scraping_ai.extraction.normalise import words


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("$1,299.00", "en", 1299),
        ("1.299,50 €", "de", 1299.5),
        ("1 299,50 Kč", "cs", 1299.5),
        ("35€ 99", "fr", 35.99),
        ("１２，８００円（税込）", "ja", 12800),
        ("1.299", "de", 1299),
        ("19.9900", "en", 19.99),
        ("лв1097,87", "bg", 1097.87),
        ("kr499", "sv", 499),
        ("Rs.1,299", "en", 1299),
        ("Free", "en", None),
        ("call us", "en", None),
        ("", "en", None),
    ],
)
def test_prices(text: str, language: str, expected: float | None) -> None:
    assert normalise(leaf("price", "number"), text, language=language) == expected


@pytest.mark.parametrize(
    ("name", "text", "language", "expected"),
    [
        ("mileage", "12,000 mi", "en", 12000),
        ("mileage", "12.000 km", "de", 12000),
        ("mileage", "12 000 km", "fr", 12000),
        ("depth", "0.125 in", "en", 0.125),
        ("depth", "1.234 mm", "en", 1.234),
        ("temperature", "-4.5 °C", "en", -4.5),
        ("temperature", "\u22124 °C", "en", -4),
        ("rating", "4.667", "de", 4.667),
        ("rating", "4,5 von 5", "de", 4.5),
        ("review_count", "1.234 Bewertungen", "de", 1234),
        ("engine", "V8", "en", None),
        ("share", "1e400", "en", None),
    ],
)
def test_numbers(name: str, text: str, language: str, expected: float | None) -> None:
    assert normalise(leaf(name, "number"), text, language=language) == expected


def test_an_integer_is_whole() -> None:
    assert normalise(leaf("pages", "integer"), "320 pages") == 320
    assert normalise(leaf("weight", "integer"), "4.5 kg") is None


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("PT1H30M", 90),
        ("P1DT2H", 1560),
        ("1 hr 20 min", 80),
        ("Bake10 minutesCool5 minServes", 15),
        ("45 Minuten", 45),
        ("1時間30分", 90),
        ("約30分ほど", 30),
        ("1h30", 90),
        ("1 h 05 min", 65),
        ("1½ Stunden", 90),
        ("1 1/2 hours", 90),
        ("¾ hour", 45),
        ("2 uur en 15 minuten", 135),
        ("1 godz. 20 min", 80),
        ("20 мин", 20),
        ("5 hours hrs 10 minutes mins", 310),
        ("30 mm", None),
        ("P" + "9" * 400 + "D", None),
        ("25", 25),
        ("soon", None),
    ],
)
def test_durations_are_minutes(text: str, minutes: int | None) -> None:
    assert normalise(leaf("total_time", "number", description="Total time in minutes"), text) == minutes


def test_durations_in_the_unit_the_description_names() -> None:
    assert normalise(leaf("duration", "number", description="Length in seconds"), "PT2M") == 120
    assert normalise(leaf("duration", "number", description="Length in hours"), "PT90M") == 1.5


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("2025-12-18", None, "2025-12-18"),
        ("20251218", None, "2025-12-18"),
        ("March 3, 2025", "en", "2025-03-03"),
        ("Posted on 3rd of March 2025 by Ann", "en", "2025-03-03"),
        ("3. März 2025", "de", "2025-03-03"),
        ("3 mars 2025", "fr", "2025-03-03"),
        ("2025年3月3日（月）", "ja", "2025-03-03"),
        ("令和7年3月3日", "ja", "2025-03-03"),
        ("03/04/2025", "en-us", "2025-03-04"),
        ("03/04/2025", "en-gb", "2025-04-03"),
        ("03.04.2025", "en-us", "2025-04-03"),
        ("25/04/2025", None, "2025-04-25"),
        ("03/04/2025", None, None),
        ("1735689600", None, "2025-01-01"),
        ("Wed, 18 Dec 2024 10:00:00 +0100", None, "2024-12-18"),
        ("2025-02-30", "en", None),
        ("2 days ago", "en", None),
        ("March 2025", "en", None),
        ("yesterday", "en", None),
        ("no date in 2025 at all", "en", None),
        ("2025" * 30, "en", None),
    ],
)
def test_dates(text: str, language: str | None, expected: str | None) -> None:
    assert normalise(leaf("published", "date"), text, language=language) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2025-12-18T10:00:00+09:00", "2025-12-18T10:00:00+09:00"),
        ("2025-12-18T10:00:00.123Z", "2025-12-18T10:00:00+00:00"),
        ("2025-12-18 10:00", "2025-12-18T10:00:00"),
        ("2025-12-18", "2025-12-18"),
    ],
)
def test_a_string_field_that_is_a_date_keeps_time_and_zone(text: str, expected: str) -> None:
    assert normalise(leaf("publish_date"), text) == expected
    assert normalise(leaf("embargo", description="Until when, ISO 8601"), text) == expected


@pytest.mark.parametrize(
    ("text", "url", "language", "expected"),
    [
        ("€", "", None, "EUR"),
        ("1 299,00 Kč", "", None, "CZK"),
        ("usd", "", None, "USD"),
        ("$12", "", None, "USD"),
        ("$12", "https://shop.example.au/x", None, "AUD"),
        ("$12", "https://shop.example/", "en-ca", "CAD"),
        ("120 kr", "", "sv", "SEK"),
        ("120 kr", "https://butik.example.dk", None, "DKK"),
        ("120 kr", "", None, None),
        ("12,800円", "", "ja", "JPY"),
        ("¥120", "", "zh-cn", "CNY"),
        ("one hundred", "", None, None),
    ],
)
def test_currencies(text: str, url: str, language: str | None, expected: str | None) -> None:
    assert normalise(leaf("currency"), text, url=url, language=language) == expected


STATES = ("InStock", "OutOfStock", "PreOrder")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://schema.org/InStock", "InStock"),
        ("http://schema.org/SoldOut", "OutOfStock"),
        ("instock", "InStock"),
        ("Currently unavailable.", "OutOfStock"),
        ("Only 3 left in stock", "InStock"),
        ("Nicht verfügbar", "OutOfStock"),
        ("Auf Lager", "InStock"),
        ("在庫あり", "InStock"),
        ("売り切れ", "OutOfStock"),
        ("Нет в наличии", "OutOfStock"),
        ("予約受付中", "PreOrder"),
        ("Ships worldwide", None),
    ],
)
def test_availability(text: str, expected: str | None) -> None:
    assert normalise(leaf("availability", enum=STATES), text) == expected
    in_stock = None if expected is None else expected != "OutOfStock"
    assert normalise(leaf("in_stock", "boolean"), text) is in_stock


def test_an_enum_gives_the_allowed_value_or_nothing() -> None:
    field = leaf("condition", enum=("new", "used", "Like New"))
    assert normalise(field, "NEW") == "new"
    assert normalise(field, "like-new") == "Like New"
    assert normalise(field, "broken") is None


@pytest.mark.parametrize(("text", "expected"), [("Yes", True), ("いいえ", False), ("true", True), ("maybe", None)])
def test_booleans(text: str, expected: bool | None) -> None:
    assert normalise(leaf("waterproof", "boolean"), text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/a b.png", None),
        ("../img/a.png?x=1", "https://shop.example/img/a.png?x=1"),
        ("//cdn.example/a.png", "https://cdn.example/a.png"),
        ("javascript:alert(1)", None),
        ("data:image/png;base64,AAAA", None),
        ("http://[bad", None),
    ],
)
def test_urls_are_absolute_and_of_the_web(text: str, expected: str | None) -> None:
    assert normalise(leaf("homepage", "url"), text, url="https://shop.example/p/1") == expected


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("note", "  a\u00a0b\n c ", "a b c"),
        ("note", "Tom &amp; Jerry&#39;s", "Tom & Jerry's"),
        ("note", "e\u0301te\u0301", "été"),
        ("note", "<p>One</p><p>Two &lt; three</p>", "One Two < three"),
        ("instructions", "<p>One</p>\n\n<p>Two</p>", "One\nTwo"),
        ("instructions", '[{"@type": "HowToStep", "name": "n", "text": "Mix."}, {"text": "Bake."}]', "Mix.\nBake."),
        ("author", '[{"name": "Ann Lee"}, {"name": "Bob Day"}]', "Ann Lee, Bob Day"),
        ("author", "https://example.com/ann", None),
        ("note", "[Update] news", "[Update] news"),
    ],
)
def test_text(name: str, text: str, expected: str | None) -> None:
    assert normalise(leaf(name), text) == expected


@pytest.mark.parametrize("kind", ["string", "number", "integer", "boolean", "date", "datetime", "url"])
@pytest.mark.parametrize(
    "text", ["x" * 300_000, "1" * 199_999, " " * 1000, "[" * 10_000, "<" * 10_000, "&" * 10_000, "P" + "1" * 9999]
)
def test_hostile_texts_give_a_value_or_none(kind: str, text: str) -> None:
    value: Any = normalise(leaf("price", kind), text)
    assert value is None or isinstance(value, (str, int, float))


def test_a_string_that_is_asked_for_as_written_is_not_written_anew() -> None:
    for name, text in (
        ("publication_date", "May 25, 2010"),
        ("website", "www.acme.example"),
        ("isbn", ": 9780"),
        ("currency", "€"),
    ):
        assert normalise(leaf(name, description=f"The {name}, as written on the page"), text) == text
    assert normalise(leaf("publication_date"), "May 25, 2010") == "2010-05-25"


def test_a_yes_in_another_language_is_not_no() -> None:
    assert words.availability("Áno") is None
    assert words.availability("no") == words.OUT_OF_STOCK


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1.2 million", 1_200_000), ("$3.4bn", 3_400_000_000), ("3億", 300_000_000), ("4 m", 4), ("2 millimetres", 2)],
)
def test_words_of_magnitude_multiply(text: str, expected: int) -> None:
    assert normalise(leaf("population", "number"), text, language="en") == expected


def test_marks_of_direction_are_trimmed() -> None:
    assert normalise(leaf("motto"), "\u200eFine day\u200e") == "Fine day"
