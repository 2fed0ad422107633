"""Pages of tasks whose options are not known yet wait for these."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured


@runtime_checkable
class Prepares(Protocol):
    """A spider that has to learn what a page's task wants."""

    async def prepare(self, request: Request) -> None:
        """Raises IgnoreRequest for a page with which nothing can be done."""
        ...


class TasksMiddleware:
    """Asks the spider before any other middleware sees a request."""

    def __init__(self, spider: Prepares) -> None:
        self.spider = spider

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> TasksMiddleware:
        spider: Any = crawler.spider
        if not isinstance(spider, Prepares):
            raise NotConfigured
        return cls(spider)

    async def process_request(self, request: Request) -> None:
        await self.spider.prepare(request)
