"""What Scrapy 2.19 does not say in public about its engine: all of its internals that the frontier touches.

A request has ended when it leaves `engine._slot.inprogress`: only then have all its items left the pipelines. What came
of it passes through `scraper.enqueue_scrape`; no signal tells of either for every ending.
"""

from __future__ import annotations

from asyncio import Future
from collections.abc import Callable
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

Arrived = Callable[[Request, Response | Failure], "Future[None] | None"]


class WatchedSet(set[Request]):
    """A set of requests that tells of each one taken out."""

    def __init__(self, requests: set[Request], removed: Callable[[Request], None]) -> None:
        super().__init__(requests)
        self._removed = removed

    def remove(self, request: Request) -> None:
        super().remove(request)
        self._removed(request)


def watch(crawler: Crawler, arrived: Arrived, ended: Callable[[Request], None]) -> None:
    """Call `arrived` with what came of each request, before callbacks see it, and `ended` when all is over with it.

    What `arrived` returns is waited for first. To be called while the spider is being opened.
    """
    engine: Any = crawler.engine
    engine._slot.inprogress = WatchedSet(engine._slot.inprogress, ended)
    scrape = engine.scraper.enqueue_scrape

    def enqueue_scrape(result: Response | Failure, request: Request) -> Deferred[None]:
        waiting = arrived(request, result)
        if waiting is None:
            return scrape(result, request)  # type: ignore[no-any-return]
        return deferred_from_coro(_after(waiting, lambda: scrape(result, request)))

    engine.scraper.enqueue_scrape = enqueue_scrape


async def _after(waiting: Future[None], scrape: Callable[[], Deferred[None]]) -> None:
    await waiting
    await scrape().asFuture(waiting.get_loop())


def wake(crawler: Crawler) -> None:
    """Have the engine ask for requests, and whether it is done: by itself it does so every five seconds."""
    slot = crawler.engine._slot if crawler.engine is not None else None
    if slot is not None and slot.closing is None:
        slot.nextcall.schedule()


def is_with_spider(crawler: Crawler, request: Request) -> bool:
    """Whether callbacks are at work on what came of a request: what is scheduled then comes from the spider."""
    slot = crawler.engine.scraper.slot if crawler.engine is not None else None
    return slot is not None and request in slot.active
