"""A Scrapy scheduler over a frontier: requests are leased, and ended only when all that came of them is kept."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

from scrapy import Request, Spider, signals
from scrapy.core.scheduler import BaseScheduler
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.http import Response
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from scraping_ai.frontier.backends import Backend, choose
from scraping_ai.frontier.engine import have_failed
from scraping_ai.frontier.intake import Intake
from scraping_ai.frontier.outlook import AllTasks, Outlook, Pace
from scraping_ai.frontier.pages import Pages
from scraping_ai.frontier.politeness import Politeness
from scraping_ai.frontier.protocol import Frontier, FrontierError, Lease, Limits, Link
from scraping_ai.frontier.ready import Ready
from scraping_ai.frontier.requests import NotJson
from scraping_ai.frontier.session import Session
from scraping_ai.frontier.work import Work

if TYPE_CHECKING:
    from scraping_ai.frontier.feeder import Feeder

logger = logging.getLogger(__name__)

FAILED = "frontier_failed"  # the reason of a spider's closing


def task_of(spider: Spider | None) -> str:
    """The task that a spider serves: the one it names, else its own name's."""
    return str(getattr(spider, "task", None) or getattr(spider, "name", ""))


def reads_seeds(spider: Spider) -> bool:
    """Whether a spider is one whose seeds are in Redis (frontier/feeder.py)."""
    return hasattr(spider, "redis_key")


def serves_all(spider: Spider) -> bool:
    """Whether a spider serves every task of its frontier, and waits for more."""
    return bool(getattr(spider, "serves_all", False))


