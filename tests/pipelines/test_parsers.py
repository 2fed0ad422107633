from __future__ import annotations

import logging
from typing import Any

import pytest
from extraction.trees import record
from scrapy.settings import Settings

from scraping_ai.extraction import Document, parsers
from scraping_ai.pipelines.extract import extraction
from scraping_ai.pipelines.pool import InLine
from scraping_ai.schema import FieldSchema


class Site:
    hosts = ("site.example",)

    def parse(self, document: Document, schema: FieldSchema) -> list[parsers.Answer]:
        return [parsers.answer("title", node) for node in document.selector.css("#a")]


def settings(**given: Any) -> Settings:
    return Settings({"EXTRACT_PROCESSES": 0, "EXTRACT_METHODS": ["structured", "heuristic"], **given})


def test_the_setting_names_parsers_by_dotted_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsers, "Site", Site, raising=False)
    monkeypatch.setattr(parsers, "entry_points", lambda group: [])
    found = extraction(record("title"), settings(PARSERS=f"{parsers.__name__}.Site"), with_model=False)
    assert isinstance(found, InLine)
    answer = found.work.extractor.extract("<html><p id=a>Told</p></html>", "https://site.example/")
    assert answer.records == [{"title": "Told"}]


def test_one_that_cannot_be_had_ends_the_job(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR), pytest.raises(SystemExit):
        extraction(record("title"), settings(PARSERS=["no.such.Thing"]), with_model=False)
    (line,) = caplog.messages
    assert line.startswith("parser 'no.such.Thing' cannot be loaded: ModuleNotFoundError: No module named 'no'; ")


def test_a_module_alone_is_no_parser(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR), pytest.raises(SystemExit):
        extraction(record("title"), settings(PARSERS=["pots_parser"]), with_model=False)
    assert caplog.messages == ["parser 'pots_parser' names no class: write module.Class, such as pots_parser.Parser"]
