from __future__ import annotations

import json
import re
from typing import Any

import pytest
from extraction.proof import unproved
from extraction.wrappers.shop import CHAIR, LAMP, SCHEMA, VASE, example, page

from scraping_ai.extraction import Extractor, wrappers
from scraping_ai.extraction.wrappers import WrapperError

URL = "https://shop.example/9"
NULL = dict.fromkeys(LAMP)


def learned(*values: dict[str, Any]) -> wrappers.Wrapper:
    return wrappers.learn(SCHEMA, [example(v, number) for number, v in enumerate(values)])


def applied(wrapper: wrappers.Wrapper, html: str) -> dict[str, Any]:
    result = wrapper.apply(html, URL)
    assert unproved(result, html) == []
    assert {evidence.method for evidence in result.evidence.values()} <= {"wrapper"}
    return result.records[0]


@pytest.mark.parametrize("taught", [[LAMP, CHAIR], [CHAIR, LAMP], [CHAIR, VASE, LAMP]])
def test_a_few_examples_teach_every_kind_of_field(taught: list[dict[str, Any]]) -> None:
    wrapper = learned(*taught)
    assert wrapper.unfound == ()
    for values in (LAMP, CHAIR, VASE):
        assert applied(wrapper, page(values)) == values


def test_one_example_teaches_what_it_shows() -> None:
    assert applied(learned(CHAIR), page(VASE)) == VASE


def test_rows_and_banners_that_other_pages_have_do_not_move_what_is_found() -> None:
    html = page(
        VASE,
        advert="<div><p>Sale!</p><table><tr><td>x</td></tr></table></div>",
        rows="<tr><th>Colour</th><td>red</td></tr>",
    )
    assert applied(learned(CHAIR, LAMP), html) == VASE


@pytest.mark.parametrize("name", ["price", "weight", "in_print", "blurb"])
def test_a_value_that_the_page_lacks_stays_missing(name: str) -> None:
    result = learned(CHAIR, VASE).apply(page({**LAMP, name: None}), URL)
    assert result.records[0][name] is None
    assert name in result.missing
    assert name not in result.evidence


def test_a_rule_that_fires_where_an_example_has_nothing_is_dropped() -> None:
    def shown(subtitle: str, price: str) -> str:
        return f"<div id=m><p>{subtitle}</p><p>{price}</p></div>"

    html = [shown("A tale", "$3"), "<div id=m><p>Only online</p><p>$4</p><p>new</p></div>"]
    values = [{"subtitle": "A tale"}, {"subtitle": None}]
    examples = [(h, URL, v) for h, v in zip(html, values, strict=True)]
    wrapper = wrappers.learn("subtitle", examples)
    assert wrapper.apply(html[1], URL).records == [{"subtitle": None}]


def test_the_place_that_holds_the_value_on_all_examples_is_meant() -> None:
    def shown(old: str, new: str) -> str:
        return f"<p class=a>${old}</p><p class=b>${new}</p>"

    examples = [(shown("5", "5"), URL, {"price": 5}), (shown("9", "7"), URL, {"price": 7})]
    assert wrappers.learn("price:number", examples).apply(shown("3", "2"), URL).records == [{"price": 2}]


def test_the_label_that_names_the_field_is_meant_when_one_example_leaves_it_open() -> None:
    def shown(pages: int, year: int) -> str:
        return f"<dl><dt>Pages</dt><dd>{pages}</dd><dt>Year</dt><dd>{year}</dd></dl>"

    wrapper = wrappers.learn("year:integer", [(shown(2008, 2008), URL, {"year": 2008})])
    assert wrapper.apply(shown(96, 2011), URL).records == [{"year": 2011}]


def test_a_text_of_several_lines_is_told_by_its_form() -> None:
    def shown(*lines: str) -> str:
        return f"<table><tr><td id=address>{'<br>'.join(lines)}</td></tr></table>"

    taught = (shown("Main office", "1 High Street", "Ely", "(325) 674-2000"), URL, {"phone": "(325) 674-2000"})
    html = shown("Main office", "Annexe", "2 Low Road", "Floor 4", "Rye", "(517) 265-5161")
    assert wrappers.learn("phone", [taught]).apply(html, URL).records == [{"phone": "(517) 265-5161"}]


