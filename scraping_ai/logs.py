"""Log lines of each page and item are made only where they are wanted."""

from __future__ import annotations

import logging
from typing import Any, Self

from scrapy import logformatter
from scrapy.crawler import Crawler


class LogFormatter(logformatter.LogFormatter):
    """Scrapy makes a record for each page and each item, which its handler then drops unless LOG_LEVEL is DEBUG."""

    def __init__(self, *, wants_all: bool) -> None:
        self.wants_all = wants_all

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        level = crawler.settings.get("LOG_LEVEL")
        number = int(level) if str(level).isdigit() else logging.getLevelNamesMapping().get(str(level).upper(), 0)
        return cls(wants_all=number <= logging.DEBUG)

    def crawled(self, *given: Any) -> Any:
        return super().crawled(*given) if self.wants_all else None

    def scraped(self, *given: Any) -> Any:
        return super().scraped(*given) if self.wants_all else None
