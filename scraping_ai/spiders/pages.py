"""What spiders of jobs have in common: a `Page` item for each page, and its links to the frontier in one batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import cast

from scrapy import Request, Spider
from scrapy.http import Response, TextResponse
from twisted.python.failure import Failure

from scraping_ai.frontier.links import links
from scraping_ai.frontier.reasons import failure_reason
from scraping_ai.frontier.scheduler import FrontierScheduler
from scraping_ai.frontier.scope import TOO_DEEP, Scope, host_of
from scraping_ai.items import Page
from scraping_ai.options import Options
from scraping_ai.spiders.outcomes import failed_outcome, outcome_of, response_reason

CACHED_LINKS = 65_536


class Context:
    """What a task wants, and its scope as it is known by now."""

    def __init__(self, options: Options, cached_links: int = CACHED_LINKS) -> None:
        self.options, self._cached_links = options, cached_links
        self.scope = options.scope

    @property
    def scope(self) -> Scope:
        return self._scope

    @scope.setter
    def scope(self, scope: Scope) -> None:
        self._scope = scope
        self.refusal = lru_cache(self._cached_links)(scope.refusal_at_any_depth)

    def widen(self, url: str) -> None:
        """Have the scope include the host of a page of the task's: a named page may have redirected there."""
        if host_of(url) not in self.scope.hosts:
            self.scope = self.scope.with_host(url)


class PageSpider(Spider):
    """A spider of pages that a context says what to do with."""

    link_errback = "failed"
    queued_meta = frozenset({"named", "depth", "rung", "rungs"})

    def context_of(self, of: Request | Response) -> Context:
        """Of a page under way."""
        raise NotImplementedError

    def task_of(self, of: Request | Response) -> str | None:
        """The task of a page under way, None for a spider that has one only."""
        return None

    def scope_of(self, request: Request) -> Scope:
        return self.context_of(request).scope

    @property
    def scheduler(self) -> FrontierScheduler:
        return cast(FrontierScheduler, self.crawler.engine._slot.scheduler)  # type: ignore[union-attr]

    def parse(self, response: Response) -> Iterator[Page]:
        context, named = self.context_of(response), response.meta.get("named", False)
        page = Page(
            url=response.url,
            status=response.status,
            content_type=(response.headers.get("Content-Type") or b"").decode("latin-1"),
            depth=response.meta.get("depth", 0),
            named=named and not context.options.follow,
            task=self.task_of(response),
            outcome=outcome_of(response),
        )
        page.reason = response_reason(response.status, page.outcome)
        page.missed = page.reason is not None
        if not page.missed:
            page.body = response.body
            self.follow(response, page.depth + 1, context)
        yield page

    def follow(self, response: Response, depth: int, context: Context) -> None:
        """Offer the links of a page that are in scope; those that are not are counted by reason."""
        if not context.options.follow:
            return
        context.widen(response.url)
        if not isinstance(response, TextResponse) or response.selector.type not in ("html", "xml"):
            return
        found = links(response.selector.root, response.url)
        if context.scope.is_too_deep(depth):
            refused = Counter({TOO_DEEP: len(found)})
        else:
            refused = Counter(filter(None, map(context.refusal, found)))
            self.scheduler.offer_links(response, [url for url in found if context.refusal(url) is None], depth)
        for reason, number in refused.items():
            self.crawler.stats.inc_value(f"scraping_ai/links/{reason}", number)

    def failed(self, failure: Failure) -> Iterator[Page]:
        request: Request = failure.request  # type: ignore[attr-defined]
        options = self.context_of(request).options
        named = request.meta.get("named", False) and not options.follow
        reason = failure_reason(cast(BaseException, failure.value))
        depth = request.meta.get("depth", 0)
        page = Page(request.url, named=named, depth=depth, reason=reason, missed=True, task=self.task_of(request))
        page.outcome = failed_outcome(request, reason)
        yield page
