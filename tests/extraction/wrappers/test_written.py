from __future__ import annotations

import json
import time
from typing import Any

import pytest
from extraction.wrappers.shop import CHAIR, SCHEMA, VASE, example, page

from scraping_ai.extraction import wrappers
from scraping_ai.extraction.wrappers import WrapperError

URL = "https://shop.example/9"


def written(**rule: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"title": {"type": "string"}}}
    return {"version": 1, "schema": schema, "fields": {"title": {"rules": [rule]}}}


def test_a_person_can_write_a_rule() -> None:
    html = "<div class=x><p>no</p></div><div id=main><p class='lead big'>by Ann on Monday</p></div>"
    wrapper = wrappers.from_dict(written(element="p.lead", below="div#main", after="by", before="on"))
    assert wrapper.apply(html).records == [{"title": "Ann"}]


@pytest.mark.parametrize(
    ("rule", "line"),
    [
        ({}, 'fields, title, rule 1: needs a "label", an "element" or a "path"'),
        ({"element": "//p"}, "is no step"),
        ({"element": "p[onclick"}, "is no step"),
        ({"element": "p:999"}, "is no step"),
        ({"path": ["p"] * 81}, "of 1 to 80 steps"),
        ({"label": 3}, '"label" must be a text'),
        ({"label": "x", "take": "text()"}, '"take" is'),
        ({"label": "x", "offset": 10**9}, '"offset" must be a whole number'),
        ({"label": "x", "wieght": 2}, "fields, title, rule 1: unknown 'wieght'; there may be after, before"),
        ({"label": "x", "index": 2}, "unknown 'index'; there may be"),
        ({"element": "p", "xpath": "//p"}, "unknown 'xpath'; there may be"),
        ({"label": "x", "weight": True}, '"weight" must be a number'),
        ({"label": "x", "after": "y" * 41}, '"after" must be a text of at most 40'),
    ],
)
def test_rules_that_cannot_be_used_are_refused_in_one_line(rule: dict[str, Any], line: str) -> None:
    with pytest.raises(WrapperError) as error:
        wrappers.from_dict(written(**rule))
    assert line in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "wrapper",
    [
        None,
        [],
        {},
        {"version": 2},
        {"version": 1, "schema": "{", "fields": {}},
        written() | {"fields": []},
        written() | {"fields": {"price": {"rules": []}}},
        written() | {"fields": {"title": {"rules": {}}}},
        written() | {"fields": {"title": {"rules": [1]}}},
        written() | {"fields": {"title": {"rules": [], "letters": 1}}},
        written() | {"fields": {"title": {"rules": [], "lables": []}}},
        written() | {"fields": {"title": {"rules": [], "labels": "x"}}},
        written() | {"fields": {"title": {"rules": [], "units": [1]}}},
        written() | {"name": "x"},
    ],
)
def test_what_is_no_wrapper_is_refused(wrapper: Any) -> None:
    with pytest.raises(WrapperError):
        wrappers.from_dict(wrapper)


def test_the_text_of_a_wrapper_has_a_rule_a_line() -> None:
    wrapper = wrappers.learn(SCHEMA, [example(CHAIR), example(VASE)])
    text = wrapper.to_json()
    assert wrappers.from_dict(json.loads(text)) == wrapper
    rules = [rule for entry in wrapper.to_dict()["fields"].values() for rule in entry["rules"]]
    lines = [line.strip().removesuffix(",") for line in text.splitlines() if line.startswith("   {")]
    assert [json.loads(line) for line in lines] == rules


def test_names_with_marks_in_them_survive() -> None:
    html = '<div class="md:flex w-1/2 a.b" id="x y"><p id="a#b">one</p></div>'
    wrapper = wrappers.learn("title", [(html, URL, {"title": "one"})])
    back = wrappers.from_dict(json.loads(json.dumps(wrapper.to_dict())))
    assert back.apply(html.replace("one", "two")).records == [{"title": "two"}]


def test_a_large_page_costs_linear_time() -> None:
    wrapper = wrappers.from_dict(wrappers.learn(SCHEMA, [example(CHAIR), example(VASE)]).to_dict())
    for filler in ("<p>Price</p>", "<div id=main>", "<table><tr><td>", "by ", "<i>x</i>", "<ul class=tags><li>a"):
        started = time.process_time()
        wrapper.apply(page(VASE, advert=filler * 20_000), URL)
        assert time.process_time() - started < 5
