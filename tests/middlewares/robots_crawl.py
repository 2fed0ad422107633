"""A plain Scrapy spider behind RobotsMiddleware and the project's download handler, run as a program by test_robots.py.

Its one argument is JSON: {"urls": [...], "settings": {...}, "theirs": bool, "cancel": [url, url], "pause": seconds
between URLs}. On stdout, JSON: each URL's outcomes (a status, or the error's class and text), the stats.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from typing import Any

import scrapy
from scrapy.crawler import AsyncCrawlerProcess

from scraping_ai import settings as project

THEIRS = "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware"
OURS = "scraping_ai.middlewares.robots.RobotsMiddleware"


class PlainSpider(scrapy.Spider):
    name = "plain"
    job: dict[str, Any]
    outcomes: dict[str, list[Any]]

    async def start(self) -> AsyncIterator[scrapy.Request]:
        if self.job.get("cancel"):
            await self.cancel_one_of_two()
        for url in self.job["urls"]:
            yield scrapy.Request(url, self.parse, errback=self.failed, dont_filter=True, cb_kwargs={"asked": url})
            await asyncio.sleep(self.job.get("pause", 0))

    async def cancel_one_of_two(self) -> None:
        first, second = (
            asyncio.ensure_future(self.crawler.engine.download_async(scrapy.Request(url))) for url in self.job["cancel"]
        )
        await asyncio.sleep(0.2)
        first.cancel()
        response = await second
        self.outcomes["cancelled"] = [first.cancelled(), response.status]

    def parse(self, response: scrapy.http.Response, asked: str) -> None:
        self.outcomes.setdefault(asked, []).append(response.status)

    def failed(self, failure: Any) -> None:
        asked = failure.request.cb_kwargs["asked"]
        self.outcomes.setdefault(asked, []).append([type(failure.value).__name__, str(failure.value)])


def main() -> None:
    job = json.loads(sys.argv[1])
    outcomes: dict[str, list[Any]] = {}
    settings = {
        "ROBOTSTXT_OBEY": True,
        "USER_AGENT": "ScrapingAI/1.0 (tests)",
        "HTTPERROR_ALLOW_ALL": True,
        "CONCURRENT_REQUESTS": 64,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 64,
        "RETRY_TIMES": 0,
        "TELNETCONSOLE_ENABLED": False,
        "ALLOWED_PRIVATE_HOSTS": ["127.0.0.0/8"],
        "DOWNLOAD_HANDLERS": project.DOWNLOAD_HANDLERS,
        "FETCH_HANDLERS": project.FETCH_HANDLERS,
        "ASYNCIO_EVENT_LOOP": project.ASYNCIO_EVENT_LOOP,
        "DOWNLOADER_MIDDLEWARES": {} if job.get("theirs") else {THEIRS: None, OURS: 100},
        **job.get("settings", {}),
    }
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(PlainSpider)
    process.crawl(crawler, job=job, outcomes=outcomes)
    process.start()
    json.dump({"outcomes": outcomes, "stats": crawler.stats.get_stats()}, sys.stdout, default=str)


if __name__ == "__main__":
    main()
