"""State that scripts carry for a page's own program."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from extraction.proof import unproved
from extraction.trees import leaf, many, record

from scraping_ai.extraction import Extractor, Result

THING = {
    "id": 7,
    "title": "Brown Betty Teapot",
    "brandName": "Cauldon",
    "barcode": "4006381333931",
    "price": {"amount": 29.9, "currencyCode": "GBP"},
    "images": [{"src": "/a.jpg"}, {"src": "/b.jpg"}],
    "type": "pot",
}
OTHERS = [{**THING, "title": name, "barcode": "1" * 13, "brandName": "Other"} for name in ("Blue Cup", "Red Plate")]
STATE = {"props": {"menu": [{"title": "Pots", "url": "/pots"}], "related": OTHERS, "page": {"product": THING}}}
FIELDS = ("title", "brand", "gtin", "price:number", "currency")
FOUND = {"title": "Brown Betty Teapot", "brand": "Cauldon", "gtin": "4006381333931", "price": 29.9, "currency": "GBP"}


def page(script: str, heading: str = "Brown Betty Teapot", body: str = "") -> str:
    return f'<html lang="en"><title>{heading} | Shop</title><body><h1>{heading}</h1>{body}{script}</body></html>'


def next_data(data: Any) -> str:
    return f'<script id="__NEXT_DATA__" type="application/json">{json.dumps(data)}</script>'


def extract(source: str, *fields: Any, url: str = "https://shop.example/p/7") -> Result:
    result = Extractor(record(*fields)).extract(source, url)
    assert unproved(result, source) == []
    return result


@pytest.mark.parametrize(
    "script",
    [
        next_data(STATE),
        f"<script>window.__INITIAL_STATE__ = {json.dumps(STATE)};</script>",
        f'<script>a=1;window["__S__"]={json.dumps(STATE)}</script>',
        f"<script>var page = {json.dumps(STATE)}, other = {{a: 1}};</script>",
        f"<script>render({json.dumps(STATE)})</script>",
        f"<script>let s = JSON.parse('{json.dumps(STATE)}')</script>",
    ],
)
def test_the_object_that_bears_the_pages_title_is_believed(script: str) -> None:
    assert extract(page(script), *FIELDS).records == [FOUND]


def test_evidence_is_a_pointer_where_the_script_is_json_else_its_text() -> None:
    pointed = extract(page(next_data(STATE)), "brand").evidence["brand"]
    assert (pointed.method, pointed.pointer, pointed.text) == ("structured", "/props/page/product/brandName", "Cauldon")
    told = extract(page(f"<script>window.s = {json.dumps(STATE)}</script>"), "brand").evidence["brand"]
    assert (told.pointer, told.text, told.xpath) == (None, "Cauldon", "/html/body/script/text()")


def test_an_object_may_bear_the_pages_address_instead() -> None:
    state = {"a": {**THING, "title": "Pot BB", "slug": "brown-betty"}, "b": OTHERS}
    url = "https://shop.example/pots/brown-betty"
    assert extract(page(next_data(state)), "gtin", "brand", url=url).records == [
        {"gtin": "4006381333931", "brand": "Cauldon"}
    ]


@pytest.mark.parametrize(
    "heading", ["Another Teapot", "Pots", "Brown Betty Teapot and everything else that we sell here"]
)
def test_objects_about_something_else_are_not(heading: str) -> None:
    assert extract(page(next_data(STATE), heading), "brand", "gtin").records == [{"brand": None, "gtin": None}]


def test_an_object_that_tells_one_thing_only_is_not_enough() -> None:
    ad = {"title": "Brown Betty Teapot", "category": "kitchen", "author": "7"}
    assert extract(page(next_data([ad])), "category", "author", "gtin").records == [
        {"category": None, "author": None, "gtin": None}
    ]


@pytest.mark.parametrize(
    ("price", "shown", "found"),
    [
        (2990, "$29.90", None),
        (2990, "$2,990", 2990),
        (2990, "$2,990.00", 2990),
        (29, "from 29 shops", 29),
        (2990, "$2,990.50", None),
        ("29.90", "", 29.9),
    ],
)
def test_cents_are_not_taken_for_a_price(price: Any, shown: str, found: float | None) -> None:
    state = {**THING, "price": price}
    body = f"<i>{shown}</i>"
    result = extract(page(next_data(state), body=body), "price:number", "gtin", "brand")
    values = {e.text for e in result.evidence.values() if e.pointer == "/price"}
    assert values == ({str(price)} if found else set())


def test_markup_comes_first() -> None:
    product = {"@type": "Product", "name": "Brown Betty Teapot", "brand": "Acme"}
    marked = f'<script type="application/ld+json">{json.dumps(product)}</script>'
    result = extract(page(marked + next_data(STATE)), "brand", "gtin")
    assert result.records == [{"brand": "Acme", "gtin": "4006381333931"}]


def test_lists_of_texts_that_the_page_does_not_show() -> None:
    state = {**THING, "materials": ["clay", "glaze"]}
    assert extract(page(next_data(state)), many(leaf(""), "materials"), "gtin", "brand").records[0]["materials"] == [
        "clay",
        "glaze",
    ]


def test_a_listing_drawn_by_a_program_is_read_from_its_state() -> None:
    edges = [{"node": {"title": f"Pot {i}", "price": {"amount": i + 0.5}, "url": f"/pot-{i}"}} for i in range(4)]
    source = page(next_data({"menu": [{"title": "A", "url": "/a"}] * 9, "edges": edges}), "Pots")
    result = Extractor(many(record("title", "price:number", "url"))).extract(source, "https://shop.example/")
    assert result.records == [
        {"title": f"Pot {i}", "price": i + 0.5, "url": f"https://shop.example/pot-{i}"} for i in range(4)
    ]
    assert result.evidence["[2].price"].pointer == "/edges/2/node/price/amount"
    assert unproved(result, source) == []


def test_state_about_other_things_than_the_page_shows_does_not_count() -> None:
    shown = "".join(f'<li><a href="/cup-{i}">Cup {i}</a> <b>${i}.20</b></li>' for i in range(1, 5))
    state = [{"title": f"Pot {i}", "price": i + 0.5, "url": f"/pot-{i}"} for i in range(4)]
    source = page(next_data(state), "Cups", f"<ul>{shown}</ul>")
    result = Extractor(many(record("title", "price:number"))).extract(source)
    assert [r["title"] for r in result.records] == [f"Cup {i}" for i in range(1, 5)]


@pytest.mark.parametrize(
    "script",
    [
        "<script>x=" + "[" * 100_000 + '"Brown Betty Teapot</script>',
        '<script>"Brown Betty Teapot";' + 'a={"b":' * 100_000 + "</script>",
        '<script>"Brown Betty Teapot";' + 'a={"b":1};' * 100_000 + "</script>",
        '<script type="application/json">{"Brown Betty Teapot": ' + "[" * 100_000 + "</script>",
        next_data([{"title": "Brown Betty Teapot", "gtin": str(i)} for i in range(50_000)]),
        f"<script>a = {json.dumps({f'k{i}': {'name': 'Brown Betty Teapot'} for i in range(20_000)})}</script>",
    ],
)
def test_hostile_scripts_cost_little(script: str) -> None:
    started = time.process_time()
    Extractor(record(*FIELDS)).extract(page(script))
    Extractor(many(record(*FIELDS))).extract(page(script))
    assert time.process_time() - started < 4
