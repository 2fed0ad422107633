from __future__ import annotations

import logging
import pickle
import re
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from extraction.proof import unproved
from extraction.trees import many, record
from lxml import etree

from scraping_ai.extraction import Document, Extractor
from scraping_ai.extraction import parsers as module
from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.document import Anchor
from scraping_ai.extraction.parsers import Answer, answer, installed, load
from scraping_ai.schema import FieldSchema

DOC = Path(__file__).parents[2] / "docs" / "parsers.md"
PAGE = """<html lang="en"><title>Pot</title><h1>Brown pot</h1><p class="price">$90.00</p>
<div class="buybox"><b class="now">$29.90</b></div><i id="pot" data-code=" BP-1 "></i>
<ul class="notes"><li>round</li><li>brown</li></ul>"""
URL = "https://www.tea.example/pot"


class Shop:
    hosts = ("*.tea.example",)

    def __init__(self, *answers: tuple[str, str], confidence: float = 0.95) -> None:
        self.answers, self.confidence = answers, confidence

    def parse(self, document: Document, schema: FieldSchema) -> Iterator[Answer]:
        for path, css in self.answers:
            for node in document.selector.css(css):
                yield answer(path, node, confidence=self.confidence)


def test_the_example_of_the_documentation_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shop_parsers.py").write_text(re.findall(r"```python\n(.*?)```", DOC.read_text("utf-8"), re.S)[0])
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "shop_parsers", raising=False)
    result = Extractor("title, price:number, sku, tags[]", parsers=["shop_parsers.TeaShop"]).extract(PAGE, URL)
    assert result.records == [{"title": "Brown pot", "price": 29.9, "sku": "BP-1", "tags": ["round", "brown"]}]
    assert {p for p, e in result.evidence.items() if e.method == "parser"} == {"price", "sku", "tags[0]", "tags[1]"}
    assert unproved(result, PAGE) == []


@pytest.mark.parametrize("url", ["https://tea.example/", "https://other.example/", "", "http://[bad"])
def test_only_pages_of_its_hosts_are_parsed(url: str) -> None:
    result = Extractor(record("price:number"), parsers=[Shop(("price", ".now"))]).extract(PAGE, url)
    assert [e.method for e in result.evidence.values()] == ["heuristic"]


def test_answers_are_proved_like_all_others() -> None:
    class Wrong(Shop):
        def parse(self, document: Document, schema: FieldSchema) -> Iterator[Answer]:
            (node,) = document.selector.css(".now")
            yield answer("price", node, text="$1.00")
            yield answer("sku", node, attribute="nothing")

    result = Extractor(record("price:number", "sku"), parsers=[Wrong()]).extract(PAGE, URL)
    assert (result.records, result.evidence["price"].method) == ([{"price": 90, "sku": None}], "heuristic")


def test_objects_lists_of_objects_and_listings_are_answered_by_path() -> None:
    shop = Shop(("brand.name", "h1"), ("offers[0].price", ".now"), ("offers[1].price", ".price"))
    schema = record(record("name", name="brand"), many(record("price:number"), "offers"))
    result = Extractor(schema, parsers=[shop]).extract(PAGE, URL)
    assert result.records == [{"brand": {"name": "Brown pot"}, "offers": [{"price": 29.9}, {"price": 90}]}]
    listing = Shop(("[0].note", "li:nth-child(1)"), ("[1].note", "li:nth-child(2)"))
    assert Extractor(many(record("note")), parsers=[listing]).extract(PAGE, URL).records == [
        {"note": "round"},
        {"note": "brown"},
    ]


@pytest.mark.parametrize("path", ["[99999999999].note", "[1].note", "note[3]", "]", "", "[", "a[b]"])
def test_paths_that_no_schema_has_do_no_harm(path: str) -> None:
    for schema in (many(record("note")), record("note")):
        Extractor(schema, parsers=[Shop((path, "h1"))]).extract(PAGE, URL)


