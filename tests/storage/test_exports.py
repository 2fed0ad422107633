"""Rows and files, from `Page` items."""

from __future__ import annotations

import csv
import json
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest
from servers.shell import scrapy

from scraping_ai.items import Evidence, Page, Record
from scraping_ai.options import OptionError, parse_options
from scraping_ai.storage.exports import (
    CsvExporter,
    JsonLinesExporter,
    PageExporter,
    XmlExporter,
    refuse_unwritable,
    rows,
)

NESTED = {
    "properties": {
        "name": {"type": "string"},
        "brand": {"type": "object", "properties": {"name": {"type": "string"}, "new": {"type": "boolean"}}},
        "unit price": {"type": "number"},
        "tags": {"type": "array", "items": {"type": "string"}},
    }
}
FULL = Record(
    {"name": 'a "b",\nc', "brand": {"name": "ブランド", "new": True}, "unit price": 1.5, "tags": ["x", "y"]},
    {"tags[0]": Evidence("structured", "/html/p", "x", 0.9)},
)
BARE = Record({"name": None, "brand": None, "unit price": None, "tags": None})


def export(kind: type[PageExporter], *pages: Page, evidence: bool = False, file: BytesIO | None = None) -> bytes:
    args = {"url": "http://a.example/", "schema": json.dumps(NESTED)} | ({"evidence": "1"} if evidence else {})
    crawler: Any = SimpleNamespace(spider=SimpleNamespace(options=parse_options(args)))
    out = file or BytesIO()
    exporter = kind.from_crawler(crawler, out, encoding="utf-8")  # type: ignore[arg-type]
    exporter.start_exporting()
    for page in pages:
        exporter.export_item(page)
    exporter.finish_exporting()
    return out.getvalue()


PAGE = Page("http://a.example/1", records=[FULL, BARE])


def test_a_page_is_a_row_for_each_record() -> None:
    page = Page("http://a.example/1", id="7", records=[FULL, BARE], reason="nothing found")
    full, bare = rows(page, evidence=True)
    assert list(full) == ["name", "brand", "unit price", "tags", "_url", "_id", "_evidence"]
    assert full["_evidence"]["tags[0]"]["text"] == "x"
    assert bare["_reason"] == "nothing found"
    assert "_reason" not in full


def test_csv_columns_come_from_the_schema_and_not_from_the_first_record() -> None:
    text = export(CsvExporter, Page("http://a.example/0", records=[BARE]), PAGE).decode()
    header, first, full, bare = csv.reader(text.splitlines(keepends=True))
    assert header == ["name", "brand.name", "brand.new", "unit price", "tags", "_url", "_reason"]
    assert full == ['a "b",\nc', "ブランド", "true", "1.5", '["x", "y"]', "http://a.example/1", ""]
    assert first[:5] == bare[:5] == [""] * 5


def test_csv_has_its_header_without_records_but_not_twice() -> None:
    empty = export(CsvExporter)
    assert empty.decode().strip() == "name,brand.name,brand.new,unit price,tags,_url,_reason"
    file = BytesIO(empty)
    file.seek(0, 2)
    assert export(CsvExporter, PAGE, file=file).count(b"brand.name") == 1


def test_xml_is_well_formed_whatever_the_page_held() -> None:
    record = Record({**FULL.values, "name": "a\x0b\x00b \ud800 & <c>"}, FULL.evidence)
    root = ElementTree.fromstring(export(XmlExporter, Page("http://a.example/1", records=[record]), evidence=True))
    assert root.findtext("item/name") == "ab ? & <c>"
    assert root.findtext("item/unit_price") == "1.5"
    assert [node.text for node in root.findall("item/tags/value")] == ["x", "y"]
    assert root.findtext("item/brand/new") == "true"
    assert root.findtext("item/_evidence/value/field") == "tags[0]"


def test_json_lines_survive_lone_surrogates() -> None:
    line = export(JsonLinesExporter, Page("http://a.example/\ud800", records=[BARE]))
    assert json.loads(line)["_url"].startswith("http://a.example/")


