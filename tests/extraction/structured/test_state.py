"""State that scripts carry for a page's own program."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from extraction.proof import unproved
from extraction.trees import leaf, many, record

from scraping_ai.extraction import Document, Extractor, Result
from scraping_ai.extraction.structured.state import State

THING: dict[str, Any] = {
    "id": 7,
    "title": "Brown Betty Teapot",
    "fabric": "Cauldon",
    "glaze_kind": "salt 1300",
    "price": {"amount": 29.9, "currencyCode": "GBP"},
    "images": [{"src": "/a.jpg"}, {"src": "/b.jpg"}],
    "type": "pot",
}
OTHERS = [{**THING, "title": name, "glaze_kind": "ash 1200", "fabric": "Other"} for name in ("Blue Cup", "Red Plate")]
STATE = {"props": {"menu": [{"title": "Pots", "url": "/pots"}], "related": OTHERS, "page": {"product": THING}}}
FIELDS = ("title", "fabric", "glaze_kind", "price:number", "currency")
FOUND = {
    "title": "Brown Betty Teapot",
    "fabric": "Cauldon",
    "glaze_kind": "salt 1300",
    "price": 29.9,
    "currency": "GBP",
}


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
    pointed = extract(page(next_data(STATE)), "fabric").evidence["fabric"]
    assert (pointed.method, pointed.pointer, pointed.text) == ("structured", "/props/page/product/fabric", "Cauldon")
    told = extract(page(f"<script>window.s = {json.dumps(STATE)}</script>"), "fabric").evidence["fabric"]
    assert (told.pointer, told.text, told.xpath) == (None, "Cauldon", "/html/body/script/text()")


def test_an_object_may_bear_the_pages_address_instead() -> None:
    state = {"a": {**THING, "title": "Pot BB", "slug": "brown-betty"}, "b": OTHERS}
    url = "https://shop.example/pots/brown-betty"
    assert extract(page(next_data(state)), "glaze_kind", "fabric", url=url).records == [
        {"glaze_kind": "salt 1300", "fabric": "Cauldon"}
    ]


@pytest.mark.parametrize(
    "heading", ["Another Teapot", "Pots", "Brown Betty Teapot and everything else that we sell here"]
)
def test_objects_about_something_else_are_not(heading: str) -> None:
    assert extract(page(next_data(STATE), heading), "fabric", "glaze_kind").records == [
        {"fabric": None, "glaze_kind": None}
    ]


def test_an_object_that_tells_one_thing_only_is_not_enough() -> None:
    ad = {"title": "Brown Betty Teapot", "category": "kitchen", "author": "7"}
    assert extract(page(next_data([ad])), "category", "author", "glaze_kind").records == [
        {"category": None, "author": None, "glaze_kind": None}
    ]


@pytest.mark.parametrize(
    ("price", "shown", "is_price"),
    [
        (2990, "$29.90", False),
        (2990, "$2,990", True),
        (2990, "$2,990.00", True),
        (2990, "from 2990 on", True),
        (2990, "$2,990.50", False),
        (29.9, "", True),
    ],
)
def test_cents_are_not_taken_for_a_price(price: float, shown: str, is_price: bool) -> None:
    source = page(next_data({**THING, "price": price}), body=f"<i>{shown}</i>")
    assert (extract(source, "price:number", "glaze_kind", "fabric").records[0]["price"] == price) is is_price


def test_a_key_padded_with_zeros_is_not_what_the_shop_calls_a_thing() -> None:
    document = Document(page(next_data({**THING, "sku": "00000123"})))
    thing = State(document, record("sku", "glaze_kind", "fabric"), [THING["title"]], lambda _: True).thing()
    assert thing is not None
    assert set(thing.properties) == {"fabric", "glaze_kind"}


def test_markup_comes_first() -> None:
    product = {"@type": "Product", "name": "Brown Betty Teapot", "fabric": "Acme"}
    marked = f'<script type="application/ld+json">{json.dumps(product)}</script>'
    result = extract(page(marked + next_data(STATE)), "fabric", "glaze_kind")
    assert result.records == [{"fabric": "Acme", "glaze_kind": "salt 1300"}]


def test_lists_of_texts_that_the_page_does_not_show() -> None:
    state = {**THING, "materials": ["clay", "glaze"]}
    assert extract(page(next_data(state)), many(leaf(""), "materials"), "glaze_kind", "fabric").records[0][
        "materials"
    ] == [
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
        next_data([{"title": "Brown Betty Teapot", "glaze_kind": str(i)} for i in range(50_000)]),
        f"<script>a = {json.dumps({f'k{i}': {'name': 'Brown Betty Teapot'} for i in range(20_000)})}</script>",
    ],
)
def test_hostile_scripts_cost_little(script: str) -> None:
    started = time.process_time()
    Extractor(record(*FIELDS)).extract(page(script))
    Extractor(many(record(*FIELDS))).extract(page(script))
    assert time.process_time() - started < 4


def test_no_and_zero_are_answers_where_they_may_be_meant() -> None:
    thing = {**THING, "inStock": False, "dishwasher_safe": False, "reviewCount": 0, "fabric": False, "stock": 12}
    found = extract(
        page(next_data({"product": thing})),
        "in_stock:boolean",
        "dishwasher_safe:boolean",
        "review_count:integer",
        "fabric",
    )
    expected = {"in_stock": False, "dishwasher_safe": False, "review_count": 0, "fabric": None}
    assert found.records == [expected]


def test_the_key_of_a_fields_very_name_is_its_answer() -> None:
    thing = {**THING, "salt:kind": "sea", "salt_kind": "rock"}
    schema = record(leaf("fabric"), leaf("salt_kind"), leaf("salt:kind"))
    assert Extractor(schema).extract(page(next_data({"product": thing}))).records == [
        {"fabric": "Cauldon", "salt_kind": "rock", "salt:kind": "sea"}
    ]
