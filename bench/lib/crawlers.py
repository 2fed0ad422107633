"""Crawlers that bench/crawl.py measures, each in a process of its own:

    python bench/lib/crawlers.py NAME ADDRESS FOLDER

Each crawls the whole site, parses every page, reads fields and offers all links. It prints how many pages it had.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any


def scrapy_crawl(spider: type, settings: dict[str, Any], url: str) -> None:
    from scrapy.crawler import AsyncCrawlerProcess

    process = AsyncCrawlerProcess({"LOG_LEVEL": "WARNING", **settings})
    crawler = process.create_crawler(spider)
    process.crawl(crawler, url=url)
    process.start()
    print(json.dumps({"pages": crawler.stats.get_value("item_scraped_count", 0)}))


def plain_spider(fields: Callable[[Any], dict[str, Any]]) -> type:
    """As Scrapy's tutorial has it: an item, and a request for each link."""
    from scrapy import Spider

    class Plain(Spider):
        name = "plain"

        def __init__(self, url: str) -> None:
            super().__init__()
            self.start_urls = [url]

        def parse(self, response: Any) -> Iterator[Any]:
            yield fields(response)
            yield from response.follow_all(css="a")

    return Plain


def two(response: Any) -> dict[str, Any]:
    return {"title": response.css("h1::text").get(), "price": response.css(".price::text").get()}


def three(response: Any) -> dict[str, Any]:
    """With values of the types that `scrapy extract` gives."""
    found = two(response)
    price = float(found["price"].removeprefix("€"))
    return {"title": found["title"], "price": price, "sku": response.css(".sku::text").get(), "_url": response.url}


def scrapy(url: str, folder: Path) -> None:
    scrapy_crawl(plain_spider(two), {}, url)


def scrapy_fields(url: str, folder: Path) -> None:
    scrapy_crawl(plain_spider(three), {"FEEDS": {str(folder / "plain.jsonl"): {"format": "jsonlines"}}}, url)


def scrapy_redis(url: str, folder: Path) -> None:
    settings = {
        "SCHEDULER": "scrapy_redis.scheduler.Scheduler",
        "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter",
    }
    scrapy_crawl(plain_spider(two), settings | redis_of(folder), url)


def ours_spider() -> type:
    """The links of a page go to the frontier as one batch."""
    from scrapy import Spider

    from scraping_ai.frontier.links import links

    class Ours(Spider):
        name = "ours"

        def __init__(self, url: str) -> None:
            super().__init__()
            self.start_urls = [url]

        def parse(self, response: Any) -> Iterator[Any]:
            yield two(response)
            found = links(response.selector.root, response.url)
            self.crawler.engine._slot.scheduler.offer_links(response, found, response.meta.get("depth", 0) + 1)

    return Ours


def user_settings() -> dict[str, Any]:
    """The settings that users get, but for the pause between two requests."""
    from scraping_ai import settings

    named = {name: value for name, value in vars(settings).items() if name.isupper()}
    return named | {"DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": False, "ALLOWED_PRIVATE_HOSTS": ["127.0.0.1"]}


def ours(url: str, folder: Path) -> None:
    scrapy_crawl(ours_spider(), user_settings() | {"JOBDIR": str(folder / "job"), "LOG_LEVEL": "WARNING"}, url)


def ours_redis(url: str, folder: Path) -> None:
    scrapy_crawl(ours_spider(), user_settings() | {"LOG_LEVEL": "WARNING"} | redis_of(folder), url)


def redis_of(folder: Path) -> dict[str, Any]:
    return {"REDIS_URL": (folder / "redis").read_text()}


def crawlee(url: str, folder: Path) -> None:
    import asyncio
    import logging

    from crawlee import service_locator
    from crawlee.crawlers import ParselCrawler, ParselCrawlingContext
    from crawlee.storage_clients import MemoryStorageClient

    pages = 0

    async def main() -> None:
        service_locator.set_storage_client(MemoryStorageClient())
        crawler = ParselCrawler(configure_logging=False)
        logging.getLogger("crawlee").setLevel(logging.WARNING)

        @crawler.router.default_handler
        async def parse(context: ParselCrawlingContext) -> None:
            nonlocal pages
            pages += 1
            css = context.selector.css
            await context.push_data({"title": css("h1::text").get(), "price": css(".price::text").get()})
            await context.enqueue_links()

        await crawler.run([url])

    asyncio.run(main())
    print(json.dumps({"pages": pages}))


SIDES = {side.__name__: side for side in (scrapy, scrapy_fields, scrapy_redis, ours, ours_redis, crawlee)}

if __name__ == "__main__":
    SIDES[sys.argv[1]](sys.argv[2], Path(sys.argv[3]))
