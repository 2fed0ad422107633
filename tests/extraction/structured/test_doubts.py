"""Markup that says nothing, or speaks of something else than the page."""

from __future__ import annotations

import json
from typing import Any

import pytest
from extraction.trees import record

from scraping_ai.extraction import Extractor
from scraping_ai.extraction.structured.doubts import is_placeholder

PRODUCT = record("title", "price:number", "sku", "brand", "rating:number", "description")
DESK = "<h1>Walnut Desk</h1><p class=price>$89.00</p>"


def fields(html: str, *data: dict[str, Any], schema: Any = PRODUCT) -> dict[str, Any]:
    scripts = "".join(f'<script type="application/ld+json">{json.dumps(d)}</script>' for d in data)
    found: dict[str, Any] = Extractor(schema).extract(html + scripts, "https://shop.example/p/1").records[0]
    return found


def product(name: str = "Walnut Desk", **properties: Any) -> dict[str, Any]:
    return {"@type": "Product", "name": name, **properties}


@pytest.mark.parametrize(
    "text",
    [
        "{{ p.sku }}",
        "%BRAND%",
        "${brand}",
        "<%= x %>",
        "[[brand]]",
        "[object Object]",
        "-",
        "N/A",
        "NaN",
        "TBD",
        "null",
    ],
)
def test_placeholders_are_no_values(text: str) -> None:
    assert is_placeholder(text)
    assert fields(DESK, product(sku=text, brand={"name": text}))["sku"] is None


@pytest.mark.parametrize("text", ["A-1", "100%", "{set} of 3", "[Remix] Song", "None Such Farm", "0"])
def test_values_are_no_placeholders(text: str) -> None:
    assert not is_placeholder(text)


@pytest.mark.parametrize("price", ["0.00", 0, "-1"])
def test_price_of_nothing_gives_way_to_what_is_shown(price: Any) -> None:
    assert fields(DESK, product(offers={"price": price}))["price"] == 89


def test_price_of_nothing_stands_alone() -> None:
    assert fields("<h1>Walnut Desk</h1>", product(offers={"price": "0.00"}))["price"] == 0
    assert fields("<h1>Walnut Desk</h1>", product(offers={"price": "-1"}))["price"] is None


def test_rating_of_nothing_is_none() -> None:
    assert fields(DESK, product(aggregateRating={"ratingValue": 0, "reviewCount": 0}))["rating"] is None


def test_epoch_is_no_date() -> None:
    article = {"@type": "Article", "headline": "Fine day", "datePublished": "1970-01-01T00:00:00Z"}
    schema = record("title", "publish_date:date")
    found = fields("<h1>Fine day</h1><p>Published 4 May 2025</p>", article, schema=schema)
    assert found["publish_date"] == "2025-05-04"


def test_rating_comes_not_from_one_review() -> None:
    assert fields(DESK, product(review={"reviewRating": {"ratingValue": 1}}))["rating"] is None


def test_thing_of_another_name_is_refused() -> None:
    lamps = [product(name, sku="OAK-1", offers={"price": 59}) for name in ("Oak Lamp", "Pine Lamp")]
    for data in (lamps, lamps[:1]):
        found = fields(DESK, *data)
        assert (found["title"], found["price"], found["sku"]) == ("Walnut Desk", 89, None)


@pytest.mark.parametrize("name", ["Walnut desks by Acme", "ウォルナットデスク", "WALNÚT-DESK 120"])
def test_thing_whose_name_is_written_otherwise_is_kept(name: str) -> None:
    assert fields(DESK, product(name, sku="D"))["sku"] == "D"


def test_owner_of_the_site_answers_only_what_is_asked_of_it() -> None:
    owner = {"@type": "Organization", "name": "Acme", "brand": "Acme", "description": "Shop", "telephone": "555"}
    assert fields(DESK, owner)["brand"] is None
    assert fields("<h1>Contact</h1>", owner, schema=record("name", "telephone"))["telephone"] == "555"
