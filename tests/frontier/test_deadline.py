"""Callbacks, pipelines and middlewares that never return: each costs its page, and the crawl goes on and closes."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar

import pytest
import scrapy
from scrapy.http import Response
from servers.crawls import Crawled, crawl
from servers.site import Site

from scraping_ai.frontier.protocol import Link
from scraping_ai.frontier.sqlite import SqliteFrontier

PAGES = [f"/{n}" for n in range(5)]
FOREVER = 1e6
DEAD = ("dead", "callback took longer than FRONTIER_PAGE_DEADLINE", 200)
SHORT = {"FRONTIER_PAGE_DEADLINE": 1.0, "FRONTIER_LEASE": 0.5, "FRONTIER_RETRY_MAX": 0.05}


class Hanging(scrapy.Spider):
    """What is to hang is for its subclasses to say; `most`: how often one page was under way at a time."""

    name = "hanging"
    urls: list[str]
    at_work: ClassVar[int] = 0
    most: ClassVar[int] = 0

    async def start(self) -> AsyncIterator[Any]:
        for url in self.urls:
            yield scrapy.Request(url, errback=self.failed)

    async def parse(self, response: Response) -> Any:
        if response.url.endswith("/hang"):
            Hanging.at_work += 1
            Hanging.most = max(Hanging.most, Hanging.at_work)
            try:
                async for one in self.hang(response):
                    yield one
            finally:
                Hanging.at_work -= 1
        else:
            yield {"url": response.url}

    async def hang(self, response: Response) -> AsyncIterator[Any]:
        yield {"hang": True}

    def failed(self, failure: Any) -> Any:
        raise failure.value


@pytest.fixture
def site() -> Iterator[Site]:
    with Site(dict.fromkeys(("/hang", *PAGES), "page")) as site:
        Hanging.at_work = Hanging.most = 0
        yield site


def run(spider: type[scrapy.Spider], site: Site, job: Path, **settings: Any) -> Crawled:
    urls = [site.url(path) for path in ("/hang", *PAGES)]
    return crawl(spider, job, {"urls": urls}, **(SHORT | settings))


def check(crawled: Crawled, site: Site, ending: tuple[str, str, int | None], attempts: int = 3) -> None:
    """All but the one that hangs are stored, and that one had so many attempts."""
    assert crawled.stats["finish_reason"] == "finished"
    assert (crawled.counts.stored, crawled.counts.dead, crawled.counts.pending) == (len(PAGES), 1, 0)
    assert crawled.ending(site.url("/hang")) == ending
    assert (site.paths.count("/hang"), Hanging.most <= 1) == (attempts, True)


def test_a_callback_that_never_returns_costs_its_page(site: Site, tmp_path: Path) -> None:
    class Forever(Hanging):
        async def hang(self, response: Response) -> AsyncIterator[Any]:
            await asyncio.sleep(FOREVER)
            yield {}

    check(run(Forever, site, tmp_path), site, DEAD)


def test_one_that_refuses_to_be_cancelled_is_run_once_and_what_it_says_later_is_refused(
    site: Site, tmp_path: Path
) -> None:
    class Stubborn(Hanging):
        async def hang(self, response: Response) -> AsyncIterator[Any]:
            try:
                await asyncio.sleep(FOREVER)
            except asyncio.CancelledError:
                while not dead():
                    await asyncio.sleep(0.01)
            self.crawler.engine.scheduler.offer_links(response, [site.url("/late")], 1)  # type: ignore[union-attr]
            yield {"late": True}
            yield scrapy.Request(site.url("/later"))
            Stubborn.ended = True

        ended = False

        async def parse(self, response: Response) -> Any:
            async for one in super().parse(response):
                yield one
            while response.url.endswith("/4") and not Stubborn.ended:
                await asyncio.sleep(0.01)

    def dead() -> Any:
        with closing(sqlite3.connect(tmp_path / "frontier.sqlite")) as db:
            return db.execute("SELECT 1 FROM entry WHERE state = 3").fetchone()

    crawled = run(Stubborn, site, tmp_path)
    check(crawled, site, (*DEAD[:2], None), attempts=1)
    assert {"late": True} not in crawled.items
    assert crawled.counts.added == len(PAGES) + 1


class Pipeline:
    """Never done with some items."""

    async def process_item(self, item: Any) -> Any:
        if "hang" in item:
            await asyncio.sleep(FOREVER)
        return item


class Deaf(Pipeline):
    """Nor when it is cancelled, until its spider is closed."""

    async def process_item(self, item: Any) -> Any:
        try:
            return await super().process_item(item)
        except asyncio.CancelledError:
            await self.closed.wait()
            return item

    def open_spider(self) -> None:
        self.closed = asyncio.Event()

    def close_spider(self) -> None:
        self.closed.set()


@pytest.mark.parametrize("items", [1, 3])
@pytest.mark.parametrize("pipeline", [Pipeline, Deaf])
def test_a_pipeline_that_never_returns_costs_its_page(
    site: Site, tmp_path: Path, pipeline: type[Pipeline], items: int
) -> None:
    class Yielding(Hanging):
        async def hang(self, response: Response) -> AsyncIterator[Any]:
            for _ in range(items):
                yield {"hang": True}

    check(run(Yielding, site, tmp_path, ITEM_PIPELINES={pipeline: 1}, FRONTIER_MAX_ATTEMPTS=1), site, DEAD, attempts=1)


class Middleware:
    """Never done with some answers."""

    async def process_response(self, request: scrapy.Request, response: Response) -> Response:
        if request.url.endswith("/hang"):
            await asyncio.sleep(FOREVER)
        return response


def test_a_middleware_that_never_returns_costs_its_page(site: Site, tmp_path: Path) -> None:
    crawled = run(Hanging, site, tmp_path, DOWNLOADER_MIDDLEWARES={Middleware: 1})
    check(crawled, site, ("dead", "took longer than FRONTIER_PAGE_DEADLINE", None))


def test_a_request_that_only_this_process_can_hold_does_not_hold_it_for_ever(site: Site, tmp_path: Path) -> None:
    class Private(Hanging):
        async def parse(self, response: Response) -> Any:
            yield scrapy.Request(site.url("/hang"), lambda response: self.hang(response))

        async def hang(self, response: Response) -> AsyncIterator[Any]:
            await asyncio.sleep(FOREVER)
            yield {}

    crawled = crawl(Private, tmp_path, {"urls": [site.url("/0")]}, **SHORT)
    assert (crawled.stats["finish_reason"], crawled.counts.stored) == ("finished", 1)


def test_a_suspect_is_not_begun_while_it_waits_to_be_alone(site: Site, tmp_path: Path) -> None:
    seen: list[Any] = []

    class Slow(Hanging):
        async def parse(self, response: Response) -> Any:
            if response.url == site.url("/0"):
                await accuse(tmp_path / "frontier.sqlite", site.url("/hang"))
            seen.append([response.url.removeprefix(site.url("")), await begun()])
            yield {}

    async def begun() -> set[Any]:
        """What the frontier says of the suspect, for some rounds."""
        with closing(sqlite3.connect(tmp_path / "frontier.sqlite")) as db:
            while not (found := db.execute("SELECT begun FROM entry WHERE losses = 2 AND state = 2").fetchall()):
                await asyncio.sleep(0.01)
            for _ in range(20):
                await asyncio.sleep(0.01)
                found += db.execute("SELECT begun FROM entry WHERE losses = 2").fetchall()
        return set(found)

    crawled = crawl(Slow, tmp_path, {"urls": [site.url("/0")]})
    assert seen == [["/0", {(0,)}], ["/hang", {(1,)}]]
    assert (crawled.counts.stored, crawled.counts.pending) == (2, 0)


async def accuse(file: Path, url: str) -> None:
    """A page that has cost two workers."""
    frontier = SqliteFrontier(file, term=0.0)
    await frontier.open()
    await frontier.add(Hanging.name, [Link(url, 1, "127.0.0.1")])
    for _ in range(2):
        await frontier.begin(await frontier.lease(1))
    await frontier.lease(0)
    await frontier.close()
