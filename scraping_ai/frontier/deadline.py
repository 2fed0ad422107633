"""Pages that take too long: a callback that never returns costs its page, not the crawl."""

from __future__ import annotations

import logging
import time
from asyncio import get_running_loop
from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.settings import BaseSettings

from scraping_ai.frontier.protocol import Lease

if TYPE_CHECKING:
    from scraping_ai.frontier.pages import Pages

logger = logging.getLogger(__name__)

OVERDUE = "callback took longer than FRONTIER_PAGE_DEADLINE"
LATE = "took longer than FRONTIER_PAGE_DEADLINE"  # to be fetched
MOMENT = 0.05  # seconds between two looks, at least


class Deadline:
    """Gives up what takes longer than FRONTIER_PAGE_DEADLINE; the time that pages wait for the frontier is free."""

    def __init__(self, settings: BaseSettings, pages: Pages) -> None:
        self._pages = pages
        self._seconds = settings.getfloat("FRONTIER_PAGE_DEADLINE", 600.0)
        self._given_up: dict[int | str, Request] = {}  # by entry
        self._next = get_running_loop().call_later(self._seconds, self._look)

    def close(self) -> None:
        self._next.cancel()

    def is_still_at(self, lease: Lease) -> bool:
        """Whether callbacks that were given up work on that page all the same: they may refuse to be cancelled."""
        request = self._given_up.pop(lease.id, None)
        return request is not None and self._pages.engine.is_at_work(request)

    def _look(self) -> None:
        pages, now = self._pages, time.monotonic()
        late = now - self._seconds
        for request, work in [*pages.working.items()]:
            if work.began <= late and not pages.waits_for_frontier(work):
                self._given_up[work.lease.id] = request
                self._warn(request, why := OVERDUE if pages.is_seen(work) else LATE)
                pages.fail(request, why)
        for request in [request for request, began in pages.here.items() if began <= late]:
            self._warn(request, OVERDUE)
            pages.fail(request, OVERDUE)
        oldest = min((*(work.began for work in pages.working.values()), *pages.here.values()), default=now)
        self._next = get_running_loop().call_later(max(oldest - late, MOMENT), self._look)

    def _warn(self, request: Request, why: str) -> None:
        logger.warning("%s: %s", request.url, why)
