"""Yes, no and allowed values with words around them."""

from __future__ import annotations

import pytest
from extraction.trees import leaf

from scraping_ai.extraction import normalise
from scraping_ai.schema import FieldSchema


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("waterproof", "Not waterproof", False),
        ("waterproof", "Waterproof", True),
        ("furnished", "Unfurnished", False),
        ("smoking", "Non-smoking", False),
        ("non_smoking", "Non-smoking", True),
        ("WLAN", "kein WLAN", False),
        ("wifi", "Free Wi-Fi", True),
        ("pets", "no pets allowed", False),
        ("petsAllowed", "Pets allowed", True),
        ("pets_allowed", "Not allowed", False),
        ("parking", "Yes - on street", True),
        ("parking", "No (none nearby)", False),
        ("parking", "None", False),
        ("parking", "無し", False),
        ("gluten", "gluten free", False),
        ("gluten_free", "Gluten-free", True),
        ("parking", "No limit", None),
        ("waterproof", "Waterproof to 30 m", None),
        ("waterproof", "not un-waterproof", None),
    ],
)
def test_booleans_say_so_in_words(name: str, text: str, expected: bool | None) -> None:
    assert normalise(leaf(name, "boolean"), text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Used - like new", "used"),
        ("Condition: used", "used"),
        ("Used car", "used"),
        ("https://schema.org/NewCondition", "new"),
        ("New and used", None),
        ("new, used", None),
        ("Not new", None),
        ("Like new", None),
        ("New: no", None),
    ],
)
def test_an_enum_is_named_in_part(text: str, expected: str | None) -> None:
    assert normalise(leaf("condition", enum=("new", "used")), text) == expected


def test_a_part_of_a_word_is_no_allowed_value() -> None:
    assert normalise(leaf("size", enum=("small", "large")), "X-Large") is None
    assert normalise(leaf("job_type", enum=("full-time", "part-time")), "Full time position") == "full-time"
    assert normalise(leaf("job_type", enum=("full-time", "part-time")), "FULL_TIME, PART_TIME") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A+++", None),
        ("A++ energy", None),
        ("A-", None),
        ("(A)", "A"),
        ("A+", "A+"),
        ("C#", None),
        ("1.5", None),
        ("15", 15),
    ],
)
def test_signs_and_separators_tell_values_apart(text: str, expected: str | int | None) -> None:
    assert normalise(FieldSchema("grade", "string", enum=("A", "A+", "C", 15)), text) == expected
