"""What structured data says, asked through the extractor: each value with evidence that leads back to it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from extraction.proof import unproved
from extraction.trees import leaf, many, record

from scraping_ai.extraction import Extractor, Result
from scraping_ai.schema import FieldSchema

PRODUCT = record(
    "title", "price:number", "currency", "sku", "brand", leaf("availability", enum=("InStock", "OutOfStock"))
)


def jsonld(*data: Any) -> str:
    scripts = (d if isinstance(d, str) else json.dumps(d) for d in data)
    return "<html><body>" + "".join(f'<script type="application/ld+json">{s}</script>' for s in scripts)


def extract(schema: FieldSchema, html: str, url: str = "https://shop.example/p/1") -> Result:
    result = Extractor(schema).extract(html, url)
    assert unproved(result, html) == []
    return result


OFFER = {"@type": "Offer", "price": "19.90", "priceCurrency": "EUR", "availability": "https://schema.org/InStock"}
SHOE = {"@type": "Product", "name": "Shoe", "sku": "S-1", "brand": {"@type": "Brand", "name": "Acme"}, "offers": OFFER}
VALUES = {"title": "Shoe", "price": 19.9, "currency": "EUR", "sku": "S-1", "brand": "Acme", "availability": "InStock"}


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(SHOE, id="object"),
        pytest.param([{"@type": "WebSite", "name": "Shop"}, SHOE], id="array"),
        pytest.param(
            {"@context": "https://schema.org", "@graph": [{"@type": "Organization", "name": "Shop"}, SHOE]}, id="graph"
        ),
        pytest.param({"@type": "WebPage", "name": "Shoe at Shop", "mainEntity": SHOE}, id="main entity"),
        pytest.param({**SHOE, "@type": ["Product", "Thing"]}, id="two types"),
        pytest.param({**SHOE, "@type": "http://schema.org/Product"}, id="type as URL"),
        pytest.param({**SHOE, "offers": [OFFER]}, id="offers in an array"),
        pytest.param({**SHOE, "brand": "Acme"}, id="brand as text"),
        pytest.param(
            {**SHOE, "offers": {"@type": "AggregateOffer", "offers": [OFFER], "lowPrice": 19.9}}, id="aggregate"
        ),
        pytest.param({**SHOE, "sku": {"@value": "S-1"}}, id="value object"),
        pytest.param(
            {
                "@graph": [
                    {**SHOE, "brand": {"@id": "#b"}, "offers": {"@id": "#o"}},
                    {"@id": "#b", "@type": "Brand", "name": "Acme"},
                    {"@id": "#o", **OFFER},
                ]
            },
            id="references",
        ),
        pytest.param({**SHOE, "isRelatedTo": [{**SHOE, "name": "Sock", "sku": "S-2"}]}, id="a related product"),
    ],
)
def test_jsonld_in_the_forms_that_sites_use(data: Any) -> None:
    result = extract(PRODUCT, jsonld(data))
    assert result.records == [VALUES]
    assert {e.method for e in result.evidence.values()} == {"structured"}
    assert all(e.pointer is not None and e.xpath.endswith("/text()") for e in result.evidence.values())
    assert result.missing == []


def test_jsonld_that_needed_repair_has_evidence_without_pointer() -> None:
    result = extract(PRODUCT, jsonld(json.dumps(SHOE)[:-1] + ",}"))
    assert result.records == [VALUES]
    assert all(e.pointer is None for e in result.evidence.values())


def test_numbers_keep_the_form_they_are_written_in_json() -> None:
    result = extract(PRODUCT, jsonld({**SHOE, "offers": {**OFFER, "price": 19.90}}))
    assert result.records[0]["price"] == 19.9
    assert result.evidence["price"].text == "19.9"
    assert result.evidence["price"].pointer == "/offers/price"


def test_references_in_a_circle_end() -> None:
    circle = [
        {"@id": "#a", "@type": "Product", "name": "Shoe", "brand": {"@id": "#b"}},
        {"@id": "#b", "name": "Acme", "maker": {"@id": "#a"}},
    ]
    assert extract(PRODUCT, jsonld({"@graph": circle})).records[0]["brand"] == "Acme"


def test_the_product_that_the_title_names_is_meant() -> None:
    html = "<title>Sock</title>" + jsonld(SHOE, {**SHOE, "name": "Sock", "sku": "S-2"})
    assert extract(PRODUCT, html).records[0]["sku"] == "S-2"


def test_a_product_with_one_variant_left_can_be_bought() -> None:
    sold = {**OFFER, "availability": "https://schema.org/OutOfStock"}
    assert extract(PRODUCT, jsonld({**SHOE, "offers": [sold, OFFER]})).records[0]["availability"] == "InStock"
    assert extract(PRODUCT, jsonld({**SHOE, "offers": [sold, sold]})).records[0]["availability"] == "OutOfStock"


def test_microdata() -> None:
    html = """<body><div itemscope itemtype="https://schema.org/Product"><h1 itemprop="name"> Shoe </h1>
      <meta itemprop="sku" content="S-1">
      <span itemprop="brand" itemscope itemtype="http://schema.org/Brand"><a href="/acme" itemprop="name">Acme</a>
      </span>
      <div itemprop="offers" itemscope itemtype="https://schema.org/Offer">
      <span itemprop="price" content="19.90">19,90 &euro;</span>
      <meta itemprop="priceCurrency" content="EUR">
      <link itemprop="availability" href="https://schema.org/InStock"></div></div>"""
    result = extract(PRODUCT, html)
    assert result.records == [VALUES]
    assert result.evidence["price"].xpath.endswith("/@content")


def test_microdata_in_parts_is_one_text() -> None:
    html = """<body><div itemscope itemtype="https://schema.org/Recipe"><p>By <b itemprop="author">Ann Lee</b> and
      <b itemprop="author">Bob Day</b></p><ol>
      <li itemprop="recipeInstructions">Mix.</li>
      <li itemprop="recipeInstructions">Bake.</li></ol></div>"""
    result = extract(record("author", "instructions"), html)
    assert result.records == [{"author": "Ann Lee and Bob Day", "instructions": "Mix.\nBake."}]


def test_microdata_by_reference() -> None:
    html = """<body><p id="x" itemprop="sku">S-1</p>
      <div itemscope itemtype="https://schema.org/Product" itemref="x"><b itemprop="name">Shoe</b></div>"""
    assert extract(PRODUCT, html).records[0]["sku"] == "S-1"


def test_opengraph_and_meta_tags() -> None:
    html = """<head><meta property="og:title" content="Shoe"><meta property="product:price:amount" content="19.90">
      <meta property="product:price:currency" content="EUR"><meta property="product:availability" content="oos">
      <meta property="og:image" content="/i.png">
      <meta name="description" content="A shoe."><link rel="canonical" href="/p/1">
      <meta name="twitter:label1" content="Written by"><meta name="twitter:data1" content="Ann Lee"></head><body>"""
    schema = record("title", "price:number", "currency", "availability", "image", "description", "url:url", "author")
    assert extract(schema, html).records == [
        {
            "title": "Shoe",
            "price": 19.9,
            "currency": "EUR",
            "availability": "OutOfStock",
            "image": "https://shop.example/i.png",
            "description": "A shoe.",
            "url": "https://shop.example/p/1",
            "author": "Ann Lee",
        }
    ]


RECIPE = {
    "@type": "Recipe",
    "name": "Bread",
    "author": [{"@type": "Person", "name": "Ann Lee"}, {"@type": "Person", "name": "Bob Day"}],
    "recipeIngredient": ["500 g flour", "10 g salt", "10 g salt", ""],
    "recipeInstructions": [
        {"@type": "HowToSection", "name": "Dough", "itemListElement": [{"@type": "HowToStep", "text": "Mix."}]},
        {"@type": "HowToStep", "text": "Bake."},
    ],
    "totalTime": "PT1H30M",
    "nutrition": {"@type": "NutritionInformation", "fatContent": "2 g"},
    "aggregateRating": {"ratingValue": "4.8", "reviewCount": 12},
}


def test_lists_texts_in_parts_and_nested_values() -> None:
    schema = record(
        "author",
        many(leaf(""), "ingredients"),
        "instructions",
        "total_time:number",
        "fat_content",
        "rating:number",
        "review_count:integer",
    )
    result = extract(schema, jsonld(RECIPE))
    assert result.records == [
        {
            "author": "Ann Lee, Bob Day",
            "ingredients": ["500 g flour", "10 g salt"],
            "instructions": "Mix.\nBake.",
            "total_time": 90,
            "fat_content": "2 g",
            "rating": 4.8,
            "review_count": 12,
        }
    ]
    assert result.evidence["ingredients[1]"].pointer == "/recipeIngredient/1"
    assert result.evidence["author"].pointer == "/author"


def test_objects_in_objects_and_lists_of_objects() -> None:
    schema = record(
        "name",
        record("name", "url:url", name="brand"),
        many(record("price:number", "priceCurrency", "seller"), "offers"),
        record("phone", name="store"),
    )
    offers = [{**OFFER, "seller": {"name": "A"}}, {**OFFER, "price": "21", "seller": {"name": "B"}}]
    result = extract(schema, jsonld({**SHOE, "offers": offers}))
    assert result.records == [
        {
            "name": "Shoe",
            "brand": {"name": "Acme", "url": None},
            "offers": [
                {"price": 19.9, "priceCurrency": "EUR", "seller": "A"},
                {"price": 21, "priceCurrency": "EUR", "seller": "B"},
            ],
            "store": None,
        }
    ]
    assert result.missing == ["brand.url", "store.phone"]
    assert {"brand.name", "offers[0].price", "offers[1].seller"} <= set(result.evidence)


def test_properties_named_in_pairs_answer_unknown_fields() -> None:
    data = {**SHOE, "additionalProperty": [{"@type": "PropertyValue", "name": "Heel height", "value": "4 cm"}]}
    assert extract(record("title", "heel_height"), jsonld(data)).records[0]["heel_height"] == "4 cm"


def test_a_root_array_gives_a_record_a_thing() -> None:
    listed = [{"@type": "ListItem", "item": {**SHOE, "name": n}} for n in ("Shoe", "Boot")]
    result = extract(many(record("title", "price:number")), jsonld({"@type": "ItemList", "itemListElement": listed}))
    assert result.records == [{"title": "Shoe", "price": 19.9}, {"title": "Boot", "price": 19.9}]
    assert result.evidence["[1].title"].text == "Boot"
    first, second = result.as_records()
    assert second.evidence["title"].text == "Boot"
    assert first.missing == second.missing == []


def test_things_besides_the_page_are_not_its_subject() -> None:
    html = "<title>News today</title><h1>News today</h1>" + jsonld(
        {"@type": "Organization", "name": "Daily", "description": "We print news."}
    )
    record_ = extract(record("title", "description"), html).records[0]
    assert record_ == {"title": "News today", "description": None}