def test_an_unsure_answer_can_lose_and_is_then_a_disagreement() -> None:
    result = Extractor(record("price:number"), parsers=[Shop(("price", ".now"), confidence=0.3)]).extract(PAGE, URL)
    assert result.records == [{"price": 90}]
    assert [(value, e.method) for value, e in result.disagreements["price"]] == [(29.9, "parser")]


def test_a_parser_that_raises_is_logged_once_and_left_out(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Shop):
        def parse(self, document: Document, schema: FieldSchema) -> Iterator[Any]:
            yield "not an answer"

    class Raising(Shop):
        def parse(self, document: Document, schema: FieldSchema) -> Iterator[Answer]:
            yield answer("price", document.selector.css(".now")[0])
            raise KeyError("code")

    extractor = Extractor(record("price:number"), parsers=[Raising(), Broken()])
    with caplog.at_level(logging.ERROR):
        results = [extractor.extract(PAGE, URL) for _ in range(3)]
    assert [r.records for r in results] == [[{"price": 90}]] * 3
    assert len(caplog.records) == 2
    assert "Raising: KeyError: 'code'" in caplog.messages[0]


class OwnFault(BaseException):
    pass


@pytest.mark.parametrize("fault", [SystemExit(3), OwnFault("x"), GeneratorExit()])
def test_what_ends_a_program_ends_no_page(fault: BaseException, caplog: pytest.LogCaptureFixture) -> None:
    class Ending(Shop):
        def parse(self, document: Document, schema: FieldSchema) -> Iterator[Answer]:
            raise fault

    assert Extractor(record("price:number"), parsers=[Ending()]).extract(PAGE, URL).records == [{"price": 90}]
    assert type(fault).__name__ in caplog.text


@pytest.mark.parametrize(
    "junk",
    [
        None,
        0,
        ("price", 1),
        Answer("price", None),  # type: ignore[arg-type]
        Answer("price", Candidate("$1", None, 1.0)),  # type: ignore[arg-type]
        Answer(None, Candidate("$1", Anchor(etree.Element("p")), 1.0)),  # type: ignore[arg-type]
        Answer("price", Candidate("$1", Anchor(etree.Element("p")), float("nan"))),
    ],
)
def test_what_is_no_answer_costs_no_page(junk: Any, caplog: pytest.LogCaptureFixture) -> None:
    class Junk(Shop):
        def parse(self, document: Document, schema: FieldSchema) -> Iterator[Any]:
            yield junk

    assert Extractor(record("price:number"), parsers=[Junk()]).extract(PAGE, URL).records == [{"price": 90}]
    assert "not what answer() makes" in caplog.text


def test_what_a_parser_writes_into_the_tree_is_no_proof() -> None:
    class Forger(Shop):
        def parse(self, document: Document, schema: FieldSchema) -> Iterator[Answer]:
            (heading,) = document.selector.css("h1")
            heading.root.text = "Forged"
            heading.root.addnext(etree.fromstring("<p>New</p>"))
            yield answer("title", heading)
            yield answer("sku", heading.root.getnext())
            yield answer("price", document.selector.css(".now")[0])

    result = Extractor("title, sku, price:number", parsers=[Forger()]).extract(PAGE, URL)
    assert result.records == [{"title": "Brown pot", "sku": None, "price": 29.9}]
    assert unproved(result, PAGE) == []


def test_a_text_that_does_not_stand_there_is_told_once_a_field(caplog: pytest.LogCaptureFixture) -> None:
    class Wrong(Shop):
        def parse(self, document: Document, schema: FieldSchema) -> Iterator[Answer]:
            for index, node in enumerate(document.selector.css(".notes li")):
                yield answer(f"tags[{index}]", node, text="square")
            yield answer("sku", document.selector.css("#pot")[0], attribute="data-none")

    extractor = Extractor("tags[], sku", parsers=[Wrong()])
    results = [extractor.extract(PAGE, URL) for _ in range(2)]
    assert "square" not in str([r.records for r in results])
    assert caplog.messages == [f"parser {Wrong.__qualname__}: tags[]: 'square' does not stand there; dropped ({URL})"]


