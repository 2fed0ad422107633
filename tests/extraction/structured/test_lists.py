from __future__ import annotations

import json
from typing import Any

import pytest
from extraction.proof import unproved
from extraction.trees import many, record

from scraping_ai.extraction import Extractor, Result

SCHEMA = many(record("title", "url", "price:number"))
NAMES = ["Ash", "Birch", "Cedar", "Dogwood"]


def extract(data: Any, schema: Any = SCHEMA) -> Result:
    page = f'<title>Trees</title><script type="application/ld+json">{json.dumps(data)}</script>'
    result = Extractor(schema).extract(page, "https://shop.example/trees")
    assert unproved(result, page) == []
    return result


def product(name: str) -> dict[str, Any]:
    return {"@type": "Product", "name": name, "url": f"/{name}", "offers": {"price": "5"}}


@pytest.mark.parametrize(
    "data",
    [
        [product(name) for name in NAMES],
        {"@graph": [product(name) for name in NAMES]},
        {"@type": "ItemList", "itemListElement": [{"@type": "ListItem", "item": product(name)} for name in NAMES]},
        {
            "@type": "CollectionPage",
            "mainEntity": {"@type": "ItemList", "itemListElement": [product(name) for name in NAMES]},
        },
    ],
)
def test_records_come_in_page_order(data: Any) -> None:
    assert [r["title"] for r in extract(data).records] == NAMES


@pytest.mark.parametrize(
    "member",
    [
        {"@type": "ListItem", "name": "Ash", "url": "https://shop.example/ash"},
        {"@type": "ListItem", "name": "Ash", "item": "https://shop.example/ash"},
        {"@type": "ListItem", "item": {"@id": "https://shop.example/ash", "name": "Ash"}},
        {"@type": "ListItem", "url": "https://shop.example/ash", "item": {"@type": "Thing", "name": "Ash"}},
    ],
)
def test_members_of_a_list_are_things_whatever_way_they_are_written(member: Any) -> None:
    crumbs = {"@type": "BreadcrumbList", "itemListElement": [{"@type": "ListItem", "name": "Home", "item": "/"}] * 3}
    result = extract([crumbs, {"@type": "ItemList", "itemListElement": [member]}])
    assert result.records == [{"title": "Ash", "url": "https://shop.example/ash", "price": None}]
