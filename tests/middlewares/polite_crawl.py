"""Plain Scrapy spiders in one process, with the project's settings; run as a program by test_politeness.py.

Its one argument is a JSON list of {"urls": [...], "settings": {...}}, a spider each. On stdout, JSON: for each spider
what came of each URL: status and seconds of latency, or the error's class and text.
"""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from typing import Any

import scrapy
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.settings import Settings


class PlainSpider(scrapy.Spider):
    name = "plain"
    urls: list[str]
    outcomes: dict[str, Any]

    async def start(self) -> AsyncIterator[scrapy.Request]:
        for url in self.urls:
            yield scrapy.Request(url, self.parse, errback=self.failed, dont_filter=True, cb_kwargs={"asked": url})

    def parse(self, response: scrapy.http.Response, asked: str) -> None:
        self.outcomes[asked] = [response.status, response.meta["download_latency"]]

    def failed(self, failure: Any) -> None:
        asked = failure.request.cb_kwargs["asked"]
        self.outcomes[asked] = [type(failure.value).__name__, str(failure.value)]


def main() -> None:
    jobs = json.loads(sys.argv[1])
    settings = Settings()
    settings.setmodule("scraping_ai.settings", priority="project")
    settings["ALLOWED_PRIVATE_HOSTS"] = ["127.0.0.0/8"]
    process = AsyncCrawlerProcess(settings)
    outcomes: list[dict[str, Any]] = []
    for job in jobs:
        outcomes.append({})
        PlainSpider.custom_settings = job["settings"]
        process.crawl(process.create_crawler(PlainSpider), urls=job["urls"], outcomes=outcomes[-1])
    process.start()
    json.dump(outcomes, sys.stdout)


if __name__ == "__main__":
    main()
