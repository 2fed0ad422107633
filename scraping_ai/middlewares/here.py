"""Requests whose answer is here already are sent to nobody."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response


@runtime_checkable
class HasPages(Protocol):
    """A spider that knows answers."""

    def response_here(self, request: Request) -> Response | None:
        """The answer to a request, None where it must be sent."""
        ...


class HereMiddleware:
    """Asks the spider before robots.txt, or anybody else, is asked."""

    def __init__(self, spider: HasPages) -> None:
        self.spider = spider

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> HereMiddleware:
        spider: Any = crawler.spider
        if not isinstance(spider, HasPages):
            raise NotConfigured
        return cls(spider)

    def process_request(self, request: Request) -> Response | None:
        return self.spider.response_here(request)
