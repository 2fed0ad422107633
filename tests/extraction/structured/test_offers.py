"""Which of the offers and variants in markup is the page's."""

from __future__ import annotations

import json
from typing import Any

import pytest
from extraction.proof import unproved
from extraction.trees import leaf

from scraping_ai.extraction import Extractor, Result
from scraping_ai.schema import FieldSchema

SCHEMA = FieldSchema("", "object", fields=(leaf("price", "number"), leaf("sku"), leaf("availability")))
URL = "https://shop.example/p/lamp?size=L"


def record(*things: Any, title: str = "Lamp") -> dict[str, Any]:
    html = f'<title>{title}</title><script type="application/ld+json">{json.dumps(list(things))}</script><p>text'
    result = Extractor(SCHEMA).extract(html, URL)
    assert unproved(result, html) == []
    return result.records[0]


def product(**values: Any) -> dict[str, Any]:
    return {"@type": "Product", "name": "Lamp", **values}


SMALL = {"@type": "Offer", "price": "10", "url": "https://shop.example/p/lamp?size=S", "sku": "S1"}
LARGE = {"@type": "Offer", "price": "20", "url": "https://shop.example/p/lamp?size=L", "sku": "L1"}


@pytest.mark.parametrize(
    ("offers", "price"),
    [
        ([SMALL, LARGE], 20),
        ([{**SMALL, "url": None}, {**LARGE, "url": None}], 10),
        ({"@type": "AggregateOffer", "lowPrice": "10", "highPrice": "20"}, 10),
        ({"@type": "AggregateOffer", "price": "15", "lowPrice": "10"}, 15),
        (
            {
                "priceSpecification": [
                    {"price": "30", "priceType": "https://schema.org/ListPrice"},
                    {"price": "3", "referenceQuantity": {"value": 1}},
                    {"price": "20"},
                ]
            },
            20,
        ),
        ({"priceSpecification": [{"price": "30", "priceType": "ListPrice"}]}, 30),
        ([{"price": "10", "availability": "SoldOut"}, {"price": "20", "availability": "InStock"}], 20),
    ],
)
def test_the_offer_of_this_page(offers: Any, price: float) -> None:
    assert record(product(offers=offers))["price"] == price


def test_the_offer_with_the_products_own_sku() -> None:
    offers = [{**SMALL, "url": None}, {**LARGE, "url": None}]
    assert record(product(sku="L1", offers=offers))["price"] == 20


def test_a_groups_variant_of_this_page() -> None:
    variants = [product(sku=o["sku"], url=o["url"], offers={"price": o["price"]}) for o in (SMALL, LARGE)]
    group = {"@type": "ProductGroup", "name": "Lamp", "hasVariant": variants}
    assert record(group) == {"price": 20, "sku": "L1", "availability": None}


def test_a_list_of_products_is_no_product() -> None:
    things = [{"@type": "Product", "name": n, "offers": {"price": "5"}} for n in ("Red chair", "Blue chair", "Table")]
    assert record(*things, title="All furniture")["price"] is None
    assert record(*things, title="Blue chair")["price"] == 5


def sold(price: str, state: str, **values: Any) -> dict[str, Any]:
    return {"@type": "Offer", "price": price, "priceCurrency": "USD", "availability": state, **values}


def page(body: str, *offers: dict[str, Any], url: str = "https://shop.example/p/lamp") -> Result:
    data = json.dumps(product(offers=list(offers)))
    html = f'<title>Lamp</title><script type="application/ld+json">{data}</script><h1>Lamp</h1>{body}'
    fields = "price:number, currency, availability, sku, original_price:number"
    result = Extractor(fields).extract(html, url)
    assert unproved(result, html) == []
    return result


RED = sold("10", "InStock", sku="R", url="/p/lamp?variant=1")
BLUE = sold("20", "OutOfStock", sku="B", url="/p/lamp?variant=2")
FORM = "<select name=id><option value=1>Red<option value=2 selected>Blue</select>"


@pytest.mark.parametrize(
    ("body", "url"),
    [
        ("", "https://shop.example/p/lamp?utm_source=mail&variant=2"),
        (FORM, "https://shop.example/p/lamp"),
        ("<p class=price>$20.00</p>", "https://shop.example/p/lamp"),
    ],
)
def test_all_that_is_said_of_an_offer_is_of_the_one_that_the_page_shows(body: str, url: str) -> None:
    expected = {"price": 20, "currency": "USD", "availability": "OutOfStock", "sku": "B", "original_price": None}
    assert page(body, RED, BLUE, url=url).records == [expected]


def test_an_offer_lends_nothing_to_another() -> None:
    found = page("", {"price": "10", "sku": "A"}, sold("20", "OutOfStock", sku="B")).records[0]
    assert (found["price"], found["availability"], found["currency"]) == (10, None, None)
    aggregate = {"@type": "AggregateOffer", "lowPrice": "20", "offers": [RED, BLUE]}
    found = page("", aggregate).records[0]
    assert (found["price"], found["availability"], found["sku"]) == (10, "InStock", "R")


def test_a_price_that_the_page_shows_nowhere_gives_way_to_the_one_that_it_plainly_shows() -> None:
    result = page("<div class=product-price>$19.99</div>", sold("25", "InStock"))
    assert result.records[0]["price"] == 19.99
    assert [value for value, _ in result.disagreements["price"]] == [25]


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<div class=price>$8.33 / month</div>",
        "<div class=price>€ 22.00</div>",
        "<div class=price>4 payments of $6.25</div>",
        "<div class=price><del>$30.00</del></div>",
        "<div class=price>Members $21.00</div>",
        "<div class=price>$19.99</div><div class=price>$29.99</div>",
        "<div class=price>$19.99</div><p>Also $25 in shops",
    ],
)
def test_a_price_in_markup_stands_where_the_page_is_not_plain(body: str) -> None:
    assert page(body, sold("25", "InStock")).records[0]["price"] == 25


def test_a_list_price_is_never_the_price_asked() -> None:
    listed = {"price": "30", "priceType": "https://schema.org/ListPrice"}
    assert page("", sold("20", "InStock", priceSpecification=[listed])).records[0]["original_price"] == 30
    assert page("", sold("30.00", "InStock", priceSpecification=[listed])).records[0]["original_price"] is None
    assert page("<p class=price>Regular price $20.00</p>", sold("20", "InStock")).records[0]["original_price"] is None
    assert page("<del>$30</del> <b>$20</b>", sold("20", "InStock")).records[0]["original_price"] == 30


def test_a_price_in_another_currency_than_the_field_s_is_none() -> None:
    offer = '{"@type": "Product", "name": "Lamp", "offers": {"@type": "Offer", "price": 12, "priceCurrency": "EUR"}}'
    html = f"<script type=application/ld+json>{offer}</script><h1>Lamp</h1>"
    result = Extractor("price_usd:number, price_eur:number").extract(html, "https://shop.example/lamp")
    assert result.records[0] == {"price_usd": None, "price_eur": 12}
