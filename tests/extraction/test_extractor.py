from __future__ import annotations

import pytest
from extraction.proof import unproved
from extraction.trees import leaf, many, record

from scraping_ai.extraction import Document, Extractor
from scraping_ai.schema import SchemaError

PAGE = """<html lang="en"><title>Red Shoe | Shop</title><script type="application/ld+json">
{"@type": "Product", "name": "Red Shoe", "offers": {"price": "20.00"}}</script>
<h1>Red Shoe</h1><p class="price">$25.00</p><dl><dt>SKU</dt><dd>R-1</dd></dl>"""


def test_structured_data_comes_first_and_the_page_fills_what_it_leaves_open() -> None:
    result = Extractor(record("price:number", "sku", "currency", "brand")).extract(PAGE, "https://shop.example/")
    assert result.records == [{"price": 20, "sku": "R-1", "currency": "USD", "brand": None}]
    assert {path: e.method for path, e in result.evidence.items()} == {
        "price": "structured",
        "sku": "heuristic",
        "currency": "heuristic",
    }
    assert unproved(result, PAGE) == []


def test_json_schema_is_read_too() -> None:
    schema = {"type": "object", "properties": {"title": {"type": "string"}, "price": {"type": ["number", "null"]}}}
    assert Extractor(schema).extract(PAGE.encode()).records == [{"title": "Red Shoe", "price": 20}]


def test_a_schema_that_cannot_be_used_is_refused() -> None:
    with pytest.raises(SchemaError):
        Extractor({})


def test_what_is_missing_is_listed_required_first() -> None:
    schema = record(
        "title", "warranty", many(leaf(""), "tags"), leaf("maker_note", required=True), record("a", "b", name="box")
    )
    result = Extractor(schema).extract(PAGE)
    assert result.missing == ["maker_note", "warranty", "tags", "box.a", "box.b"]
    (only,) = result.as_records()
    assert only.missing == result.missing
    assert only.values["box"] is None


def test_a_listing_without_markup_has_no_records_and_says_what_to_ask_for() -> None:
    result = Extractor(many(record("title", "price:number"))).extract("<h1>List</h1>")
    assert result.records == []
    assert result.missing == ["[0].title", "[0].price"]
    assert result.as_records() == []


@pytest.mark.parametrize(
    ("body", "reason"), [(b"", "empty body"), (b"%PDF-1.4", "not HTML: PDF"), ("\x00", "empty body")]
)
def test_a_page_that_cannot_be_read_gives_no_record_and_a_reason(body: bytes | str, reason: str) -> None:
    result = Extractor(record("title")).extract(body)
    assert (result.records, result.reason, result.evidence) == ([], reason, {})


def test_a_wrong_type_is_not_an_answer() -> None:
    html = '<script type="application/ld+json">{"@type": "Product", "offers": {"price": "on request"}}</script>'
    assert Extractor(record("price:number")).extract(html).records == [{"price": None}]


def test_encodings_end_in_the_same_values() -> None:
    page = "<meta charset={}><h1>赤い靴</h1><dl><dt>ブランド<dd>アクメ</dl>"
    for encoding in ("utf-8", "shift_jis", "euc-jp"):
        body = page.format(encoding).encode(encoding)
        result = Extractor(record("title", "brand")).extract(body)
        assert result.records == [{"title": "赤い靴", "brand": "アクメ"}]
        assert unproved(result, body) == []


def test_methods_may_be_markup_alone() -> None:
    html = (
        '<html><head><title>Blue Cup - Shop</title><meta property="og:title" content="Blue Cup"></head>'
        '<body><h1>Cup</h1><p class="price">$4.50</p><ul><li>SKU: B-1</li></ul></body></html>'
    )
    assert Extractor("title, price:number, sku").extract(html).records == [{"title": "Cup", "price": 4.5, "sku": "B-1"}]
    result = Extractor("title, price:number, sku", methods=("structured",)).extract(html)
    assert result.records == [{"title": "Blue Cup", "price": None, "sku": None}]
    assert {evidence.method for evidence in result.evidence.values()} == {"structured"}
    assert (
        Extractor(
            '{"type": "array", "items": {"type": "object", "properties": {"title": {"type": "string"}}}}',
            ["structured"],
        )
        .extract(html)
        .records
        == []
    )


def test_a_method_that_does_not_exist_is_named() -> None:
    with pytest.raises(ValueError, match="no method magic; there are structured"):
        Extractor("title", methods=["magic"])


def test_a_document_is_parsed_once() -> None:
    document = Document("<h1>Cup</h1>", "https://shop.example/cup")
    result = Extractor("title").extract(document)
    assert (result.records, result.url) == ([{"title": "Cup"}], "https://shop.example/cup")
