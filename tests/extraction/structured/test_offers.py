"""Which of the offers and variants in markup is the page's."""

from __future__ import annotations

import json
from typing import Any

import pytest
from extraction.proof import unproved
from extraction.trees import leaf

from scraping_ai.extraction import Extractor
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