class FrontierScheduler(BaseScheduler):
    """See docs/frontier.md for its settings."""

    session: Session
    pages: Pages

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.intake = Intake(crawler.settings, crawler.stats)
        least = 2 * crawler.settings.getint("CONCURRENT_REQUESTS")
        self.at_once = max(crawler.settings.getint("FRONTIER_AT_ONCE", 64), least)
        self.backend: Backend | None = None
        self.feeder: Feeder | None = None
        self._alarm = 0.0  # when the engine will be woken, by the event loop's clock

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    # ---- Scrapy's side

    def open(self, spider: Spider) -> Deferred[None]:
        return deferred_from_coro(self._open(spider))

    async def _open(self, spider: Spider) -> None:
        self.spider = spider
        self.crawler.signals.connect(self._stop_if_told, signals.engine_started)
        try:
            await self._open_frontier(task_of(spider))
        except FrontierError as error:
            logger.error("%s", error)
            have_failed(self.crawler)
            self.crawler.signals.connect(self._refuse, signals.spider_opened)  # when all is open that is to be closed

    async def _open_frontier(self, task: str) -> None:
        settings = self.crawler.settings
        backend = self.backend = choose(settings, task, reads_seeds=reads_seeds(self.spider))
        pace = Pace(term=settings.getfloat("FRONTIER_LEASE", 60.0))
        politeness = Politeness.of(self.crawler)
        politeness.gives_back = politeness.is_kept
        ready = Ready(politeness if politeness.is_kept else None)
        self.session = Session(backend.frontier, task, self, pace, backend.away, ready, self._outlook(pace))
        self.session.limits = getattr(self.spider, "limits", Limits())
        self.pages = Pages(self.crawler, self.spider, self.intake, self.session)
        self.crawler.signals.connect(self.pages.callback_failed, signals.spider_error)
        self.crawler.signals.connect(self.pages.item_failed, signals.item_error)
        await backend.open()
        if not serves_all(self.spider):
            await self._refuse_others(backend.frontier, task)
            await backend.frontier.start(task, self.session.limits)
        await self.session.open()
        if reads_seeds(self.spider):
            from scraping_ai.frontier.feeder import Feeder  # needs redis-py

            self.feeder = Feeder(self.crawler, self.spider, self.intake, self.session)
            self.feeder.start()

    def _outlook(self, pace: Pace) -> Outlook | None:
        """What a worker of all tasks has of what is left to do."""
        if self.backend is None or not serves_all(self.spider):
            return None
        self.intake.tells_tasks_apart = True
        until_done = bool(getattr(self.spider, "until_done", False))
        return AllTasks(self.backend.frontier, pace, until_done=until_done)

    async def _refuse_others(self, frontier: Frontier, task: str) -> None:
        """Raise FrontierError when another spider's job is unfinished: its pages would come to this one."""
        for name in await frontier.unfinished(2):
            if name != task:
                raise FrontierError(f"the job of {name!r} is unfinished there: have {task!r} a JOBDIR of its own")

    async def _stop_if_told(self) -> None:
        """Scrapy forgets a signal that came when the spider was open and the engine not started yet."""
        if not self.crawler.crawling and self.crawler.engine is not None:
            await self.crawler.engine.stop_async()

    def _refuse(self) -> None:
        raise CloseSpider(FAILED)

    def close(self, reason: str) -> Deferred[None]:
        return deferred_from_coro(self._close())

    async def _close(self) -> None:
        if self.backend is None:
            return
        if self.feeder is not None:
            await self.feeder.stop()
        self.pages.give_back_all()
        try:
            await asyncio.wait_for(self.session.close(), self.pages.grace)
        except TimeoutError:
            logger.warning("the frontier is still away: what it was not told is done again")
        finally:
            await self.backend.close()

    def has_pending_requests(self) -> bool:
        return bool(self.pages.urgent or self.intake.here or self.intake.later) or not self.session.is_done

    def enqueue_request(self, request: Request) -> bool:
        work, other = self.pages.continuation or (None, None)
        if work is not None and request is other:
            return self.pages.go_on_as(work, request)
        return self._add(request)

    def next_request(self) -> Request | None:
        pages, session = self.pages, self.session
        if pages.urgent:
            return pages.go_on()
        if pages.alone is not None or not session.is_current:
            return None
        if session.alone:
            return pages.begin_alone()
        if len(pages.working) >= self.at_once:
            return None
        if self.intake.here:
            return pages.begin_here()
        while (lease := session.ready.take()) is not None:
            if (request := pages.begin(lease)) is not None:
                return request
        self._wake_when_open()
        return None

    def _wake_when_open(self) -> None:
        """Have the engine ask again when the next gate opens for which a page waits."""
        seconds, loop = self.session.ready.opens_in, asyncio.get_running_loop()
        if seconds is None or loop.time() < self._alarm <= loop.time() + seconds:
            return
        self._alarm = loop.time() + seconds
        loop.call_later(seconds, self.wake)

    # ---- what is to be fetched

    def _add(self, request: Request) -> bool:
        """Take a request in; False for one whose address is known."""
        source = self.pages.source
        is_seed = source is None and bool(request.meta.get("is_start_request"))
        try:
            link = self.intake.link_of(request, self.spider, seed=b"" if is_seed else None, task=self._task_of(source))
        except NotJson as error:
            return self._keep_here(request, error)
        if link is not None:
            self._offer(source, [link])
        return link is not None

    def _task_of(self, work: Work | None) -> int:
        return self.intake.task_of(work.lease if work else None)

    def _keep_here(self, request: Request, error: NotJson) -> bool:
        if self.pages.continuation is not None:  # a redirect or retry of one that is kept
            self.intake.here.append(request)
        elif serves_all(self.spider):  # only an entry says whose it is
            self.intake.say(request, error, "dropped")
            return False
        else:
            self.intake.keep_here(request, error)
        return True

    def offer_links(self, response: Response | None, urls: Sequence[str], depth: int) -> None:
        """Take the links of a page as one batch: they are queued in one step with the page's ending.

        Without a response they are seeds, and queued soon.
        """
        if not self.pages.is_over(response):
            work = self.pages.of(response)
            self._offer(work, self.intake.links_of(urls, depth, self._task_of(work)))

    def _offer(self, work: Work | None, links: list[Link]) -> None:
        if work is None:
            self.session.offer(links)
        else:
            work.links += links

    def keep(
        self,
        result: Response | Failure | None,
        reason: str | None,
        page: str | None = None,
        records: Sequence[str] = (),
    ) -> None:
        """Have what came of a page kept together with its ending; `reason` says why it does not count as stored."""
        work = self.pages.of(result)
        if work is not None:
            work.kept, work.reason, work.page, work.records = reason is None, reason, page, records

    def lease_of_page(self, of: Request | Response | Failure | None) -> Lease | None:
        """The lease of a page under way, by its request or what came of it; None: it is none of the frontier's."""
        work = self.pages.working.get(of) if isinstance(of, Request) else self.pages.of(of)
        return None if work is None else work.lease

    def task_of_page(self, of: Request | Response | Failure | None) -> str | None:
        """As `lease_of_page`, its task."""
        lease = self.lease_of_page(of)
        return None if lease is None else lease.task

    def was_had(self, response: Response) -> bool:
        """Whether a page redirected to one that the task has, or will have, from elsewhere."""
        work = self.pages.of(response)
        return work is not None and work.had

    # ---- the session's side

    def wake(self) -> None:
        self.pages.engine.wake()

    def accepted(self, links: Sequence[Link], lease: Lease | None = None) -> None:
        self.intake.learn(links, self.intake.task_of(lease))

    def broken(self) -> None:
        self.intake.unlearn()

    def failed(self, error: Exception) -> None:
        self.pages.give_back()
        have_failed(self.crawler)
        self.pages.engine.close_spider(FAILED)