def test_words_are_no_value_of_a_field_that_had_none_of_them() -> None:
    def shown(first: str, second: str) -> str:
        return f"<p class=a>{first}</p><p class=b>{second}</p>"

    wrapper = wrappers.learn("code", [(shown("12-345-6", "new"), URL, {"code": "12-345-6"})])
    assert wrapper.apply(shown("77-888-9 x4", "old"), URL).records == [{"code": "77-888-9 x4"}]
    assert wrapper.apply(shown("Out of stock", "old"), URL).records == [{"code": None}]


def test_a_label_in_the_plural_is_the_same_label() -> None:
    def shown(label: str, names: str) -> str:
        return f"<div><h4>{label}</h4><a>{names}</a></div>"

    wrapper = wrappers.learn("drawn_by", [(shown("Director:", "Ann"), URL, {"drawn_by": "Ann"})])
    assert wrapper.apply("<div>Ads</div>" + shown("Directors:", "Bo"), URL).records == [{"drawn_by": "Bo"}]


def test_attributes_and_nested_fields_are_learned() -> None:
    schema = {
        "type": "object",
        "properties": {
            "image": {"type": "string", "format": "uri"},
            "brand": {"type": "object", "properties": {"name": {"type": "string"}}},
        },
    }

    def shown(image: str, brand: str) -> str:
        return f'<div id=p><img class=big src="/{image}.png"><span class=brand title="{brand}"></span></div>'

    values = {"image": "https://shop.example/one.png", "brand": {"name": "Acme"}}
    found = wrappers.learn(schema, [(shown("one", "Acme"), URL, values)]).apply(shown("two", "Bolt"), URL)
    assert found.records == [{"image": "https://shop.example/two.png", "brand": {"name": "Bolt"}}]
    assert unproved(found, shown("two", "Bolt")) == []


def test_a_value_that_stands_nowhere_is_named_and_teaches_nothing() -> None:
    wrong = {**CHAIR, "weight": "a ton"}
    wrapper = wrappers.learn(SCHEMA, [(page(CHAIR), URL, wrong), example(VASE)])
    assert wrapper.unfound == ((URL, "weight"),)
    assert applied(wrapper, page(LAMP))["weight"] == "2 kg"


def test_a_field_left_out_of_an_example_says_nothing() -> None:
    partly = {name: value for name, value in CHAIR.items() if name != "weight"}
    wrapper = wrappers.learn(SCHEMA, [example(VASE), (page(CHAIR), URL, partly)])
    assert applied(wrapper, page(LAMP))["weight"] == "2 kg"


def test_a_page_of_another_template_gives_nothing() -> None:
    found = learned(CHAIR, VASE).apply("<html><body><h2>About us</h2><p>Since 1990.</p></body></html>", URL)
    assert found.records == [NULL]


def test_a_page_that_cannot_be_read_says_why() -> None:
    assert learned(CHAIR).apply(b"%PDF-1.4", URL).reason == "not HTML: PDF"


def test_json_and_back_is_the_same_wrapper() -> None:
    wrapper = learned(CHAIR, VASE)
    back = wrappers.from_dict(json.loads(json.dumps(wrapper.to_dict())))
    assert back == wrapper
    assert applied(back, page(LAMP)) == LAMP


@pytest.mark.parametrize(
    ("examples", "line"),
    [
        ([], "0 examples; give 1 to 50"),
        ([("", URL, {"title": "x"})], "empty body"),
        ([("<p>x</p>", URL, {"titel": "x"})], "no field 'titel' in the schema; it has title, price"),
        ([("<p>x</p>", URL, {"title": {"a": 1}})], "example 1: title: .*; write one text or number, or null"),
        ([("<p>x</p>", URL, [])], "example 1: values are no object of fields"),
    ],
)
def test_examples_that_cannot_be_used_are_refused_in_one_line(examples: list[Any], line: str) -> None:
    with pytest.raises(WrapperError, match=line):
        wrappers.learn("title, price:number", examples)


def test_a_listing_has_no_wrapper() -> None:
    schema = {"type": "array", "items": {"type": "object", "properties": {"title": {"type": "string"}}}}
    with pytest.raises(WrapperError, match="one record a page"):
        wrappers.learn(schema, [("<p>x</p>", URL, {"title": "x"})])


