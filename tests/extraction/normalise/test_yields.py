"""How much a recipe makes, out of what pages write."""

from __future__ import annotations

import pytest

from scraping_ai.extraction.normalise.yields import says, stated


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("Makes 12", "12"),
        ("Makes 12 cookies", "12 cookies"),
        ("Serves 4", "4"),
        ("für 4 Portionen", "4"),
        ("4人分", "4"),
        ("4 porsjoner", "4"),
        ("Ingredients (makes 12 rolls)", "12 rolls"),
        ("材料（2人分）", "2"),
        ("4 - 6 serving(s)", "4 - 6"),
        ("4 servings 1x", "4 servings"),
        ("2 dozen 1x2x3x", "2 dozen"),
        ("a dozen", "a dozen"),
    ],
)
def test_amount_and_unit_alone(text: str, amount: str) -> None:
    assert stated(text, "How much it makes, such as '4 servings'") == amount


def test_a_unit_that_says_portions_is_left_out() -> None:
    assert stated("4 servings") == "4"


@pytest.mark.parametrize(
    "text", ["Serves 4", "Makes 12 rolls", "für 4 Personen", "Pour 6 personnes", "4人分", "(serves 4)"]
)
def test_a_text_that_is_a_yield(text: str) -> None:
    assert says(text)


@pytest.mark.parametrize("text", ["4 eggs", "Step 4", "Serves us well", "It makes sense", "20 people like this"])
def test_a_text_that_is_none(text: str) -> None:
    assert not says(text)
