"""What Scrapy 2.19 does not say in public about a spider that closes: the engine's internals, all in one place."""

from __future__ import annotations

import asyncio
import logging

from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

MOMENT = 0.02  # seconds; the engine counts an item as done a moment after the item's last signal


def is_closing(crawler: Crawler) -> bool:
    """Whether the spider has been asked to end: `start` is read on all the same."""
    slot = crawler.engine._slot
    return slot is None or slot.closing is not None


def item_done(crawler: Crawler) -> None:
    """Tell the scraper that an item of `start` is done: it only looks when a response is, and waits for ever."""
    asyncio.get_running_loop().call_later(MOMENT, _look, crawler)


def _look(crawler: Crawler) -> None:
    slot = crawler.engine.scraper.slot
    if slot is not None and slot.closing is not None and not slot.closing.called:
        crawler.engine.scraper._check_if_closing()


def close(crawler: Crawler, reason: str) -> None:
    """Ask the spider to end, from anywhere in the event loop."""
    if not is_closing(crawler):
        task = asyncio.get_running_loop().create_task(crawler.engine.close_spider_async(reason=reason))
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