def test_outputs_that_cannot_be_written(tmp_path: Path) -> None:
    options = parse_options({"url": "http://a.example/", "fields": "title"})
    feeds = {str(tmp_path / "new" / "a.csv"): {}, "stdout:": {}, "ftp://a.example/x": {}, "%(time)s.json": {}}
    refuse_unwritable(feeds, options)
    assert not (tmp_path / "new" / "a.csv").exists()
    (tmp_path / "kept.csv").write_text("kept")
    refuse_unwritable({(tmp_path / "kept.csv").as_uri(): {"format": "jsonl"}}, options)
    assert (tmp_path / "kept.csv").read_text() == "kept"
    for bad in (tmp_path, tmp_path / "kept.csv" / "x.csv"):
        with pytest.raises(OptionError, match=r"can't write .*; name another file"):
            refuse_unwritable({str(bad): {}}, options)


def test_appending_where_it_would_spoil_the_file_is_refused(tmp_path: Path) -> None:
    options = parse_options({"url": "http://a.example/", "fields": "title"})
    for name, held, line in [
        ("a.json", "[]", "replace it with -O"),
        ("a.xml", "<a/>", "replace it with -O"),
        ("a.csv", "name,_url\r\n", "its columns are name, _url, not title, _url, _reason"),
    ]:
        (tmp_path / name).write_text(held)
        feed = {"format": name[2:]}
        with pytest.raises(OptionError, match=line):
            refuse_unwritable({str(tmp_path / name): feed}, options)
        refuse_unwritable({str(tmp_path / name): {**feed, "overwrite": True}}, options)
    (tmp_path / "b.csv").write_text("title,_url,_reason\r\n")
    refuse_unwritable({str(tmp_path / "b.csv"): {"format": "csv"}}, options)


def test_any_field_name_is_an_xml_name() -> None:
    names = ["m²", "ª", "a½", "価格", "1st", "x:y", "-a", "·"]
    record = Record(dict.fromkeys(names, "v"), FULL.evidence)
    root = ElementTree.fromstring(export(XmlExporter, Page("http://a.example/1", records=[record])))
    assert [node.text for node in root[0]][: len(names)] == ["v"] * len(names)


def test_fields_of_one_xml_name_stay_apart() -> None:
    record = Record({"a b": "1", "a_b": "2", "a-b": "3", "a/b": "4"}, FULL.evidence)
    root = ElementTree.fromstring(export(XmlExporter, Page("http://a.example/1", records=[record])))
    assert [(node.tag, node.text) for node in root[0]][:4] == [
        ("a_b", "1"),
        ("a_b_", "2"),
        ("a-b", "3"),
        ("a_b__", "4"),
    ]


def test_a_csv_tells_why_a_record_is_empty() -> None:
    text = export(CsvExporter, Page("http://a.example/1", records=[BARE], reason="nothing found")).decode()
    assert [row[-1] for row in csv.reader(text.splitlines())] == ["_reason", "nothing found"]


@pytest.mark.parametrize(("name", "whole"), [("out.csv", "a,b\r\n1,2\r\n"), ("out.jsonl", '{"a": 1, "b": 2}\n')])
def test_items_of_an_ordinary_spider_are_written_as_scrapy_does(name: str, whole: str, tmp_path: Path) -> None:
    spider = (
        "import scrapy\n\n\nclass Plain(scrapy.Spider):\n    name = 'plain'\n    start_urls = ['http://127.0.0.1:1/']\n\n"
        "    async def start(self):\n        yield {'a': 1, 'b': 2}\n"
    )
    (tmp_path / "plain.py").write_text(spider)
    env = {"SCRAPY_SETTINGS_MODULE": "scraping_ai.settings"}
    done = scrapy("runspider", "plain.py", "-O", name, "-L", "ERROR", cwd=tmp_path, env=env)
    assert (done.status, done.err, (tmp_path / name).read_bytes().decode()) == (0, "", whole)