def test_the_address_of_a_mail_link_is_the_value() -> None:
    links = '<a href="MAILTO:ann@tea.example?subject=Pot">Ann</a><a href="tel:+44 20 7946 0000">call</a>'

    class Links(Shop):
        def parse(self, document: Document, schema: FieldSchema) -> Iterator[Answer]:
            mail, phone = document.selector.css("a")
            yield answer("email", mail, attribute="href")
            yield answer("phone", phone, attribute="href")

    page = f"<html><body><h1>Ann Lee</h1>{links}</body></html>"
    result = Extractor("email, phone", parsers=[Links()]).extract(page, URL)
    assert result.records == [{"email": "ann@tea.example", "phone": "+44 20 7946 0000"}]
    assert {e.method for e in result.evidence.values()} == {"parser"}


def test_an_answer_that_its_field_cannot_be_is_told_unless_another_is_tried_in_turn(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Links(Shop):
        def parse(self, document: Document, schema: FieldSchema) -> Iterator[Answer]:
            (link,) = document.selector.css("a")
            (name,) = document.selector.css("h1")
            yield answer("email", link, attribute="href")
            yield answer("site", link, attribute="href")
            yield answer("price", name)
            yield answer("price", link)
            yield answer("count", document.selector.css("i")[0])
            yield answer("other", name, text="no")

    page = '<html><body><h1>Ann Lee</h1><a href="mailto:ann%40tea.example">$5</a><i>n/a</i></body></html>'
    schema = "email, site:url, price:number, count:integer"
    result = Extractor(schema, parsers=[Links()]).extract(page, URL)
    assert result.records == [{"email": None, "site": None, "price": 5, "count": None}]
    assert [line.partition(": ")[2] for line in caplog.messages] == [
        f"email: 'mailto:ann%40tea.example' is no value of this field (string); dropped ({URL})",
        f"site: 'mailto:ann%40tea.example' is no value of this field (url); dropped ({URL})",
    ]


def test_a_module_of_this_folder_is_told_how_to_be_found() -> None:
    with pytest.raises(ValueError, match=r"no_such_module'; .* with PYTHONPATH=\$PWD"):
        load("no_such_module.Shop")


def test_evidence_from_another_document_is_not_believed() -> None:
    class Elsewhere(Shop):
        def parse(self, document: Document, schema: FieldSchema) -> Iterator[Answer]:
            yield answer("sku", Document("<html><body><p>X-1</p></body></html>").selector.css("p")[0])

    assert Extractor(record("sku"), parsers=[Elsewhere()]).extract(PAGE, URL).records == [{"sku": None}]


def test_a_text_is_no_place() -> None:
    with pytest.raises(TypeError, match="name the element"):
        answer("price", Document(PAGE).selector.css("h1::text")[0])


@pytest.mark.parametrize("path", ["nothing.here", "x", "", "os.path", "scraping_ai.schema.read_schema"])
def test_what_cannot_be_loaded_is_told_in_one_line(path: str) -> None:
    with pytest.raises(ValueError, match="parser") as error:
        load(path)
    assert "\n" not in str(error.value)


def test_installed_packages_offer_parsers(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(module, "sample", Shop(), raising=False)
    points = [EntryPoint("a", f"{module.__name__}:sample", module.GROUP), EntryPoint("b", "no:Such", module.GROUP)]
    monkeypatch.setattr(module, "entry_points", lambda group: points if group == module.GROUP else [])
    assert installed() == [f"{module.__name__}.sample"]
    assert "no.Such" in caplog.text


def test_workers_load_parsers_by_their_path(monkeypatch: pytest.MonkeyPatch) -> None:
    shop = Shop(("price", ".now"))
    monkeypatch.setattr(module, "sample", shop, raising=False)
    extractor = Extractor(record("price:number"), parsers=[f"{module.__name__}.sample"])
    shop.unpicklable = lambda: None  # type: ignore[attr-defined]
    assert pickle.loads(pickle.dumps(extractor)).extract(PAGE, URL).records == [{"price": 29.9}]
