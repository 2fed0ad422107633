from __future__ import annotations

from typing import Any

import pytest
from extraction.proof import unproved
from extraction.trees import leaf, many, record

from scraping_ai.extraction import Extractor, Result, ground
from scraping_ai.schema import FieldSchema

PAGE = """<html lang="en"><title>Red Shoe</title><h1>Red Shoe</h1>
<p>Sold by <b>Acme</b> <i>Trading</i> Co. since 1999</p><p>First seen on <span>March 3</span>, 2025 in Rome</p>
<ul><li>cat one</li><li>cat two</li></ul><p>The heel, it is 4 cm high</p><p>Sold 12,000 times</p>
<img src="/i/a.png" alt="A shoe, seen from the side"><p>“It’s great”, they say</p><p>In stock</p>
<script type="application/ld+json">{"@type": "WebPage", "slogan": "Walk on"}</script>"""


def grounded(field: FieldSchema, answer: Any, html: str = PAGE) -> Result:
    schema = FieldSchema("", "object", fields=(field,))
    url = "https://shop.example/p/1"
    result = ground(Extractor(schema).extract(html, url), {field.name: answer}, html)
    assert unproved(result, html) == []
    return result


@pytest.mark.parametrize(
    ("field", "answer", "value"),
    [
        pytest.param(leaf("merchant_note"), "Acme Trading Co.", "Acme Trading Co.", id="text over inline elements"),
        pytest.param(leaf("merchant_note"), "ACME  trading co.", "Acme Trading Co.", id="case and whitespace"),
        pytest.param(leaf("merchant_note"), "It's great", "It’s great", id="typographic marks"),
        pytest.param(leaf("merchant_note"), "a shoe, seen from the side", "A shoe, seen from the side", id="attribute"),
        pytest.param(leaf("merchant_note"), "Walk on", "Walk on", id="JSON-LD"),
        pytest.param(leaf("first_seen", "date"), "2025-03-03", "2025-03-03", id="date"),
        pytest.param(leaf("first_seen", "datetime"), "2025-03-03T00:00:00", "2025-03-03", id="date and time"),
        pytest.param(leaf("times_sold", "integer"), 12000, 12000, id="number with separator"),
        pytest.param(leaf("heel", "number"), 4.0, 4, id="small number beside its name"),
        pytest.param(
            leaf("photo_link", "url"), "https://shop.example/i/a.png", "https://shop.example/i/a.png", id="url"
        ),
        pytest.param(leaf("photo_link", "url"), "/i/a.png", "https://shop.example/i/a.png", id="relative url"),
        pytest.param(leaf("kind", enum=("cat one", "dog")), "cat one", "cat one", id="enum"),
        pytest.param(many(leaf(""), "kinds"), ["cat two", "cat one"], ["cat two", "cat one"], id="list"),
    ],
)
def test_an_answer_that_stands_in_the_page_joins(field: FieldSchema, answer: Any, value: Any) -> None:
    result = grounded(field, answer)
    assert result.records[0][field.name] == value
    assert result.ungrounded == 0
    assert result.missing == []
    assert {e.method for e in result.evidence.values()} == {"llm"}


@pytest.mark.parametrize(
    ("field", "answer"),
    [
        (leaf("merchant_note"), "invented"),
        (leaf("merchant_note"), "Acm"),
        (leaf("merchant_note"), "2"),
        (leaf("first_seen", "date"), "2025-03-04"),
        (leaf("times_sold", "integer"), 1200),
        (leaf("depth", "number"), 4),
        (leaf("waterproof", "boolean"), True),
        (leaf("photo_link", "url"), "https://elsewhere.example/i/a.png"),
        (leaf("kind", enum=("cat one", "dog")), "dog"),
    ],
)
def test_an_answer_that_does_not_is_dropped_and_counted(field: FieldSchema, answer: Any) -> None:
    result = grounded(field, answer)
    assert result.records == [{field.name: None}]
    assert result.ungrounded == 1
    assert result.missing == [field.name]


