"""Lists in structured data: one text of many lines, keywords between commas, and what the page shows beside it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from extraction.proof import unproved
from extraction.trees import leaf, many, record

from scraping_ai.extraction import Extractor
from scraping_ai.schema import FieldSchema


def page(body: str = "", **thing: Any) -> str:
    data = {"@context": "https://schema.org", "name": "Bread", **thing}
    return f'<script type="application/ld+json">{json.dumps(data)}</script><body>{body}</body>'


def value(name: str, html: str) -> Any:
    result = Extractor(FieldSchema("", "object", fields=(many(leaf(""), name=name),))).extract(html)
    assert unproved(result, html) == []
    return result.records[0][name]


@pytest.mark.parametrize(
    ("data", "items"),
    [
        (["1 egg", "2 nuts"], ["1 egg", "2 nuts"]),
        ("1 egg\n2 nuts", ["1 egg", "2 nuts"]),
        (["For the dough:", "1 egg", "2 nuts"], ["1 egg", "2 nuts"]),
        (["500 g flour: white", "Salt:"], ["500 g flour: white"]),
    ],
)
def test_one_item_a_line(data: Any, items: list[str]) -> None:
    assert value("ingredients", page(**{"@type": "Recipe", "recipeIngredient": data})) == items


def test_keywords_are_set_apart_by_commas() -> None:
    assert value("keywords", page(**{"@type": "Article", "keywords": "a, b c,d"})) == ["a", "b c", "d"]
    assert value("tags", page(**{"@type": "Article", "keywords": ["a", "b, c"]})) == ["a", "b", "c"]
    assert value("tags", '<meta name="keywords" content="a, b"><p>text') == ["a", "b"]


@pytest.mark.parametrize(
    ("data", "shown", "items"),
    [
        (["flour", "salt"], ["500 g flour", "1 tsp salt"], ["500 g flour", "1 tsp salt"]),
        (["2 eggs ((large))", "1 nut"], ["2 eggs (large)", "1 fine nut"], ["2 eggs (large)", "1 nut"]),
        (["2 eggs \u00e2\u20ac\u201d large"], ["2 eggs — large", "3 nuts"], ["2 eggs — large"]),
        (["2 eggs ((large))"], ["4 nuts", "3 olives"], ["2 eggs ((large))"]),
        (["flour", "salt"], ["flour", "salt"], ["flour", "salt"]),
    ],
)
def test_damaged_items_are_read_from_the_page(data: list[str], shown: list[str], items: list[str]) -> None:
    body = "<h2>Ingredients</h2><ul>" + "".join(f"<li>{text}</li>" for text in shown) + "</ul>"
    assert value("ingredients", page(body, **{"@type": "Recipe", "recipeIngredient": data})) == items


def test_nested_things_by_plural_and_spelling() -> None:
    html = page(
        **{
            "@type": "Event",
            "organizer": {"@type": "Organization", "name": "Hall Ltd"},
            "performer": [{"@type": "Person", "name": "Ann"}, {"@type": "Person", "name": "Bo"}],
            "location": {"@type": "Place", "name": "Hall", "address": {"addressLocality": "Rome"}},
            "image": ["https://a.example/1.jpg", "https://a.example/2.jpg"],
            "review": [{"@type": "Review", "author": {"name": "Zoe"}, "reviewRating": {"ratingValue": 4}}],
        }
    )
    reviews = many(record("author", "rating:number"), name="reviews")
    schema = record("organiser", "venue", "city", many(record("name"), name="performers"), reviews)
    result = Extractor(schema).extract(html)
    assert result.records == [
        {
            "organiser": "Hall Ltd",
            "venue": "Hall",
            "city": "Rome",
            "performers": [{"name": "Ann"}, {"name": "Bo"}],
            "reviews": [{"author": "Zoe", "rating": 4}],
        }
    ]
    assert unproved(result, html) == []
    assert value("performers", html) == ["Ann", "Bo"]
    assert value("images", html) == ["https://a.example/1.jpg", "https://a.example/2.jpg"]


def test_breadcrumbs_of_structured_data() -> None:
    steps = [{"@type": "ListItem", "position": 1, "name": "Home"}, {"@type": "ListItem", "item": {"name": "Bread"}}]
    html = page(**{"@type": "Recipe"}) + page(**{"@type": "BreadcrumbList", "name": None, "itemListElement": steps})
    assert value("breadcrumbs", html) == ["Home", "Bread"]
