from __future__ import annotations

import time
from typing import Any

import pytest
from extraction.proof import unproved
from extraction.trees import many, record

from scraping_ai.extraction import Document, Extractor
from scraping_ai.extraction.structured import rdfa
from scraping_ai.extraction.structured.entity import Entity


def plain(thing: Entity) -> dict[str, Any]:
    found: dict[str, Any] = {
        name: [plain(v) if isinstance(v, Entity) else v.text for v in values]
        for name, values in thing.properties.items()
    }
    return {**found, "types": thing.types} if thing.types else found


def read(body: str) -> list[dict[str, Any]]:
    return [plain(thing) for thing in rdfa.read(Document(f"<html><body>{body}</body></html>"))]


def test_a_typed_thing_with_literals_links_and_parts() -> None:
    assert read("""<div vocab="https://schema.org/" typeof="Product"><h2 property="name"> Pot </h2>
        <a property="url" href="/pot">more</a> <img property="image" src="p.jpg">
        <p property="offers" typeof="Offer">for <b property="price" content="9.50">9,50</b> until
        <time property="validThrough" datetime="2025-01-02">January</time></p></div>""") == [
        {
            "types": ("Product",),
            "name": ["Pot"],
            "url": ["/pot"],
            "image": ["p.jpg"],
            "offers": [{"types": ("Offer",), "price": ["9.50"], "validThrough": ["2025-01-02"]}],
        }
    ]


def test_prefixed_names_lose_their_prefix() -> None:
    assert read('<div about="/node/1" typeof="sioc:Item foaf:Document"><h2 property="dc:title">A</h2></div>') == [
        {"types": ("Item", "Document"), "title": ["A"]}
    ]


def test_a_thing_that_is_named_again_goes_on() -> None:
    assert read("""<p about="#a" typeof="foaf:Person"><i property="foaf:name">Ann</i></p>
        <p resource="#a"><i property="foaf:nick">An</i></p>""") == [
        {"types": ("Person",), "name": ["Ann"], "nick": ["An"]}
    ]


def test_relations_lead_to_things_addresses_or_what_stands_below() -> None:
    assert read("""<div typeof="v:Review"><span rel="v:itemreviewed">
        <span typeof="v:Product"><b property="v:name">Pot</b></span></span> <a rel="v:url" href="/r">r</a>
        <span rel="v:rating" typeof="v:Rating"><i property="v:average">4</i></span>
        <a rel="nofollow" href="/n">n</a></div>""") == [
        {
            "types": ("Review",),
            "itemreviewed": [{"types": ("Product",), "name": ["Pot"]}],
            "url": ["/r"],
            "rating": [{"types": ("Rating",), "average": ["4"]}],
        }
    ]


def test_what_says_neither_type_nor_vocabulary_is_left_to_opengraph() -> None:
    assert read('<p property="og:title" content="A"></p>') == []
    page = (
        '<html><head><meta property="og:title" content="A"></head><body><p typeof="T"><i property="x">1</i></p></body>'
    )
    assert [plain(thing) for thing in rdfa.read(Document(page))] == [{"types": ("T",), "x": ["1"]}]


def test_values_are_proved_and_lists_come_in_page_order() -> None:
    things = "".join(
        f'<li typeof="Product"><b property="name">Pot {i}</b> <i property="offers" typeof="Offer">'
        f'<span property="price" content="{i}.50">?</span></i></li>'
        for i in range(3)
    )
    page = f'<html><body vocab="http://schema.org/"><ul>{things}</ul></body></html>'
    result = Extractor(many(record("title", "price:number"))).extract(page)
    assert result.records == [{"title": f"Pot {i}", "price": i + 0.5} for i in range(3)]
    assert {e.method for e in result.evidence.values()} == {"structured"}
    assert unproved(result, page) == []


@pytest.mark.parametrize(
    "body",
    [
        '<div typeof="A">' * 3000,
        '<div property="a" typeof="T">' * 2000 + "x" * 1000,
        '<p rel="a:b" typeof=""><i about="" property=""></i></p>' * 1000,
        '<p about="[_:a" resource="#" typeof="::" property=":" rel=":">x</p>',
        '<p about="#a" rel="x:y" resource="#a" typeof="T"><b property="z" resource="#a">q</b></p>' * 500,
    ],
)
def test_hostile_markup_costs_little(body: str) -> None:
    started = time.process_time()
    Extractor(record("title", "z")).extract(f"<html><body vocab='x'>{body}</body></html>")
    assert time.process_time() - started < 3
