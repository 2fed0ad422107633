"""Pages made to cost time or memory: each ends, with whatever it proves."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from extraction.proof import unproved
from extraction.trees import leaf, many, record

from scraping_ai.extraction import Extractor, ground

SCHEMA = record("title", "price:number", "availability", "author", "publish_date", "mileage:number", "instructions")
CIRCLE = [{"@id": f"#{i}", "name": "x", "offers": [{"@id": f"#{j}"} for j in range(30)]} for i in range(30)]


def script(text: str) -> str:
    return f'<script type="application/ld+json">{text}</script>'


@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<h1>x</h1>" + "<p>hello world price: 12 USD</p>" * 330_000, id="10 MB"),
        pytest.param("<h1>x</h1><p>" + "word " * 2_000_000, id="10 MB in one text"),
        pytest.param("<div>" * 200_000, id="nested"),
        pytest.param("<span>a: b" * 10_000, id="nested labels"),
        pytest.param("<i class=price>$1</i>" * 50_000, id="siblings"),
        pytest.param("<meta content='x' property='og:title'>" * 20_000, id="meta tags"),
        pytest.param("<time datetime='2020-01-01'>1 2020 foo</time>" * 20_000, id="dates"),
        pytest.param("<div itemscope><b itemprop=name>" * 5_000 + "y" * 1_000_000, id="items"),
        pytest.param("<div itemscope>" + "<p itemprop=name>" * 1_000 + "z" * 500_000, id="nested items"),
        pytest.param(script(json.dumps({"@graph": CIRCLE})), id="references in circles"),
        pytest.param(script('{"offers":' * 100_000), id="nested JSON"),
        pytest.param(script('{"a":"' + '\\"' * 500_000), id="a string without end"),
        pytest.param(script("/*" * 500_000), id="comments"),
        pytest.param(script(json.dumps([{"name": "a", "sku": i} for i in range(9_000)])[:-1] + ",]"), id="products"),
        pytest.param(script('{"@type": "Product", "name": "a"}') * 20_000, id="scripts"),
    ],
)  # fmt: skip
def test_extraction_and_grounding_end(html: str) -> None:
    answers = {"title": "zzz", "price": 77, "publish_date": "2020-02-02", "instructions": "no such text " * 10}
    for schema, given in ((SCHEMA, answers), (many(SCHEMA), [answers])):
        result = ground(Extractor(schema).extract(html, "https://a.example/"), given, html)
        assert unproved(result, html)[:3] == []


def test_a_page_full_of_answers_gives_no_more_than_the_limits() -> None:
    data = {"@type": "Recipe", "name": "x", "recipeIngredient": [f"{i} g salt" for i in range(15_000)]}
    result = Extractor(record(many(leaf(""), "ingredients"))).extract(script(json.dumps(data)))
    assert len(result.records[0]["ingredients"]) == 1_000


MEASURE = """
import resource, sys
from scraping_ai.extraction import Extractor
unit, extractor = sys.argv[1], Extractor("title, price:number")
extractor.extract("<p>x</p>", "https://a.example/")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
html = "<h1>Cup</h1><p class=price>$4.50</p>" + unit * (9_000_000 // len(unit)) + "<h1>Cup</h1><p>$4.50</p>"
result = extractor.extract(html, "https://a.example/")
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024, result.records)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="counts bytes there")
@pytest.mark.parametrize("unit", ["<li>$5", "</p>", "<!>x", '<i a="1" b="2" c="3" d="4"/>', "<br>"])
def test_the_tree_of_a_page_of_tags_is_bounded(unit: str) -> None:
    run = subprocess.run([sys.executable, "-c", MEASURE, unit], capture_output=True, text=True, check=True, timeout=120)
    megabytes, _, records = run.stdout.partition(" ")
    assert int(megabytes) < 250
    assert records.strip() == "[{'title': 'Cup', 'price': 4.5}]"


@pytest.mark.parametrize("close", ["", "</ul></div>"])
def test_what_is_found_before_the_end_of_a_page_that_is_cut_stands_in_the_whole(close: str) -> None:
    rest = "<li>x</li>" * 200_000 + close
    html = (
        f"<div><h1>Cup</h1><p class=price>$4.50</p><ul>{rest}<h1>Mug</h1><p class=price>$9</p><ul></ul></div><div><p>x"
    )
    result = Extractor("title, price:number").extract(html, "https://a.example/")
    assert result.records == [{"title": "Cup", "price": 4.5}]
    assert unproved(result, html) == []


@pytest.mark.parametrize("attribute", ["a{}", 'a{}="1"', "a{}='1'"])
def test_an_element_of_endless_attributes_is_refused_before_it_is_parsed(attribute: str) -> None:
    html = "<p " + " ".join(map(attribute.format, range(100_000))) + ">x</p>"
    assert Extractor("title").extract(html).reason == "an element with more than 8,000 attributes"


def test_attributes_with_names_that_no_xml_has_are_read_over() -> None:
    card = '<li><a href="/{0}">Cup {0}</a><b data-price\x01="{0}">€{0}.50</b></li>'
    html = "<ul>" + "".join(map(card.format, range(1, 9))) + "</ul>"
    result = Extractor(many(record("title", "price:number"))).extract(html)
    assert [item["price"] for item in result.records] == [n + 0.5 for n in range(1, 9)]


def test_a_long_attribute_is_not_many() -> None:
    html = f"<title>Cup</title><h1>Cup</h1><p data-state='{'a = 1 ' * 20_000}'>x</p>"
    assert Extractor("title").extract(html).records == [{"title": "Cup"}]


def test_numbers_of_a_model_beyond_all_bounds_are_no_answer() -> None:
    html = "<h1>Cup</h1><p>Height: 12 cm</p>"
    result = Extractor("depth:integer").extract(html)
    assert ground(result, {"depth": 10**5_000}, html).records == [{"depth": None}]
