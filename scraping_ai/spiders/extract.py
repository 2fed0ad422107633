"""The spider of a job: the pages it names, and those that they link to, as `Page` items."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections import deque
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any, cast

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.http import Response, TextResponse
from twisted.python.failure import Failure

from scraping_ai.environment import fit
from scraping_ai.examples import Lessons, Taught
from scraping_ai.frontier.links import links
from scraping_ai.frontier.scope import fingerprint
from scraping_ai.items import Page
from scraping_ai.options import Options, parse_options
from scraping_ai.schema import FieldSchema
from scraping_ai.spiders.closing import close, is_closing, item_done
from scraping_ai.spiders.lessons import Course
from scraping_ai.spiders.reasons import failure_reason, status_reason
from scraping_ai.spiders.saved import listed_pages, local_pages
from scraping_ai.storage.exports import OUTPUT_FAILED, refuse_unwritable

logger = logging.getLogger(__name__)

MAX_SPARE = 100_000  # addresses kept for pages that fail
SAVED_AT_ONCE = 16  # saved pages in the pipelines together: enough to overlap model calls


class ExtractSpider(Spider):
    """Fetches the pages of one job.

    Arguments as in `scraping_ai.options`: url, fields, schema, pages, follow, max_pages, max_depth, include, exclude,
    evidence, llm, examples. Files are read only when the command line started the job, never for a remote caller.
    """

    name = "extract"

    def __init__(self, options: Options) -> None:
        super().__init__(self.name)
        self.options = options
        self.scope = options.scope
        self.left = sys.maxsize if options.max_pages is None else options.max_pages
        self.seen: set[str] = set()
        self.spare: deque[tuple[str, int, bool]] = deque()  # arguments of `request`
        self.saved: set[int] = set()
        self.room = asyncio.Event()
        self.course = Course(options)

    @property
    def lessons(self) -> Lessons:
        return self.course.lessons

    @property
    def schema(self) -> FieldSchema:
        return self.options.schema

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, options: Options | None = None, **kwargs: Any) -> ExtractSpider:
        try:
            if not isinstance(options, Options):  # a spider argument of that name is as unknown as any other
                kwargs |= {} if options is None else {"options": options}
                options = parse_options(kwargs, files=at_this_machine(kwargs))
            fit(crawler.settings)
            refuse_unwritable(crawler.settings.getdict("FEEDS"), options)
        except ValueError as error:
            logger.error("%s", error)
            raise SystemExit(2) from None
        spider = cls(options)
        spider._set_crawler(crawler)
        crawler.signals.connect(spider.output_failed, signal=OUTPUT_FAILED)
        for signal in (signals.item_scraped, signals.item_dropped, signals.item_error):
            crawler.signals.connect(spider.page_done, signal=signal)
        return spider

    def output_failed(self) -> None:
        close(self.crawler, "output failed")

    async def start(self) -> AsyncIterator[Page | Request]:
        for example in self.course.prepare(self.settings.getint("DOWNLOAD_MAXSIZE")):
            yield self.example_request(example)
        await self.course.complete()
        for page in self.saved_pages():
            if is_closing(self.crawler) or not self.take():
                break
            self.saved.add(id(page))
            yield page
            await self.fewer_saved_than(SAVED_AT_ONCE)
        await self.saved_done()
        for request in self.admit(((url, 0) for url in self.options.urls), named=True):
            yield request

    def saved_pages(self) -> Iterator[Page]:
        limit = self.settings.getint("DOWNLOAD_MAXSIZE")
        yield from local_pages(self.options.files, limit)
        if self.options.pages:
            yield from listed_pages(self.options.pages, limit)

    async def fewer_saved_than(self, number: int) -> None:
        """Items of `start` know no back-pressure of their own."""
        while len(self.saved) >= number:
            self.room.clear()
            await self.room.wait()

    async def saved_done(self) -> None:
        """The engine looks whether all is done when `start` ends, and then only every five seconds."""
        await self.fewer_saved_than(1)
        await asyncio.sleep(0.02)  # it counts an item as done a moment after the item's last signal

    def page_done(self, item: Any) -> None:
        if id(item) in self.saved:
            self.saved.discard(id(item))
            item_done(self.crawler)
        self.room.set()

    def take(self) -> bool:
        """Count one page against `max_pages`."""
        self.left -= 1
        return self.left >= 0

    def admit(self, found: Iterable[tuple[str, int]], named: bool = False) -> Iterator[Request]:
        """Requests for the addresses that are new; those beyond `max_pages` are kept for pages that fail."""
        for url, depth in found:
            key = fingerprint(url)
            if key in self.seen:
                continue
            self.seen.add(key)
            if self.left > 0:
                self.left -= 1
                yield self.request(url, depth, named)
            elif len(self.spare) < MAX_SPARE:
                self.spare.append((url, depth, named))

    def request(self, url: str, depth: int, named: bool = False) -> Request:
        return Request(
            url,
            callback=self.parse,
            errback=self.failed,
            cb_kwargs={"depth": depth},
            meta={"named": named},
            dont_filter=True,  # the spider has seen to it, before a Request was made
        )

    def example_request(self, example: Taught) -> Request:
        """A request for an example's page; as a target too it is fetched this once."""
        key = fingerprint(example.url)
        named = any(fingerprint(url) == key for url in self.options.urls)
        target = named and next(self.admit([(example.url, 0)], named=True), None) is not None
        request = self.request(example.url, 0, named=True)
        request.callback, request.errback = self.parse_example, self.failed_example
        request.cb_kwargs.update(example=example, target=target)
        return request

    async def parse_example(
        self, response: Response, depth: int, example: Taught, target: bool
    ) -> AsyncIterator[Page | Request]:
        self.course.learn(example, response.url, response.body, status_reason(response.status))
        self.course.fetched()
        if target:
            await self.course.complete()
            for found in self.parse(response, depth):
                yield found

    def failed_example(self, failure: Failure) -> Iterator[Page | Request]:
        request: Request = failure.request  # type: ignore[attr-defined]
        reason = failure_reason(cast(BaseException, failure.value))
        self.course.learn(request.cb_kwargs["example"], request.url, b"", reason)
        self.course.fetched()
        if request.cb_kwargs["target"]:
            yield from self.failed(failure)

    def parse(self, response: Response, depth: int) -> Iterator[Page | Request]:
        named = response.meta["named"]
        page = Page(
            url=response.url,
            status=response.status,
            content_type=(response.headers.get("Content-Type") or b"").decode("latin-1"),
            depth=depth,
            named=named and not self.options.follow,
            reason=status_reason(response.status),
        )
        if page.reason is not None:
            yield page
            yield from self.replacement()
            return
        if not named and self.already_had(response):
            self.crawler.stats.inc_value("scraping_ai/skipped/redirect to a page already had")
            yield from self.replacement()
            return
        page.body = response.body
        yield page
        if self.options.follow:
            if named:
                self.scope = self.scope.with_host(response.url)
                self.seen.add(fingerprint(response.url))
            yield from self.links(response, depth + 1)

    def links(self, response: Response, depth: int) -> Iterator[Request]:
        if isinstance(response, TextResponse) and response.selector.type in ("html", "xml"):
            found = links(response.selector.root, response.url)
            yield from self.admit((url, depth) for url in found if self.scope.refusal(url, depth) is None)

    def already_had(self, response: Response) -> bool:
        """Whether a redirect led to a page that another address has given or will give."""
        key = fingerprint(response.url)
        if fingerprint(response.meta.get("redirect_urls", [response.url])[0]) == key:
            return False
        had = key in self.seen
        self.seen.add(key)
        return had

    def failed(self, failure: Failure) -> Iterator[Page | Request]:
        request: Request = failure.request  # type: ignore[attr-defined]
        named = request.meta["named"] and not self.options.follow
        yield Page(request.url, named=named, reason=failure_reason(cast(BaseException, failure.value)))
        yield from self.replacement()

    def replacement(self) -> Iterator[Request]:
        """A page that gave nothing does not count against `max_pages`."""
        if self.spare:
            yield self.request(*self.spare.popleft())
        else:
            self.left += 1


def at_this_machine(args: dict[str, Any]) -> bool:
    """Whether a command line started this job: scrapyd names each of its jobs, and its runner imports it."""
    return "_job" not in args and "scrapyd" not in sys.modules
