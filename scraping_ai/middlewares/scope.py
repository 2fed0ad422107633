"""Redirects stay within the crawl's scope."""

from __future__ import annotations

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest, NotConfigured

from scraping_ai.frontier.scope import Scope


class ScopeMiddleware:
    """Refuses a redirect of a followed link to where the link itself would not have been followed.

    Pages that the user named may redirect anywhere: their last host joins the scope.
    """

    def __init__(self, crawler: Crawler) -> None:
        if not isinstance(getattr(crawler.spider, "scope", None), Scope):
            raise NotConfigured
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ScopeMiddleware:
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        if "redirect_urls" not in request.meta or request.meta.get("named"):
            return
        scope: Scope = self.crawler.spider.scope  # type: ignore[union-attr]
        if reason := scope.refusal(request.url, request.meta.get("depth", 0)):
            raise IgnoreRequest(f"redirects out of scope: {reason}")
