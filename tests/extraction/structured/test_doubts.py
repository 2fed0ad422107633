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


RED = {"name": "Red kite", "sku": "RK-1", "offers": {"price": "9", "priceCurrency": "USD"}}


@pytest.mark.parametrize(
    ("heading", "data"),
    [
        ("Blue kite", {"@type": "Product", **RED, "url": "/red"}),
        ("Blue kite", {"@type": "Product", **RED}),
        ("Blue kite", {"@type": "ItemList", "itemListElement": [{"@type": "Product", **RED}]}),
        ("Синий змей", {"@type": "Product", **RED, "name": "Красный змей"}),
        ("青い凧", {"@type": "Product", **RED, "name": "赤い凧"}),
        ("Ψηφιακό ρολόι", {"@type": "Product", **RED, "name": "Αναλογικό ρολόι"}),
    ],
)
def test_things_whose_names_contradict_the_heading_are_others(heading: str, data: dict[str, Any]) -> None:
    found = fields(f"<title>{heading} - Toys</title><h1>{heading}</h1><p>$15.00</p>", data)
    assert (found["title"], found["price"], found["sku"]) == (heading, 15, None)


@pytest.mark.parametrize(
    ("heading", "data"),
    [
        ("Blue kite", {"name": "Kite 2 m", "color": "blue"}),  # one says what the other does
        ("Blue kite", {"name": "Tailwind blue kite"}),
        ("Big blue kite", {"name": "Delta blue kite", "url": "https://shop.example/p/1"}),
        ("凧", {"name": "Red kite"}),
    ],
)
def test_names_that_say_more_or_less_are_the_pages(heading: str, data: dict[str, Any]) -> None:
    html = f"<title>{heading} - Toys</title><h1>{heading}</h1>"
    assert fields(html, {**product(), **data, "brand": "Tailwind"})["brand"] == "Tailwind"


def test_the_pages_own_thing_among_fuller_ones() -> None:
    html = "<title>Blue kite</title><h1>Blue kite</h1>"
    found = fields(
        html, product("Red kite", sku="RK-1", description="Red.", brand="B"), product("Blue kite", sku="BK-1")
    )
    assert found["sku"] == "BK-1"
