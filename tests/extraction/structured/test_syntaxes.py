"""Corners of the syntaxes that pages use."""

from __future__ import annotations

from typing import Any

import pytest
from extraction.proof import unproved
from extraction.trees import leaf, many, record

from scraping_ai.extraction import Extractor


def extract(page: str, *fields: Any) -> list[dict[str, Any]]:
    page = f"<html><body>{page}</body></html>"
    result = Extractor(record(*fields)).extract(page, "https://a.example/")
    assert unproved(result, page) == []
    return result.records


def script(json: str) -> str:
    return f'<script type="application/ld+json">{json}</script>'


PRODUCT = '{"@type": "Product", "name": "Pot", "sku": "P-1"}'


@pytest.mark.parametrize(
    "source",
    [
        f"// what we sell\n{PRODUCT}",
        f"<!-- what we sell -->\n{PRODUCT}",
        f"<!--\n{PRODUCT}\n-->",
        f"//<![CDATA[\n{PRODUCT}\n//]]>",
        f"/* <![CDATA[ */ {PRODUCT} /* ]]> */",
        f"/* what we sell */ {PRODUCT}",
        '{"@type": "Product", "name": "Pot", "sku": "P-1", /* "sku": "X" */ }',
    ],
)
def test_comments_around_json_are_forgiven(source: str) -> None:
    assert extract(script(source), "sku") == [{"sku": "P-1"}]


def test_containers_are_read_through() -> None:
    data = (
        '{"@type": "Recipe", "name": {"@value": "Pie", "@language": "en"}, "recipeIngredient": {"@list": ["a", "b"]}}'
    )
    assert extract(script(data), "name", many(leaf(""), "ingredients")) == [{"name": "Pie", "ingredients": ["a", "b"]}]


def test_what_holds_a_thing_may_stand_inside_it() -> None:
    article = '{"@type": "Article", "headline": "On pots", "keywords": "k"}'
    data = '{"@type": "Person", "name": "Ann", "@reverse": {"author": ' + article + "}}"
    assert extract(script(data), "headline", "author", "keywords") == [
        {"headline": "On pots", "author": "Ann", "keywords": "k"}
    ]


def test_items_of_microdata_share_what_they_refer_to() -> None:
    page = """<p id="shop" itemprop="brand">Acme</p>
    <p id="offer" itemprop="offers" itemscope><i itemprop="price">5</i></p>
    <div itemscope itemtype="https://schema.org/Product" itemref="shop offer none"><b itemprop="name">One</b></div>
    <div itemscope itemtype="https://schema.org/Product" itemref="shop offer"><b itemprop="name">Two</b></div>"""
    result = Extractor(many(record("title", "brand", "price:number"))).extract(f"<html><body>{page}</body></html>")
    assert result.records == [{"title": n, "brand": "Acme", "price": 5} for n in ("One", "Two")]


@pytest.mark.parametrize(
    ("element", "value"),
    [
        ('<meta itemprop="sku" content="A-1">', "A-1"),
        ('<data itemprop="sku" value="A-1">one</data>', "A-1"),
        ('<meter itemprop="sku" value="3">three</meter>', "3"),
        ('<time itemprop="sku" datetime="2025">now</time>', "2025"),
        ('<link itemprop="sku" href="A-1">', "A-1"),
        ('<span itemprop="sku"><b>A</b>-1</span>', "A-1"),
    ],
)
def test_values_of_microdata_by_element(element: str, value: str) -> None:
    page = f'<div itemscope itemtype="https://schema.org/Product"><b itemprop="name">Pot</b>{element}</div>'
    assert extract(page, "sku") == [{"sku": value}]


def test_an_item_that_lacks_only_its_holder_counts_unless_it_is_another_thing() -> None:
    orphan = '<div itemprop="{}" itemscope itemtype="https://schema.org/Product"><i itemprop="sku">{}</i></div>'
    assert extract(orphan.format("isRelatedTo", "X") + orphan.format("mainEntity", "A-1"), "sku") == [{"sku": "A-1"}]


def test_the_head_in_other_vocabularies() -> None:
    head = """<meta name="DC.creator" content="Ann Lee"><meta name="DCTERMS.created" content="2024-03-01">
    <meta name="twitter:label1" content="SKU"><meta name="twitter:description" content="A pot.">"""
    assert extract(head, "author", "publish_date", "description") == [
        {"author": "Ann Lee", "publish_date": "2024-03-01", "description": "A pot."}
    ]
