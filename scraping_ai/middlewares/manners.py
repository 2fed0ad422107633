"""What a host's answer says about how it wants to be asked, whichever way it was asked."""

from __future__ import annotations

import logging
import time

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import (
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
)
from scrapy.http import Response

from scraping_ai.frontier.gates import Shown
from scraping_ai.frontier.politeness import Politeness
from scraping_ai.frontier.retry_after import STATUSES, seconds_of
from scraping_ai.frontier.visit import Visit

logger = logging.getLogger(__name__)

# The host, or what stands before it, may have more to do than it can. 500 is more often one page's own fault.
OVERLOADED = frozenset({429, 502, 503, 504, *range(520, 525)})
TROUBLE = (DownloadConnectionRefusedError, DownloadFailedError, DownloadTimeoutError, ResponseDataLossError)


class Manners:
    """Has a host's pace follow what it shows and asks for. RETRY_AFTER_MAX."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._politeness = Politeness.of(crawler)
        self._longest_hold = crawler.settings.getfloat("RETRY_AFTER_MAX", 3600.0)

    async def failed(self, visit: Visit, began: float) -> None:
        """A download that began then (`time.monotonic()`) had trouble."""
        await visit.answered(time.monotonic() - began - visit.waited, Shown.TROUBLE)

    async def heed(self, request: Request, response: Response, visit: Visit) -> None:
        """An answer came, after `request.meta["download_latency"]` seconds."""
        if response.status in STATUSES:
            await self._hold(response, visit)
        if response.status in OVERLOADED:
            shown = Shown.TROUBLE
        else:
            shown = Shown.WELL if response.status < 300 else Shown.PLAIN
        if not request.meta.get("autothrottle_dont_adjust_delay"):
            await visit.answered(request.meta["download_latency"], shown)

    async def _hold(self, response: Response, visit: Visit) -> None:
        fields = [field.decode("latin-1") for field in response.headers.getlist(b"Retry-After")]
        date = response.headers.get(b"Date")
        asked = seconds_of(fields, None if date is None else date.decode("latin-1"))
        seconds = min(asked, self._longest_hold)
        if not seconds:
            return
        if seconds >= visit.door.held + 1.0:
            limit = "" if asked == seconds else f", {seconds:.0f} s are granted (RETRY_AFTER_MAX)"
            logger.warning(
                "%s asks to be left alone for %.0f s (%d)%s",
                *(visit.gate, asked, response.status, limit),
                extra={"spider": self._crawler.spider},
            )
        await self._politeness.hold(visit.gate, seconds)
