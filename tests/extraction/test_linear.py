"""Pages made to be slow: four times the page may take about four times as long, never sixteen."""

from __future__ import annotations

import json
import time

import pytest

from scraping_ai.extraction import Extractor, ground

FIELDS = (
    "title, price:number, currency, availability, sku, brand, author, publish_date:date, description, image:url, "
    "rating:number, ingredients[], instructions, mileage, breadcrumbs[], in_stock:boolean"
)
LISTING = json.dumps(
    {
        "type": "array",
        "items": {"type": "object", "properties": {"title": {"type": "string"}, "price": {"type": "number"}}},
    }
)
ANSWERS = {"title": "Zz Top", "price": 7.77, "author": "Nobody Here", "publish_date": "2019-03-04", "mileage": "x:"}


def things(count: int) -> str:
    """JSON-LD in which each thing refers to the next ones."""
    made = [
        {
            "@type": "Product",
            "@id": f"#{n}",
            "name": "a",
            "isRelatedTo": {"@id": f"#{n + 1}"},
            "offers": {"@id": f"#{n + 2}"},
        }
        for n in range(count)
    ]
    return f'<script type="application/ld+json">{json.dumps({"@graph": made})}</script>'


def crumbs(count: int) -> str:
    made = [{"@type": "ListItem", "@id": f"#{n}", "item": {"@id": f"#{n + 1}"}} for n in range(count)]
    trail = {"@type": "BreadcrumbList", "itemListElement": [{"@id": f"#{n}"} for n in range(count)]}
    return f'<script type="application/ld+json">{json.dumps({"@graph": [trail, *made]})}</script>'


PAGES = {
    "things that refer to each other": things,
    "breadcrumbs that refer to each other": crumbs,
    "nested elements": lambda n: "<div><span>" * 20 * n + "x",
    "prices": lambda n: "<h1>T</h1>" + "".join(f'<span class="price">${i}.99</span>' for i in range(n)),
    "labels": lambda n: "<b>Brand:</b> x " * n,
    "cards": lambda n: "".join(f'<div class="c"><a href="/p{i}">Item {i}</a><i>${i}.50</i></div>' for i in range(n)),
    "comments": lambda n: "<p>x<!-- a -->" * n,
    "nested items": lambda n: '<div itemscope itemprop="x" itemtype="Product"><b itemprop="name">x</b>' * n,
    "broken JSON": lambda n: '<script type="application/ld+json">' + '{"a": 1}, ' * 10 * n + "</script>",
    "one long text": lambda n: "<p>" + "word 12.50 2020 " * 20 * n,
    "table": lambda n: "<table>" + "<tr><td>Label</td><td>value 1</td></tr>" * n,
    "a feed's title": lambda n: f'<title>A</title><link type="application/rss+xml" title="{" " * 50 * n}x">',
    "dates": lambda n: '<p class="date">12 Smarch 2020</p>' * n,
}


def seconds(html: str) -> float:
    started = time.process_time()
    result = Extractor(FIELDS).extract(html, "https://shop.example/p/1")
    ground(result, ANSWERS, html)
    Extractor(LISTING).extract(html, "https://shop.example/p/1")
    return time.process_time() - started


@pytest.mark.parametrize("kind", PAGES)
def test_time_grows_with_the_page_alone(kind: str) -> None:
    make = PAGES[kind]
    seconds(make(100))  # what is loaded and compiled once
    small = min(seconds(make(400)) for _ in range(2))
    assert seconds(make(1600)) < 8 * small + 0.1
