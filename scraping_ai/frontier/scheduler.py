"""A Scrapy scheduler over a frontier: requests are leased, and ended only when all that came of them is kept."""

from __future__ import annotations

import asyncio
import logging
from asyncio import Future, ensure_future
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self

from scrapy import Request, Spider, signals
from scrapy.core.scheduler import BaseScheduler
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.http import Response
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from scraping_ai.frontier.backends import choose
from scraping_ai.frontier.engine import Engine, Result
from scraping_ai.frontier.intake import Intake
from scraping_ai.frontier.protocol import Ending, FrontierError, Kind, Lease, Limits, Link
from scraping_ai.frontier.requests import NotJson, NotRequest, from_json, retried
from scraping_ai.frontier.session import Pace, Session
from scraping_ai.frontier.visit import NotSent
from scraping_ai.frontier.work import Endings, Work, in_words

logger = logging.getLogger(__name__)

FAILED = "frontier_failed"  # the reason of a spider's closing


def task_of(spider: Spider | None) -> str:
    """The task that a spider serves: the one it names, else its own name's."""
    return str(getattr(spider, "task", None) or getattr(spider, "name", ""))


class FrontierScheduler(BaseScheduler):
    """See docs/frontier.md for its settings."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler, settings = crawler, crawler.settings
        self.intake = Intake(settings, crawler.stats)
        self.endings = Endings(settings)
        self.grace = settings.getfloat("FRONTIER_GRACE", 8.0)
        self.backend = choose(settings, task_of(crawler.spider))
        self.urgent: deque[Work] = deque()  # goes on with another request
        self.at_once = max(settings.getint("FRONTIER_AT_ONCE", 64), 2 * settings.getint("CONCURRENT_REQUESTS"))
        self.working: dict[Request, Work] = {}
        self.alone: Work | None = None  # under way with nothing beside it
        self._going_on: tuple[Work | None, Request] | None = None  # what is scheduled now is one's continuation
        self._source: Work | None = None  # on whose page the request was found that is scheduled now

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    # ---- Scrapy's side

    def open(self, spider: Spider) -> Deferred[None]:
        return deferred_from_coro(self._open(spider))

    async def _open(self, spider: Spider) -> None:
        self.spider = spider
        task = task_of(spider)
        seconds = self.crawler.settings.getfloat
        pace = Pace(term=seconds("FRONTIER_LEASE", 60.0), page_deadline=seconds("FRONTIER_PAGE_DEADLINE", 600.0))
        self.session = Session(self.backend.frontier, task, self, pace, self.backend.away)
        self.engine = Engine(self.crawler, self)
        self.crawler.signals.connect(self.callback_failed, signals.spider_error)
        self.crawler.signals.connect(self.item_failed, signals.item_error)
        try:
            await self.backend.frontier.open()
            await self._refuse_others(task)
            await self.backend.frontier.start(task, getattr(spider, "limits", Limits()))
            await self.session.open()
        except FrontierError as error:
            logger.error("%s", error)
            self.crawler.signals.connect(self._refuse, signals.spider_opened)  # when all is open that is to be closed

    async def _refuse_others(self, task: str) -> None:
        """Raise FrontierError when another spider's job is unfinished: its pages would come to this one."""
        for name in await self.backend.frontier.tasks():
            if name != task and await self.backend.frontier.pending(name):
                raise FrontierError(f"the job of {name!r} is unfinished there: have {task!r} a JOBDIR of its own")

    def _refuse(self) -> None:
        raise CloseSpider(FAILED)

    def close(self, reason: str) -> Deferred[None]:
        return deferred_from_coro(self._close())

    async def _close(self) -> None:
        for work in (*self.working.values(), *self.urgent):
            self.session.end(Ending(work.lease, Kind.RELEASED))
        try:
            await asyncio.wait_for(self.session.close(), self.grace)
        except TimeoutError:
            logger.warning("the frontier is still away: what it was not told is done again")
        finally:
            await self.backend.close()

    def has_pending_requests(self) -> bool:
        return bool(self.urgent or self.intake.here) or not self.session.is_done

    def enqueue_request(self, request: Request) -> bool:
        work, other = self._going_on or (None, None)
        if work is not None and request is other:
            return self._go_on_as(work, request)
        return self._add(request)

    def next_request(self) -> Request | None:
        if self.urgent:
            return self._go_on(self.urgent.popleft())
        if self.alone is not None or not self.session.is_current:
            return None
        if self.session.alone:
            return self._begin_alone()
        if len(self.working) >= self.at_once:
            return None
        if self.intake.here:
            return self.intake.here.popleft()
        while self.session.ready:
            if (request := self._begin(self.session.ready.popleft())) is not None:
                return request
        return None

    # ---- what is to be fetched

    def _add(self, request: Request) -> bool:
        """Take a request in; False for one whose address is known."""
        is_seed = self._source is None and bool(request.meta.get("is_start_request"))
        try:
            link = self.intake.link_of(request, self.spider, is_seed=is_seed)
        except NotJson as error:
            self._keep_here(request, error)
            return True
        if link is not None:
            self._offer(self._source, [link])
        return link is not None

    def _keep_here(self, request: Request, error: NotJson) -> None:
        if self._going_on is None:
            self.intake.keep_here(request, error)
        else:  # a redirect or retry of one that is kept
            self.intake.here.append(request)

    def offer_links(self, response: Response | None, urls: Sequence[str], depth: int) -> None:
        """Take the links of a page as one batch: they are queued in one step with the page's ending.

        Without a response they are seeds, and queued soon.
        """
        self._offer(self._work_of(response), self.intake.links_of(urls, depth))

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
        work = self._work_of(result)
        if work is not None:
            work.kept, work.reason, work.page, work.records = reason is None, reason, page, records

    def was_had(self, response: Response) -> bool:
        """Whether a page redirected to one that the task has, or will have, from elsewhere."""
        work = self._work_of(response)
        return work is not None and work.had

    # ---- the session's side

    def wake(self) -> None:
        self.engine.wake()

    def accepted(self, links: Sequence[Link]) -> None:
        self.intake.learn(links)

    def failed(self, error: Exception) -> None:
        self._give_back()
        self.engine.close_spider(FAILED)

    # ---- the way of a request, as the engine tells it

    def _begin_alone(self) -> Request | None:
        """Take up a page that has cost workers once nothing else is under way and its loss would count."""
        lease = self.session.alone[0]
        if not self.session.is_begun(lease):
            self.session.begin(lease)
        if self.session.until_begun(lease) is not None or not self.engine.is_at_rest:
            return None
        request = self._request_of(self.session.alone.popleft())
        self.alone = self.working[request] if request is not None else None
        return request

    def _begin(self, lease: Lease) -> Request | None:
        request = self._request_of(lease)
        if request is not None:
            self.session.begin(lease)
        return request

    def _request_of(self, lease: Lease) -> Request | None:
        try:
            request = from_json(lease.request, lease.url, lease.priority, self.spider)
        except NotRequest as error:
            self.session.end(Ending(lease, Kind.DEAD, f"not a request: {error}"))
            return None
        if lease.depth:
            request.meta["depth"] = lease.depth
        self.working[request] = Work(lease, request)
        return request

    @contextmanager
    def going_on(self, request: Request, other: Request) -> Iterator[None]:
        work = self.working.get(request)
        self._going_on = (work, other)
        try:
            yield
        finally:
            self._going_on = None
            if work is not None and work.next is None and work.retry is None and work.reason is None:
                work.reason = f"not followed: {other.url}"

    def _go_on_as(self, work: Work, request: Request) -> bool:
        """A page goes on with a request that a middleware made of its own; False when that one's page is known."""
        if request.meta.get("retry_times", 0) > work.request.meta.get("retry_times", 0):
            try:
                work.retry = retried(work.lease, request, self.spider)
            except NotJson:
                work.next = request
        elif self._is_elsewhere_known(work.lease, request):
            work.reason = f"redirected to a known page: {request.url}"
            return False
        else:
            work.next = request
        return True

    def _is_elsewhere_known(self, lease: Lease, request: Request) -> bool:
        if request.dont_filter or self.intake.is_same(lease.url, request.url):
            return False
        return self.intake.is_known(self.intake.number_of(request))

    def _go_on(self, work: Work) -> Request | None:
        if work.next is None:
            return None
        work.request, work.next, work.result = work.next, None, None
        self.working[work.request] = work
        return work.request

    def arrived(self, request: Request, result: Result) -> Future[Any] | None:
        """Something came of a request. Callbacks wait until the frontier knows that the page is begun."""
        work = self.working.get(request)
        if work is None:
            return None
        work.result = result
        if isinstance(result, Failure) and isinstance(result.value, NotSent):
            return _said(False)  # the page is tried later, and callbacks hear of it then
        if isinstance(result, Response) and "redirect_urls" in request.meta:
            return ensure_future(self._claim(work, request, result.url))
        return self.session.until_begun(work.lease)

    async def _claim(self, work: Work, request: Request, url: str) -> bool:
        """Whether callbacks are to see the page that a redirect led to: not when the task has it from elsewhere."""
        work.claiming = True
        if (begun := self.session.until_begun(work.lease)) is not None and not await begun:
            return False
        if not self.intake.is_same(url, work.lease.url):
            work.had = not await self.session.claim(work.lease, self.intake.fingerprints.of_url(url))
        work.claiming = False
        if not work.had or request.dont_filter:
            return True
        work.reason = f"redirected to a known page: {url}"
        return False

    @contextmanager
    def yielding(self, result: Result) -> Iterator[None]:
        self._source = self._work_of(result)
        try:
            yield
        finally:
            self._source = None

    def yielded_item(self, result: Result) -> None:
        work = self._work_of(result)
        if work is not None:
            work.yielded = True

    def callback_failed(self, failure: Failure, response: Result) -> None:
        work = self._work_of(response)
        if work is not None:
            work.failure = failure

    def item_failed(self, failure: Failure, response: Result | None) -> None:
        work = self._work_of(response)
        if work is not None:
            work.broken = f"pipeline failed: {in_words(failure)}"

    def _work_of(self, result: Result | None) -> Work | None:
        request: Request | None = getattr(result, "request", None)
        return None if request is None else self.working.get(request)

    def ended(self, request: Request) -> None:
        """The engine is done with a request: the page has ended, unless another request goes on with it."""
        work = self.working.pop(request, None)
        if work is None:
            return
        if work.next is not None:
            self.urgent.append(work)
            return
        if work is self.alone:
            self.alone = None
        was_kept_back = work.result is not None and not self._is_seen(work)
        self.session.end(Ending(work.lease, Kind.RELEASED) if was_kept_back else self.endings.of(work))

    def closing(self) -> None:
        """Give back what is not begun, and after FRONTIER_GRACE what no callback has seen by then."""
        self.session.stop()
        asyncio.get_running_loop().call_later(self.grace, self._give_back)

    def _give_back(self) -> None:
        """Give back all pages that no callback has seen."""
        waiting = [request for request, work in self.working.items() if not self._is_seen(work)]
        for request in waiting:
            self.session.end(Ending(self.working.pop(request).lease, Kind.RELEASED))
        self.engine.give_up(waiting)

    def _is_seen(self, work: Work) -> bool:
        """Whether callbacks are at work on a page."""
        return work.result is not None and not work.claiming and self.session.until_begun(work.lease) is None


def _said(word: bool) -> Future[bool]:
    future: Future[bool] = asyncio.get_running_loop().create_future()
    future.set_result(word)
    return future
