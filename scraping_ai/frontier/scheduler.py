"""A Scrapy scheduler over a frontier: requests are leased, and ended only when all that came of them is kept."""

from __future__ import annotations

import logging
from asyncio import Future, ensure_future
from collections import deque
from collections.abc import Sequence
from typing import Self

from scrapy import Request, Spider, signals
from scrapy.core.scheduler import BaseScheduler
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from scraping_ai.frontier import engine
from scraping_ai.frontier.backends import choose
from scraping_ai.frontier.fingerprint import Fingerprinter
from scraping_ai.frontier.protocol import Ending, Kind, Lease, Limits, Link
from scraping_ai.frontier.requests import NotJson, NotRequest, from_json, to_json
from scraping_ai.frontier.scope import host_of
from scraping_ai.frontier.session import Pace, Session
from scraping_ai.frontier.work import Endings, Work, in_words

logger = logging.getLogger(__name__)

LEASE = "_lease"  # meta key: the token of the lease that a request works on
KNOWN = 100_000  # fingerprints remembered here, so that most links that are no news never reach the backend


class FrontierScheduler(BaseScheduler):
    """See docs/frontier.md for its settings."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.fingerprints = Fingerprinter(crawler.settings.getlist("FRONTIER_TRACKING_PARAMETERS"))
        self.endings = Endings(crawler.settings)
        self.backend = choose(crawler.settings)
        self.known: dict[int, None] = {}
        self.urgent: deque[Request] = deque()  # what goes on with pages under way
        self.unsaid: deque[Request] = deque()  # what no JSON holds
        self.at_once = crawler.settings.getint("FRONTIER_AT_ONCE", 64)
        self.working: dict[Request, Work] = {}
        self.by_token: dict[int, Work] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def open(self, spider: Spider) -> Deferred[None]:
        return deferred_from_coro(self._open(spider))

    async def _open(self, spider: Spider) -> None:
        self.spider = spider
        task: str = getattr(spider, "task", spider.name)
        await self.backend.frontier.open()
        await self.backend.frontier.start(task, getattr(spider, "limits", Limits()))
        pace = Pace(term=self.crawler.settings.getfloat("FRONTIER_LEASE", 60.0))
        wake = lambda: engine.wake(self.crawler)  # noqa: E731
        self.session = Session(self.backend.frontier, task, wake, self.forget, pace, self.backend.away)
        await self.session.open()
        engine.watch(self.crawler, self.arrived, self.ended)
        self.crawler.signals.connect(self.callback_failed, signals.spider_error)
        self.crawler.signals.connect(self.item_failed, signals.item_error)

    def close(self, reason: str) -> Deferred[None]:
        return deferred_from_coro(self._close())

    async def _close(self) -> None:
        await self.session.close()
        await self.backend.frontier.close()
        if self.backend.folder is not None:
            self.backend.folder.cleanup()

    def has_pending_requests(self) -> bool:
        return bool(self.urgent or self.unsaid) or not self.session.is_done

    def enqueue_request(self, request: Request) -> bool:
        work = self.by_token.get(request.meta.get(LEASE, 0))
        if work is None or engine.is_with_spider(self.crawler, work.request):
            request.meta.pop(LEASE, None)
            return self._add(request)
        if request.meta.get("retry_times", 0) > work.request.meta.get("retry_times", 0):
            return self._retry_later(work, request)
        self.urgent.append(request)
        return True

    def _retry_later(self, work: Work, request: Request) -> bool:
        try:
            work.retry = to_json(request, self.spider)
        except NotJson:
            self.urgent.append(request)
        return True

    def _add(self, request: Request) -> bool:
        number = None
        if not request.dont_filter:
            number = self.fingerprints.of_request(request.url, request.method, request.body)
            if self._is_known(number):
                return False
        try:
            said = to_json(request, self.spider)
        except NotJson as error:
            logger.warning("%s is kept in memory, and lost if this process ends: %s", request, error)
            self.unsaid.append(request)
            return True
        depth = request.meta.get("depth", 0)
        self.session.offer([Link(request.url, number, host_of(request.url), depth, request.priority, said)])
        return True

    def _is_known(self, number: int) -> bool:
        if number in self.known:
            return True
        self.known[number] = None
        if len(self.known) > KNOWN:
            del self.known[next(iter(self.known))]
        return False

    def offer_links(self, response: Response | None, urls: Sequence[str], depth: int) -> None:
        """Take the links of a page as one batch: they are queued in one step with the page's ending.

        Without a response they are seeds, and queued soon.
        """
        numbers = ((url, self.fingerprints.of_url(url)) for url in urls)
        links = [Link(url, number, host_of(url), depth) for url, number in numbers if not self._is_known(number)]
        work = self._work_of(response)
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

    def next_request(self) -> Request | None:
        if self.urgent:
            return self._go_on(self.urgent.popleft())
        if len(self.by_token) >= self.at_once:
            return None
        if self.unsaid:
            return self.unsaid.popleft()
        while self.session.ready:
            if (request := self._request_of(self.session.ready.popleft())) is not None:
                return request
        return None

    def _go_on(self, request: Request) -> Request:
        work = self.by_token[request.meta[LEASE]]
        work.request, work.result = request, None
        self.working[request] = work
        return request

    def _request_of(self, lease: Lease) -> Request | None:
        try:
            request = from_json(lease.request, lease.url, lease.priority, self.spider)
        except NotRequest as error:
            self.session.end(Ending(lease, Kind.DEAD, f"not a request: {error}"))
            return None
        request.meta[LEASE] = lease.token
        if lease.depth:
            request.meta["depth"] = lease.depth
        self.working[request] = self.by_token[lease.token] = Work(lease, request)
        self.session.begin(lease)
        return request

    def arrived(self, request: Request, result: Response | Failure) -> Future[None] | None:
        """Something came of a request. Callbacks wait until the frontier knows that the page is begun."""
        work = self.working.get(request)
        if work is None:
            return None
        work.result = result
        if isinstance(result, Response) and "redirect_urls" in request.meta:
            return ensure_future(self._claim(work, result.url))
        return self.session.until_begun(work.lease)

    async def _claim(self, work: Work, url: str) -> None:
        if (begun := self.session.until_begun(work.lease)) is not None:
            await begun
        number = self.fingerprints.of_url(url)
        if number != self.fingerprints.of_url(work.lease.url):
            work.had = not await self.session.claim(work.lease, number)

    def callback_failed(self, failure: Failure, response: Response | Failure) -> None:
        work = self._work_of(response)
        if work is not None:
            work.failure = f"callback failed: {in_words(failure)}"

    def item_failed(self, failure: Failure, response: Response | Failure | None) -> None:
        work = self._work_of(response)
        if work is not None:
            work.broken = f"pipeline failed: {in_words(failure)}"

    def _work_of(self, result: Response | Failure | None) -> Work | None:
        request: Request | None = getattr(result, "request", None)
        return None if request is None else self.by_token.get(request.meta.get(LEASE, 0))

    def ended(self, request: Request) -> None:
        """The engine is done with a request: the page has ended, unless another request goes on with it."""
        work = self.working.pop(request, None)
        if work is None or any(other.meta.get(LEASE) == work.lease.token for other in self.urgent):
            return
        del self.by_token[work.lease.token]
        ending = self.endings.of(work)
        if ending.kind == Kind.RETRY:
            self._unlearn(work.links)
        self.session.end(ending)

    def forget(self, ending: Ending) -> None:
        """The page was another worker's in the end: nothing of it was kept."""
        self._unlearn(ending.links)

    def _unlearn(self, links: Sequence[Link]) -> None:
        """Links that were not queued are news again."""
        for link in links:
            if link.fingerprint is not None:
                self.known.pop(link.fingerprint, None)
