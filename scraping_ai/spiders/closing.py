"""What Scrapy 2.19 does not say in public about a spider that closes: the engine's internals, all in one place."""

from __future__ import annotations

import asyncio

from scrapy.crawler import Crawler


def is_closing(crawler: Crawler) -> bool:
    """Whether the spider has been asked to end: `start` is read on all the same."""
    slot = crawler.engine._slot
    return slot is None or slot.closing is not None


def close(crawler: Crawler, reason: str) -> None:
    """Ask the spider to end, from anywhere in the event loop."""
    if not is_closing(crawler):
        task = asyncio.get_running_loop().create_task(crawler.engine.close_spider_async(reason=reason))
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
