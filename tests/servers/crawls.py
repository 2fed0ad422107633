"""Crawls of ordinary spiders with the frontier as their scheduler, in this process and without a reactor."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from redis.asyncio import Redis
from scrapy import Spider, signals
from scrapy.crawler import AsyncCrawlerRunner
from scrapy.settings import Settings

from scraping_ai.frontier.protocol import Counts
from scraping_ai.frontier.redis import RedisFrontier
from scraping_ai.frontier.redis.keys import DEFAULT, prefix
from scraping_ai.frontier.sqlite import SqliteFrontier

SETTINGS: dict[str, Any] = {
    "SCHEDULER": "scraping_ai.frontier.scheduler.FrontierScheduler",
    "TWISTED_REACTOR_ENABLED": False,
    "LOG_ENABLED": False,
    "FRONTIER_RETRY_BASE": 0.01,
    "ALLOWED_PRIVATE_HOSTS": ["127.0.0.0/8"],
}


@dataclass(frozen=True, slots=True)
class Crawled:
    """What a crawl left behind."""

    counts: Counts
    items: list[Any]
    stats: dict[str, Any]
    endings: dict[str, tuple[str, str | None, int | None]]  # by address: outcome, reason, status

    def ending(self, url: str) -> tuple[str, str | None, int | None]:
        return self.endings[url]


def crawl(spider: type[Spider], job: Path, given: dict[str, Any] | None = None, **settings: Any) -> Crawled:
    """Run a spider to its end on a job folder; the sum that DESIGN promises is checked."""
    logging.getLogger("scrapy").setLevel(logging.CRITICAL)
    return asyncio.run(asyncio.wait_for(_crawl(spider, job, given or {}, settings), 30))


def crawl_in_redis(spider: type[Spider], url: str, given: dict[str, Any] | None = None, **settings: Any) -> Crawled:
    """As `crawl`, with the frontier in the Redis at `url`; endings of single pages are not known there."""
    logging.getLogger("scrapy").setLevel(logging.CRITICAL)
    return asyncio.run(asyncio.wait_for(_crawl_in_redis(spider, url, given or {}, settings), 30))


async def _crawl(spider: type[Spider], job: Path, given: dict[str, Any], settings: dict[str, Any]) -> Crawled:
    items, stats = await run(spider, given, {"JOBDIR": str(job)} | settings)
    return await left(job, spider.name, items, stats)


async def _crawl_in_redis(spider: type[Spider], url: str, given: dict[str, Any], settings: dict[str, Any]) -> Crawled:
    items, stats = await run(spider, given, {"FRONTIER_URL": url} | settings)
    return Crawled(await left_in_redis(url, spider.name), items, stats, {})


async def left_in_redis(url: str, task: str) -> Counts:
    """What a task's frontier counts."""
    frontier = RedisFrontier(Redis.from_url(url), prefix(DEFAULT, task))
    counts = await frontier.counts(task)
    await frontier.close()
    assert counts.added == counts.stored + counts.skipped + counts.dead + counts.pending
    return counts


async def run(
    spider: type[Spider], given: dict[str, Any], settings: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Run a spider to its end: its items and the stats."""
    runner = AsyncCrawlerRunner(Settings(SETTINGS | settings))
    crawler = runner.create_crawler(spider)
    items: list[Any] = []
    crawler.signals.connect(lambda item: items.append(item), signals.item_scraped, weak=False)
    await runner.crawl(crawler, **given)
    return items, crawler.stats.get_stats()


async def left(job: Path, task: str, items: list[Any] | None = None, stats: dict[str, Any] | None = None) -> Crawled:
    """What a job's file holds."""
    frontier = SqliteFrontier(job / "frontier.sqlite")
    await frontier.open()
    counts = await frontier.counts(task)
    pages = frontier.db.execute("SELECT url, outcome, reason, status FROM page").fetchall()
    dead = frontier.db.execute("SELECT url, 'dead', reason, status FROM entry WHERE state = 3").fetchall()
    await frontier.close()
    assert counts.added == counts.stored + counts.skipped + counts.dead + counts.pending
    return Crawled(counts, items or [], stats or {}, {url: tuple(rest) for url, *rest in [*pages, *dead]})
