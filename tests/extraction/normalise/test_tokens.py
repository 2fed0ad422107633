"""A number is read whole or not at all, whatever digits and separators it is written with."""

from __future__ import annotations

import pytest
from extraction.trees import leaf

from scraping_ai.extraction import normalise


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("price", "CHF 1\u2019299.90", 1299.9),
        ("price", "CHF 1\u2019299\u2019000.\u2013", 1_299_000),
        ("area", "1\u2019020 m²", 1020),
        ("area", "1\u02bc020 m²", 1020),
        ("price", "١٤٩٫٥٠ ر.س", 149.5),
        ("weight", "١٬٢٣٤", 1234),
        ("weight", "۱٬۲۳۴٫۵", 1234.5),
        ("views", "३,४५,६७८", 345_678),
        ("price", "１，２３４円", 1234),
        ("views", "1_000", 1000),
        ("views", "12\u202f345\u202f678", 12_345_678),
        ("price", "1\u2009299,50\u00a0€", 1299.5),
        ("views", "1\u00b7234", None),
        ("views", "1.2.3", None),
        ("views", "1_00", None),
        ("price", "1\u00b799 €", None),
        ("views", "10\u2076", None),
        ("views", "5²", None),
        ("price", "$19.99²", 19.99),
        ("duration", "١٫٥ hours", 90),
    ],
)
def test_separators_and_digits_of_all_scripts(name: str, text: str, expected: float | None) -> None:
    assert normalise(leaf(name, "number"), text, language="de") == expected


@pytest.mark.parametrize(
    ("name", "kind", "text", "language", "expected"),
    [
        ("net_income", "number", "($45.3M)", "en", -45_300_000),
        ("eps", "number", "$(0.12)", "en", -0.12),
        ("margin", "number", "(3.8)%", "en", -3.8),
        ("change", "number", "-$5.00", "en", -5),
        ("change", "number", "(7)", "en", None),
        ("comments", "integer", "(7)", "en", 7),
        ("price", "number", "-$5.00", "en", None),
        ("price", "number", "-5.00", "en", None),
        ("market_cap", "number", "1.2T", "en", None),
        ("market_cap", "number", "$1.2T", "en", 1_200_000_000_000),
        ("weight", "number", "2T", "en", 2),
        ("views", "integer", "12 mil", "es", 12_000),
        ("views", "integer", "12 mil", "en", None),
        ("population", "number", "2,5 mill.", "es", 2_500_000),
        ("price", "number", "Rp1,25 jt", "id", 1_250_000),
        ("weight", "number", "< 5 kg", "en", None),
        ("age", "integer", "under 12", "en", None),
        ("age", "integer", "12 or more", "en", None),
        ("weight", "number", "bis zu 5 kg", "de", None),
        ("weight", "number", "более 5 кг", "ru", None),
        ("windows", "integer", "5 or 6", "en", None),
        ("doors", "integer", "4/5", "de", None),
        ("price", "number", "99¢ each", "en-US", 0.99),
        ("price", "number", "99p", "en-GB", None),
        ("price", "number", "12 800 руб. 50 коп.", "ru", 12_800.5),
        ("price", "number", "12 € 50 gr", "de", 12),
    ],
)
def test_what_stands_about_a_number(name: str, kind: str, text: str, language: str, expected: float | None) -> None:
    assert normalise(leaf(name, kind), text, language=language) == expected
