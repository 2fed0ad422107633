"""Lines of pages and items are made where LOG_LEVEL wants them."""

from __future__ import annotations

import gc
from typing import Any

import pytest
from scrapy import Request
from scrapy.exceptions import NotConfigured
from scrapy.http import Response
from scrapy.spiders import Spider
from scrapy.utils.test import get_crawler

from scraping_ai.extensions.collector import Collector
from scraping_ai.logs import LogFormatter


@pytest.mark.parametrize(
    ("level", "made"), [("DEBUG", True), ("debug", True), (10, True), ("INFO", False), (30, False)]
)
def test_lines_of_pages_and_items(level: Any, made: bool) -> None:
    formatter = LogFormatter.from_crawler(get_crawler(settings_dict={"LOG_LEVEL": level}))
    request = Request("http://a.example/")
    response = Response(request.url)
    spider = Spider("s")
    assert (formatter.crawled(request, response, spider) is not None) == made
    assert (formatter.scraped({}, response, spider) is not None) == made


def test_the_collector_is_set_or_left_alone() -> None:
    before = gc.get_threshold()
    try:
        Collector(get_crawler(settings_dict={"GC_THRESHOLDS": [9_000, 5, 5]})).settle()
        assert gc.get_threshold() == (9_000, 5, 5)
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
    with pytest.raises(NotConfigured):
        Collector(get_crawler(settings_dict={"GC_THRESHOLDS": []}))
