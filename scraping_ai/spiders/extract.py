"""The spider of a job: the pages it names, and those that they link to, as `Page` items."""

from __future__ import annotations

import logging
import sys
from collections.abc import AsyncIterator, Iterator
from itertools import islice
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from scraping_ai.environment import fit
from scraping_ai.examples import Lessons
from scraping_ai.extensions.summary import count
from scraping_ai.frontier.protocol import Limits
from scraping_ai.frontier.scope import fingerprint
from scraping_ai.items import Page
from scraping_ai.middlewares.guard.guard import Guard
from scraping_ai.options import OptionError, Options, parse_options
from scraping_ai.schema import FieldSchema
from scraping_ai.spiders.closing import close, is_closing
from scraping_ai.spiders.lessons import Course
from scraping_ai.spiders.pages import Context, PageSpider
from scraping_ai.spiders.saved import SCHEME, SavedPages
from scraping_ai.storage.exports import OUTPUT_FAILED, refuse_unwritable
from scraping_ai.storage.jobs import Job

logger = logging.getLogger(__name__)

SAVED_AT_ONCE = 1_000  # saved pages offered to the frontier together


class ExtractSpider(PageSpider):
    """Fetches the pages of one job.

    Arguments as in `scraping_ai.options`. Files are read only when the command line started the job, never for a remote
    caller. What is to be fetched, and what came of it, is in the job's file alone.
    """

    name = "extract"

    def __init__(self, options: Options, job: Job, task: str, settings: Any) -> None:
        super().__init__(self.name)
        self.options, self.job, self.task = options, job, task
        self.limits = Limits(options.max_pages, settings.getint("MAX_HOST_PAGES") or None)
        self.saved = SavedPages(options.files, options.pages, settings.getint("DOWNLOAD_MAXSIZE"))
        self.course = Course(options)
        self.context = Context(options)
        for url in job.start_urls():
            self.context.widen(url)

    @property
    def lessons(self) -> Lessons:
        return self.course.lessons

    @property
    def schema(self) -> FieldSchema:
        return self.options.schema

    def options_of(self, task: str | None) -> Options:
        return self.options

    def context_of(self, of: Request | Response) -> Context:
        return self.context

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, options: Options | None = None, **kwargs: Any) -> ExtractSpider:
        told = isinstance(options, Options)
        is_here = told or at_this_machine(kwargs)
        try:
            if not isinstance(options, Options):  # a spider argument of that name is as unknown as any other
                kwargs |= {} if options is None else {"options": options}
                options = parse_options(kwargs, files=is_here)
            fit(crawler.settings)
            guard = Guard.of(crawler)
            refuse_unwritable(crawler.settings.getdict("FEEDS"), options)
            job = Job.of(options, crawler.settings)
        except ValueError as error:
            if told and isinstance(error, OptionError):  # whoever has read them says it in their own words
                raise
            logger.error("%s", error)
            raise SystemExit(getattr(error, "status", 2)) from None
        guard.name([*options.urls, *(taught.url for taught in options.examples)] if is_here else ())
        crawler.settings.set("JOB_FILE", str(job.path), priority="cmdline")
        task = cls.name if job.name else kwargs.get("_job", cls.name)
        spider = cls(options, job, task, crawler.settings)
        spider._set_crawler(crawler)
        crawler.signals.connect(spider.output_failed, signal=OUTPUT_FAILED)
        return spider

    def output_failed(self) -> None:
        close(self.crawler, "output failed")

    async def start(self) -> AsyncIterator[Request]:
        """Targets that the job has already are passed over by the frontier."""
        if self.job.is_done:
            logger.warning("%s is done already: its outputs are written again, nothing is fetched", self.job)
            return
        if self.job.is_resumed:
            pages, records, waiting = self.job.total()
            had = f"{count(pages, 'page')} and {count(records, 'record')}"
            logger.warning("%s goes on with %s; %s to be fetched", self.job, had, count(waiting, "page"))
        await self.course.complete(self.crawler)
        addresses = self.saved.addresses()
        while batch := list(islice(addresses, SAVED_AT_ONCE)):
            if is_closing(self.crawler):
                return
            self.scheduler.offer_links(None, batch, 0)
            await self.scheduler.session.until_room(SAVED_AT_ONCE)
        again = not self.options.follow  # each gives its record, also one that redirects to another
        for url in {fingerprint(url): url for url in self.options.urls}.values():
            yield Request(url, self.parse, errback=self.failed, meta={"named": True}, dont_filter=again)

    def response_here(self, request: Request) -> Response | None:
        """What needs not be fetched: saved pages, and targets that an example's page was."""
        if request.url.startswith(SCHEME):
            return Response(request.url, request=request)
        if request.meta.get("named") and (response := self.course.take_fetched(request.url)):
            return response.replace(request=request)
        return None

    def parse(self, response: Response) -> Iterator[Page]:
        if response.url.startswith(SCHEME):
            try:
                yield self.saved.page(response.url)
            except (ValueError, LookupError, OverflowError, OSError):  # an address that nobody here made
                yield Page(response.url, reason="no saved page", missed=True)
            return
        yield from super().parse(response)


def at_this_machine(args: dict[str, Any]) -> bool:
    """Whether a command line started this job: scrapyd names each of its jobs, and its runner imports it."""
    return "_job" not in args and "scrapyd" not in sys.modules
