"""Redirects stay within the crawl's scope."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest, NotConfigured

from scraping_ai.frontier.scope import Scope


@runtime_checkable
class HasScope(Protocol):
    """A spider whose pages have bounds."""

    def scope_of(self, request: Request) -> Scope:
        """Of the task of a request that was redirected."""
        ...


class ScopeMiddleware:
    """Refuses a redirect of a followed link to where the link itself would not have been followed.

    Pages that the user named may redirect anywhere: their last host joins the scope.
    """

    def __init__(self, spider: HasScope) -> None:
        self.spider = spider

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ScopeMiddleware:
        spider: Any = crawler.spider
        if not isinstance(spider, HasScope):
            raise NotConfigured
        return cls(spider)

    def process_request(self, request: Request) -> None:
        if "redirect_urls" not in request.meta or request.meta.get("named"):
            return
        scope = self.spider.scope_of(request)
        if reason := scope.refusal(request.url, request.meta.get("depth", 0)):
            raise IgnoreRequest(f"redirects out of scope: {reason}")
