"""Numbers that are multiplied, divided, ranges or of another unit."""

from __future__ import annotations

import pytest
from extraction.trees import leaf

from scraping_ai.extraction import normalise


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1e3", 1000),
        ("½ cup", 0.5),
        ("1½", 1.5),
        ("1 1/2 cups", 1.5),
        ("1/2", 0.5),
        ("8/10", 8),
        ("10,000+", 10_000),
        ("12k", 12_000),
        ("3.5M views", 3_500_000),
        ("$3.4B", 3_400_000_000),
        ("€1.2m", 1_200_000),
        ("10 m", 10),
        ("5G", 5),
        ("3 Mio.", 3_000_000),
        ("1,5 млн", 1_500_000),
        ("2 crore", 20_000_000),
        ("12,34,567", 1_234_567),
        ("1万2000", 12_000),
        ("12億3千万人", 1_230_000_000),
        ("300만", 3_000_000),
        ("5千克", 5),
    ],
)
def test_magnitudes_and_fractions(text: str, expected: float) -> None:
    assert normalise(leaf("total", "number"), text, language="en") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$1.2M", 1_200_000),
        ("3 Mio. €", 3_000_000),
        ("1億2000万円", 120_000_000),
        ("350万円", 3_500_000),
        ("499Kč", 499),
        ("$10 – $20", 10),
    ],
)
def test_magnitudes_of_prices(text: str, expected: float) -> None:
    assert normalise(leaf("price", "number"), text, language="en") == expected


def test_a_letter_behind_a_measure_is_its_unit() -> None:
    assert normalise(leaf("cable_length", "number"), "5M") == 5


@pytest.mark.parametrize(
    "text",
    [
        "12-15 kg",
        "12 kg – 15 kg",
        "3~5",
        "3人から5人",
        "-20 to 60 °C",
        "$50,000 - $70,000",
        "1920 x 1080",
        "20 by 30 cm",
        "16:9",
        "24/7",
        "1.2.3",
        "12.03.2024",
        "1 lb 4 oz",
        "6'2\"",
        "5 ft 10 in",
        "2 years and 3 months",
    ],
)
def test_several_numbers_are_no_number(text: str) -> None:
    assert normalise(leaf("amount_of_it", "number"), text, language="en") is None


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("mileage", "12,000 mi (checked 2020)", 12_000),
        ("mileage", "12,000 mi - 2 owners", 12_000),
        ("year", "2019-05-04", 2019),
        ("year", "2019/05", 2019),
        ("floor", "3 of 5", 3),
        ("baths", "3 beds, 2 baths", 2),
        ("bed", "3 beds, 2 baths", 3),
        ("salary_max", "$50,000 - $70,000", 70_000),
        ("minWeight", "12-15 kg", 12),
    ],
)
def test_a_name_tells_which_of_several_numbers(name: str, text: str, expected: float) -> None:
    assert normalise(leaf(name, "number"), text, language="en") == expected


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("weight_kg", "1.2 kg", 1.2),
        ("weight_kg", "1.2", 1.2),
        ("weight_kg", "1.2 lb", None),
        ("weight_kg", "2.6 lb (1.2 kg)", 1.2),
        ("length_cm", '12"', None),
        ("area_sqm", "1,200 sq ft", None),
        ("area_sqm", "85 m²", 85),
        ("length_cm", "30 cm", 30),
        ("price_usd", "$12", 12),
        ("price_usd", "€12", None),
        ("price_usd", "12", 12),
        ("duration_minutes", "1 h 30 min", 90),
        ("duration_minutes", "PT1H30M", 90),
        ("duration_hours", "90 min", 1.5),
        ("delivery_days", "3 days", 3),
        ("delivery_days", "3-5 days", None),
        ("vitamin_c", "12 mg", 12),
    ],
)
def test_a_field_whose_name_ends_in_a_unit_takes_no_other(name: str, text: str, expected: float | None) -> None:
    assert normalise(leaf(name, "number"), text, language="en") == expected


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("$10.999", "es", 10_999),
        ("$10.999", "en", None),
        ("€10.999", "en", 10_999),
        ("10.999 KWD", "en", 10.999),
        ("$1.299 million", "en", 1_299_000),
    ],
)
def test_three_digits_behind_a_price_s_dot(text: str, language: str, expected: float | None) -> None:
    assert normalise(leaf("price", "number"), text, language=language) == expected
