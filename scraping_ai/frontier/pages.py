"""Pages under way: what the engine tells of their requests, until each has its ending."""

from __future__ import annotations

import logging
import time
from asyncio import Future, ensure_future, get_running_loop
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import Response
from twisted.python.failure import Failure

from scraping_ai.frontier.deadline import OVERDUE, Deadline
from scraping_ai.frontier.engine import Engine, Result, let_go
from scraping_ai.frontier.intake import Intake
from scraping_ai.frontier.protocol import Ending, Kind, Lease
from scraping_ai.frontier.ready import HORIZON, LATER
from scraping_ai.frontier.reasons import failure_reason
from scraping_ai.frontier.requests import NotJson, NotRequest, from_json, retried
from scraping_ai.frontier.session import Session
from scraping_ai.frontier.visit import NotSent
from scraping_ai.frontier.work import Endings, Work

logger = logging.getLogger(__name__)


class Pages:
    """Watches an engine on behalf of a session. FRONTIER_GRACE."""

    def __init__(self, crawler: Crawler, spider: Spider, intake: Intake, session: Session) -> None:
        self.spider, self.intake, self.session = spider, intake, session
        self.endings = Endings(crawler.settings)
        self.grace = crawler.settings.getfloat("FRONTIER_GRACE", 8.0)
        self.working: dict[Request, Work] = {}
        self.here: dict[Request, float] = {}  # only this process can hold them: when each began
        self.urgent: deque[Work] = deque()  # goes on with another request
        self.alone: Work | None = None  # under way with nothing beside it
        self.continuation: tuple[Work | None, Request] | None = None  # what is scheduled now is one's continuation
        self.source: Work | None = None  # on whose page the request was found that is scheduled now
        self.engine = Engine(crawler, self)
        self.deadline = Deadline(crawler.settings, self)

    def begin_alone(self) -> Request | None:
        """Take up a page that has cost workers once nothing else is under way and its loss would count."""
        if not self.engine.is_at_rest:
            return None
        lease = self.session.alone[0]
        if not self.session.is_begun(lease):
            self.session.begin(lease)
        if self.session.until_begun(lease) is not None:
            return None
        request = self._request_of(self.session.alone.popleft())
        self.alone = self.working[request] if request is not None else None
        return request

    def begin_here(self) -> Request:
        """Take up a request that only this process can hold."""
        request = self.intake.here.popleft()
        self.here[request] = time.monotonic()
        return request

    def begin(self, lease: Lease) -> Request | None:
        request = self._request_of(lease)
        gate = self.session.ready.gate_of(lease)
        if request is None:
            self.session.ready.done(gate)
        else:
            self.working[request].gate = gate
            self.session.begin(lease)
        return request

    def _request_of(self, lease: Lease) -> Request | None:
        if self.deadline.is_still_at(lease):
            self.session.end(Ending(lease, Kind.DEAD, OVERDUE))  # never twice at once
            return None
        try:
            request = from_json(lease.request, lease.url, lease.priority, self.spider, tries=lease.tries)
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
        self.continuation = (work, other)
        try:
            yield
        finally:
            self.continuation = None
            if work is not None and work.next is None and work.retry is None and work.reason is None:
                work.reason = f"not followed: {other.url}"

    def go_on_as(self, work: Work, request: Request) -> bool:
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
        return self.intake.is_known(self.intake.number_of(request), self.intake.task_of(lease))

    def go_on(self) -> Request | None:
        """The request that a page goes on with."""
        work = self.urgent.popleft()
        if work.next is None:
            return None
        work.request, work.next, work.result = work.next, None, None
        work.gate = self.session.ready.set_out(work.request.url)
        self.working[work.request] = work
        return work.request

    def arrived(self, request: Request, result: Result) -> Future[Any] | None:
        """Something came of a request. Callbacks wait until the frontier knows that the page is begun."""
        work = self.working.get(request)
        if work is None:
            return self._try_here_later(request, result) if was_not_sent(result) else None
        work.result = result
        self._leave(work)
        if was_not_sent(result):
            return _said(False)  # the page is tried later, and callbacks hear of it then
        if isinstance(result, Response) and "redirect_urls" in request.meta:
            return ensure_future(self._claim(work, request, result.url))
        return self.session.until_begun(work.lease)

    def _try_here_later(self, request: Request, result: Any) -> Future[Any]:
        """A request that only this process can hold, and that waited at a gate, is taken up again when that opens."""
        if after := result.value.after:
            self.intake.later += 1
            get_running_loop().call_later(after, self._take_up, request)
        return _said(False)

    def _take_up(self, request: Request) -> None:
        self.intake.later -= 1
        self.intake.here.append(request)
        self.engine.wake()

    def _leave(self, work: Work) -> None:
        """Its gate may let another in."""
        if work.gate is not None:
            self.session.ready.done(work.gate)
            work.gate = None

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
        self.source = self.of(result)
        try:
            yield
        finally:
            self.source = None

    def yielded_item(self, result: Result) -> None:
        work = self.of(result)
        if work is not None:
            work.yielded = True

    def callback_failed(self, failure: Failure, response: Result) -> None:
        work = self.of(response)
        if work is not None:
            work.failure = failure

    def item_failed(self, failure: Failure, response: Result | None) -> None:
        work = self.of(response)
        if work is not None:
            work.broken = f"pipeline failed: {failure_reason(failure.value)}"

    def of(self, result: Result | None) -> Work | None:
        """The page that something came of, if it is one of the frontier's."""
        request: Request | None = getattr(result, "request", None)
        return None if request is None else self.working.get(request)

    def ended(self, request: Request) -> None:
        """The engine is done with a request: the page has ended, unless another request goes on with it."""
        self.here.pop(request, None)
        work = self.working.pop(request, None)
        if work is None:
            return
        self._leave(work)
        if work.next is not None:
            self.urgent.append(work)
            return
        if work is self.alone:
            self.alone = None
        if was_not_sent(work.result):
            self._come_back(work)
        elif work.result is not None and not self.is_seen(work):
            self.session.end(Ending(work.lease, Kind.RELEASED))
        else:
            self.session.end(self.endings.of(work))
        if work.result is not None:
            let_go(work.result)

    def _come_back(self, work: Work) -> None:
        """Give back a page that waited at a gate: its own, or the one that it redirected to."""
        error = cast(NotSent, cast(Failure, work.result).value)
        if work.request.url != work.lease.url and error.after:
            self.session.end(Ending(work.lease, Kind.RETRY, str(error), after=error.after))
            return
        if error.after:
            self.session.pause(work.lease.host, max(error.after - HORIZON / 2, LATER))
        self.session.end(Ending(work.lease, Kind.RELEASED))

    def fail(self, request: Request, why: str) -> None:
        """Give up a request that takes too long: what comes of it all the same is refused."""
        self.here.pop(request, None)
        work = self.working.pop(request, None)
        if work is not None:
            self._leave(work)
            if work is self.alone:
                self.alone = None
            work.broken = why
            self.session.end(self.endings.of(work))
        self.engine.give_up([request])
        self.engine.wake()

    def is_over(self, result: Result | None) -> bool:
        """Whether something came of a page that was given up."""
        request: Request | None = getattr(result, "request", None)
        return request is not None and self.engine.is_given_up(request)

    def closing(self) -> None:
        """Give back what is not begun, and after FRONTIER_GRACE all that is still under way."""
        self.session.stop()
        get_running_loop().call_later(self.grace, self._end_grace)

    def give_back(self) -> None:
        """Give back all pages that no callback has seen."""
        self._release([request for request, work in self.working.items() if not self.is_seen(work)])

    def _end_grace(self) -> None:
        self.give_back()
        if self.working:
            logger.warning("given back, as FRONTIER_GRACE is over: %d pages with callbacks at work", len(self.working))
        self._release(self.engine.under_way)

    def _release(self, requests: Sequence[Request]) -> None:
        for request in requests:
            if (work := self.working.pop(request, None)) is not None:
                self.session.end(Ending(work.lease, Kind.RELEASED))
        self.engine.give_up(requests)

    def is_seen(self, work: Work) -> bool:
        """Whether callbacks are at work on a page."""
        return work.result is not None and not self.waits_for_frontier(work)

    def waits_for_frontier(self, work: Work) -> bool:
        """Whether callbacks wait for a word of the frontier."""
        return work.claiming or self.session.until_begun(work.lease) is not None

    def give_back_all(self) -> None:
        """Give back what is under way, as the engine has ended."""
        self.deadline.close()
        for work in (*self.working.values(), *self.urgent):
            self.session.end(Ending(work.lease, Kind.RELEASED))


def was_not_sent(result: Result | None) -> bool:
    """Whether a request waited at its host's gate, and was given up there."""
    return isinstance(result, Failure) and isinstance(result.value, NotSent)


def _said(word: bool) -> Future[bool]:
    future: Future[bool] = get_running_loop().create_future()
    future.set_result(word)
    return future
