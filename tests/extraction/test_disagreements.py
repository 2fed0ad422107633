from __future__ import annotations

from extraction.trees import many, record

from scraping_ai.extraction import Extractor

PAGE = """<html lang="en"><title>Red Shoe</title><script type="application/ld+json">
{"@type": "Product", "name": "Red Shoe", "offers": {"price": "20.00"}, "sku": "R-1"}</script>
<h1>Red Shoe</h1><p class="price">$25.00</p><dl><dt>SKU</dt><dd>R-1</dd></dl>"""


def test_all_methods_are_compared_when_asked() -> None:
    result = Extractor(record("price:number", "sku"), compare=True).extract(PAGE)
    assert result.records == [{"price": 20, "sku": "R-1"}]
    assert {p: [(v, e.method, e.text) for v, e in o] for p, o in result.disagreements.items()} == {
        "price": [(25, "heuristic", "$25.00")]
    }


def test_a_sure_answer_ends_the_ladder_otherwise() -> None:
    assert Extractor(record("price:number", "sku")).extract(PAGE).disagreements == {}


def test_what_is_written_another_way_is_no_disagreement() -> None:
    page = PAGE.replace('"R-1"}', '"r-1"}')
    assert Extractor(record("sku"), compare=True).extract(page).disagreements == {}


def test_disagreements_go_with_the_records_they_are_of() -> None:
    result = Extractor(many(record("title", "price:number")), compare=True).extract(PAGE)
    assert set(result.disagreements) <= set(result.evidence)