def test_what_was_learned_comes_before_structured_data_and_their_disagreement_is_told() -> None:
    def shown(price: int) -> str:
        offer = (
            '<script type="application/ld+json">{"@type": "Product", "name": "Pot", "offers": {"price": 99}}</script>'
        )
        return f"{offer}<div id=buy><p>Pot</p><b class=now>${price}</b></div>"

    wrapper = wrappers.learn("price:number", [(shown(20), URL, {"price": 20}), (shown(30), URL, {"price": 30})])
    result = Extractor("price:number, title", wrapper=wrapper, compare=True).extract(shown(25), URL)
    assert result.records == [{"price": 25, "title": "Pot"}]
    assert {path: evidence.method for path, evidence in result.evidence.items()} == {
        "price": "wrapper",
        "title": "structured",
    }
    assert [(value, evidence.method) for value, evidence in result.disagreements["price"]] == [(99, "structured")]


def test_heuristics_do_not_guess_where_learned_rules_are_silent() -> None:
    other = "<dl><dt>Weight</dt><dd>3 kg</dd></dl></body>"
    html = page({**LAMP, "weight": None}).replace("</body>", other)
    assert Extractor(SCHEMA).extract(html, URL).records[0]["weight"] == "3 kg"
    result = Extractor(SCHEMA, wrapper=learned(CHAIR, VASE)).extract(html, URL)
    assert result.records[0] == {**LAMP, "weight": None}
    assert unproved(result, html) == []


def test_a_wrapper_works_with_markup_alone() -> None:
    result = Extractor(SCHEMA, methods=["structured"], wrapper=learned(CHAIR, VASE)).extract(page(LAMP), URL)
    assert result.records == [LAMP]


PAGE = "<h1>Desk lamp</h1>"


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ({"titel": "Desk lamp"}, "no field 'titel' in the schema; it has title, tags, brand"),
        ({"brand.name": "Oak"}, 'it has title, tags, brand; write {"brand": {"name": ...}}'),
        ({"brand": {"nmae": "Oak"}}, "no field 'brand.nmae' in the schema; it has name"),
        ({"brand": "Oak"}, "brand: 'Oak'; write an object of name, or null"),
        ({"tags": '["lamp", "desk"]'}, 'tags: \'["lamp", "desk"]\' is a list in a text; write the list itself'),
    ],
)
def test_values_of_another_shape_are_told_with_what_to_write(values: Any, line: str) -> None:
    brand = {"type": "object", "properties": {"name": {"type": "string"}}}
    tags = {"type": "array", "items": {"type": "string"}}
    schema = {"type": "object", "properties": {"title": {"type": "string"}, "tags": tags, "brand": brand}}
    with pytest.raises(WrapperError, match=re.escape(f"example 1: {line}" if line[0] != "i" else line)):
        wrappers.learn(schema, [(PAGE, "https://a.example/", values)])


@pytest.mark.parametrize("examples", [None, "examples.jsonl", {"url": "https://a.example/", "values": {}}])
def test_what_is_no_list_of_examples_is_told(examples: Any) -> None:
    with pytest.raises(WrapperError, match=r"^examples are a .*; write a list of \(html, url, values\) triples$"):
        wrappers.learn("title", examples)


@pytest.mark.parametrize(
    ("example", "line"),
    [
        ((PAGE, {"title": "Desk lamp"}), "example 1: no triple; write (html, url, values)"),
        (PAGE, "example 1: no triple"),
        (("https://a.example/", PAGE, {}), "example 1: html and url are swapped"),
        ((PAGE, {"title": "Desk lamp"}, "https://a.example/"), "example 1: str and dict; write"),
        ((PAGE, "https://a.example/", "Desk lamp"), "example 1: values are no object"),
    ],
)
def test_what_is_no_example_is_told_in_one_line(example: Any, line: str) -> None:
    with pytest.raises(WrapperError, match=re.escape(line)):
        wrappers.learn("title", [example])


def test_what_is_no_wrapper_is_told_how_to_become_one() -> None:
    wrapper = wrappers.learn("title", [(PAGE, "https://a.example/", {"title": "Desk lamp"})])
    with pytest.raises(WrapperError, match=r"write from_dict\(json.loads\(text\)\)"):
        wrappers.from_dict(wrapper.to_json())
    with pytest.raises(ValueError, match=r"wrapper is a dict; write wrapper=wrappers.from_dict"):
        Extractor("title", wrapper=wrapper.to_dict())  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="wrapper is a list"):
        Extractor("title", wrapper=[wrapper])  # type: ignore[arg-type]
