"""Links go from a page to the frontier as one batch of addresses: no request is made of those that are no news."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import scrapy
from scrapy import signals
from scrapy.http import Response
from servers.crawls import crawl
from servers.site import Site

from scraping_ai.frontier.links import links

PAGES = 50


@pytest.fixture
def site() -> Iterator[Site]:
    def page(n: int) -> str:
        return "".join(f"<a href=/{m % PAGES}?utm_source=x#part>{m}</a>" for m in range(n, n + 12))

    with Site({f"/{n}": page(n) for n in range(PAGES)}) as site:
        yield site


class Batched(scrapy.Spider):
    """As docs/frontier.md has it."""

    name = "batched"
    first: str
    scheduled = 0

    async def start(self) -> Any:
        self.crawler.signals.connect(self.count, signals.request_scheduled)
        yield scrapy.Request(self.first)

    def count(self) -> None:
        self.scheduled += 1

    def parse(self, response: Response) -> Any:
        found = links(response.selector.root, response.url)
        self.crawler.engine.scheduler.offer_links(response, found, response.meta.get("depth", 0) + 1)  # type: ignore
        yield {"url": response.url, "depth": response.meta.get("depth", 0), "scheduled": self.scheduled}


def test_links_are_offered_as_one_batch(site: Site, tmp_path: Path) -> None:
    crawled = crawl(Batched, tmp_path, {"first": site.url("/0")})
    assert sorted(path.partition("?")[0] for path in site.paths) == sorted(site.pages)
    assert (crawled.counts.stored, len(crawled.items)) == (PAGES, PAGES)
    assert crawled.counts.duplicates < PAGES * 12  # most are known here
    assert max(item["scheduled"] for item in crawled.items) == 1
    assert max(item["depth"] for item in crawled.items) > 3


def test_links_of_a_page_that_is_tried_again_are_found_again(site: Site, tmp_path: Path) -> None:
    class Failing:
        failed = False

        def process_item(self, item: Any) -> Any:
            if not Failing.failed:
                Failing.failed = True
                raise OSError("disk full")
            return item

    crawled = crawl(Batched, tmp_path, {"first": site.url("/0")}, ITEM_PIPELINES={Failing: 1})
    assert crawled.counts.stored == PAGES
    assert site.paths.count("/0") == 2
