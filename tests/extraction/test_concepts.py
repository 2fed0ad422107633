from __future__ import annotations

import pytest
from extraction.trees import leaf

from scraping_ai.extraction.concepts import base, concept_of, fold


@pytest.mark.parametrize(
    ("name", "concept"),
    [
        ("price", "price"),
        ("productPrice", "price"),
        ("Preis", "price"),
        ("価格", "price"),
        ("datePublished", "publish_date"),
        ("publish-date", "publish_date"),
        ("in_stock", "availability"),
        ("EAN13", "gtin"),
        ("Product_Name", "title"),
        ("ratings", "rating"),
        ("warranty", None),
        ("x" * 1000, None),
    ],
)
def test_names(name: str, concept: str | None) -> None:
    found = concept_of(leaf(name))
    assert (found.name if found else None) == concept


def test_a_description_helps_where_the_name_says_nothing() -> None:
    price = concept_of(leaf("cost_eur", description="Price of the product, in euros"))
    assert price is not None
    assert price.name == "price"
    assert concept_of(leaf("warranty", description="Warranty offered with the price")) is None


def test_folding() -> None:
    assert fold("publishDate") == fold("publish_date") == fold("Publish date:") == "publish date"


@pytest.mark.parametrize(
    ("names", "root"),
    [
        ("organiser organisers organizer", "organizer"),
        ("colour colors", "color"),
        ("category categories", "category"),
        ("dish dishes", "dish"),
        ("box boxes", "box"),
        ("address addresses", "address"),
        ("status", "status"),
    ],
)
def test_plurals_and_spellings_share_a_base(names: str, root: str) -> None:
    assert {base(name) for name in names.split()} == {root}


@pytest.mark.parametrize(
    ("description", "concept"),
    [
        ("Name of the author", "author"),
        ("Name of the product", "title"),
        ("Date of publication, ISO 8601", "publish_date"),
        ("Date of birth", "birth_date"),
        ("Date of the harvest", None),
        ("Number of pages", "pages"),
        ("Price of the product", "price"),
        ("Price of the warranty", None),
    ],
)
def test_the_name_of_something_is_what_it_names(description: str, concept: str | None) -> None:
    found = concept_of(leaf("x", description=description))
    assert (found.name if found else None) == concept
