"""The spider of a fleet: long-lived, it serves every task of one frontier, those too that come later."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator
from typing import Any, cast

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from twisted.python.failure import Failure

from scraping_ai.environment import fit
from scraping_ai.extensions.summary import printable
from scraping_ai.frontier.backends import names_a_frontier
from scraping_ai.frontier.protocol import FrontierError
from scraping_ai.frontier.reasons import failure_reason
from scraping_ai.frontier.scope import Scope
from scraping_ai.items import Page
from scraping_ai.options import OptionError, Options, parse_options
from scraping_ai.spiders.pages import Context, PageSpider

logger = logging.getLogger(__name__)

MAX_CONTEXTS = 1_000  # tasks whose options are held, beside those that have pages under way
CACHED_LINKS = 4_096  # of each


class WorkerSpider(PageSpider):
    """`scrapy crawl worker` ends when it is told to; with `-a until=done`, when no task has anything pending.

    What a task wants was left in the frontier by `scrapy task submit`, and what came of its pages is kept there.
    """

    name = "worker"
    serves_all = True

    def __init__(self, until: str = "", **unknown: str) -> None:
        super().__init__(self.name)
        unknown = {name: value for name, value in unknown.items() if not name.startswith("_")}  # scrapyd's
        if until not in ("", "done") or unknown:
            problem = f"until={until!r}; there is until=done" if not unknown else f"no such argument: {min(unknown)}"
            raise OptionError(f"{problem}; tasks are put in by `scrapy task submit`")
        self.until_done = until == "done"
        self._is_checked = asyncio.Event()
        self._contexts: OrderedDict[str, tuple[int, Context | str]] = OrderedDict()

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> WorkerSpider:
        try:
            fit(crawler.settings)
            if crawler.settings.getdict("FEEDS") and "_job" not in kwargs:
                raise OptionError("-o and -O are not for workers: `scrapy task results` writes a task's records")
            if not names_a_frontier(crawler.settings):
                raise OptionError("say where the tasks are: set REDIS_URL, or JOBDIR (SCRAPING_AI_JOBDIR) for a folder")
            spider = cls(*args, **kwargs)
        except ValueError as error:
            logger.error("%s", error)
            raise SystemExit(2) from None
        crawler.settings.set("FEEDS", {}, "cmdline")  # scrapyd names one for each of its jobs
        spider._set_crawler(crawler)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        """Requests come from the frontier alone, and only from those that hold tasks for workers."""
        frontier, other = self.scheduler.session.frontier, None
        for task in await frontier.unfinished():
            if await frontier.options(task) is None:
                other = task
        if other is not None:
            logger.error(
                "the job of %r is unfinished there: go on with it, or have workers use a JOBDIR of their own", other
            )
            self.scheduler.failed(FrontierError(other))
        else:
            self._is_checked.set()
        none: tuple[Request, ...] = ()
        for request in none:
            yield request

    async def prepare(self, request: Request) -> None:
        """Learn what a page's task wants, before anything is done for the page. Raises IgnoreRequest."""
        lease = self.scheduler.lease_of_page(request)
        if lease is None:  # robots.txt
            return
        await self._is_checked.wait()
        held = self._contexts.get(lease.task)
        if held is None or held[0] != lease.task_id:
            session = self.scheduler.session
            said = await session.hold(lambda: session.frontier.options(lease.task))
            held = self._contexts[lease.task] = (lease.task_id, context_of(said))
            logger.info("%s: taken up", lease.task)
            while len(self._contexts) > MAX_CONTEXTS + self.scheduler.at_once:
                self._contexts.popitem(last=False)
        self._contexts.move_to_end(lease.task)
        if isinstance(held[1], str):
            raise IgnoreRequest(held[1])

    def task_of(self, of: Request | Response) -> str | None:
        return self.scheduler.task_of_page(of)

    def context_of(self, of: Request | Response) -> Context:
        return self._context(self.task_of(of))

    def _context(self, task: str | None) -> Context:
        context = self._contexts.get(task or "", (0, ""))[1]
        if isinstance(context, str):
            raise IgnoreRequest(context or "its task is over")
        return context

    def options_of(self, task: str | None) -> Options:
        return self._context(task).options

    def scope_of(self, request: Request) -> Scope:
        """With the host of the page itself, which another worker may have found in scope."""
        return super().scope_of(request).with_host(request.meta["redirect_urls"][0])

    def failed(self, failure: Failure) -> Iterator[Page]:
        logger.warning("%s: %s", self.task_of(failure.request), failure_line(failure))  # type: ignore[attr-defined]
        try:
            yield from super().failed(failure)
        except IgnoreRequest:  # it has no options to do anything by
            return


def failure_line(failure: Failure) -> str:
    request: Request = failure.request  # type: ignore[attr-defined]
    return f"{printable(request.url)}: {printable(failure_reason(cast(BaseException, failure.value)))}"


def context_of(said: str | None) -> Context | str:
    """What a task wants, or why nobody can tell. Whoever can write into the frontier may have written that."""
    try:
        given = json.loads(said or "{}")
        if not isinstance(given, dict) or not all(isinstance(value, str) for value in given.values()):
            raise OptionError("not names and texts")
        return Context(parse_options(given), CACHED_LINKS)
    except (ValueError, RecursionError) as error:
        return f"its task's options can't be used: {' '.join(str(error).split())[:200]}"