@pytest.mark.parametrize(
    ("field", "answer"),
    [
        (leaf("merchant_note"), 5),
        (leaf("merchant_note"), None),
        (leaf("merchant_note"), ""),
        (leaf("merchant_note"), {"a": 1}),
        (leaf("times_sold", "integer"), "12000"),
        (leaf("times_sold", "integer"), True),
        (leaf("waterproof", "boolean"), "yes"),
        (many(leaf(""), "kinds"), "cat one"),
        (record("a", name="box"), ["cat one"]),
    ],
)
def test_an_answer_of_the_wrong_type_is_ignored(field: FieldSchema, answer: Any) -> None:
    result = grounded(field, answer)
    assert result.records == [{field.name: None}]
    assert result.ungrounded == 0


def test_list_items_that_do_not_stand_there_are_dropped_one_by_one() -> None:
    result = grounded(many(leaf(""), "kinds"), ["cat two", "cat three", 7, "cat one"])
    assert result.records == [{"kinds": ["cat two", "cat one"]}]
    assert result.ungrounded == 1
    assert result.evidence["kinds[1]"].text == "cat one"


def test_a_proved_value_is_never_replaced_and_the_first_result_stays_as_it_was() -> None:
    first = Extractor(record("title", "merchant_note")).extract(PAGE)
    second = ground(first, {"title": "cat one", "merchant_note": "cat two", "extra": "cat one"}, PAGE)
    assert second.records == [{"title": "Red Shoe", "merchant_note": "cat two"}]
    assert first.records == [{"title": "Red Shoe", "merchant_note": None}]
    assert first.missing == ["merchant_note"]


def test_nested_answers() -> None:
    schema = record(record("name", "town", name="maker"), many(record("word", "spoken:boolean"), "quotes"))
    result = ground(
        Extractor(schema).extract(PAGE),
        {"maker": {"town": "Rome", "name": "Nobody"}, "quotes": [{"word": "great"}, {"word": "x y"}]},
        PAGE,
    )
    assert result.records == [{"maker": {"name": None, "town": "Rome"}, "quotes": [{"word": "great", "spoken": None}]}]
    assert result.ungrounded == 2
    assert unproved(result, PAGE) == []


LIST = "<h1>Shoes</h1><div><b>Red</b> <i>20.50 cm</i></div><div><b>Blue</b> <i>30.99 cm</i></div>"


def test_records_of_a_listing() -> None:
    schema = many(record("colour", "width:number"))
    answers = [{"colour": "Red", "width": 20.5}, {"colour": "Green"}, {"colour": "Blue", "width": 30.99}, "rubbish"]
    result = ground(Extractor(schema).extract(LIST), answers, LIST)
    assert result.records == [{"colour": "Red", "width": 20.5}, {"colour": "Blue", "width": 30.99}]
    assert result.evidence["[1].width"].text == "30.99"
    assert result.ungrounded == 1
    assert unproved(result, LIST) == []


def test_answers_find_the_record_they_agree_with() -> None:
    items = [f'{{"@type": "Product", "name": "{n}", "offers": {{"price": 1}}}}' for n in ("Red", "Blue")]
    html = f'<script type="application/ld+json">[{",".join(items)}]</script><p>cold</p><p>warm</p>'
    result = ground(
        Extractor(many(record("title", "mood"))).extract(html),
        [{"title": "blue", "mood": "cold"}, {"title": "x", "mood": "warm"}],
        html,
    )
    assert result.records == [{"title": "Red", "mood": None}, {"title": "Blue", "mood": "cold"}]
    assert result.missing == ["[0].mood"]


@pytest.mark.parametrize("answers", [None, [], "text", 5, {"title": None}, [[]], {"quotes": [[[]]]}])
def test_replies_that_are_no_answers_change_nothing(answers: Any) -> None:
    for schema in (record("merchant_note"), many(record("merchant_note"))):
        first = Extractor(schema).extract(PAGE)
        second = ground(first, answers, PAGE)
        assert second.missing == first.missing
        assert second.ungrounded == 0


def test_a_page_that_cannot_be_read_grounds_nothing() -> None:
    first = Extractor(record("title")).extract(b"%PDF-1.4")
    assert ground(first, {"title": "PDF"}, b"%PDF-1.4") is first
