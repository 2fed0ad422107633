"""Spiders that read their seeds from Redis, scrapy-redis's own among them, with SCHEDULER alone set."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import scrapy
from redis import Redis
from redis.asyncio import Redis as AsyncRedis
from scrapy.http import Response
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import Rule
from scrapy_redis.spiders import RedisCrawlSpider, RedisSpider
from servers.crawls import Crawled, crawl, crawl_in_redis
from servers.redis import RedisServer, binaries
from servers.site import Hit, Site

from scraping_ai.frontier.redis.keys import DEFAULT, prefix
from scraping_ai.frontier.redis.seeds import Form, SeedSource, seed_of


@pytest.fixture(params=binaries(), ids=lambda path: path.name, scope="module")
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with RedisServer(tmp_path_factory.mktemp("redis"), request.param) as server:
        yield server


@pytest.fixture
def redis(server: RedisServer) -> Iterator[Redis]:
    with Redis.from_url(server.url) as client:
        client.flushall()
        yield client


@pytest.fixture
def site() -> Iterator[Site]:
    with Site({"/": "<a href=/list>", "/list": "<a href=/1><a href=/2>", "/1": "one", "/2": "two"}) as site:
        yield site


class MySpider(RedisSpider):
    """As scrapy-redis's example has it."""

    name = "myspider_redis"
    redis_key = "myspider:start_urls"

    def parse(self, response: Response) -> Any:
        assert response.request is not None
        return {"url": response.url, "meta": response.meta.get("job-id"), "method": response.request.method}


def run(spider: type[scrapy.Spider], server: RedisServer, n: int, **settings: Any) -> Crawled:
    """Crawl until n items came."""
    return crawl_in_redis(spider, server.url, REDIS_URL=server.url, CLOSESPIDER_ITEMCOUNT=n, **settings)


@pytest.mark.parametrize(
    ("put", "settings"),
    [
        (lambda redis, key, seeds: redis.lpush(key, *seeds), {}),
        (lambda redis, key, seeds: redis.sadd(key, *seeds), {"REDIS_START_URLS_AS_SET": True}),
        (lambda redis, key, seeds: redis.zadd(key, dict.fromkeys(seeds, 1)), {"REDIS_START_URLS_AS_ZSET": True}),
    ],
    ids=["list", "set", "zset"],
)
def test_a_redis_spider_reads_its_seeds(
    server: RedisServer, redis: Redis, site: Site, put: Callable[..., Any], settings: dict[str, Any]
) -> None:
    seeds = [
        site.url("/1"),
        json.dumps({"url": site.url("/2"), "meta": {"job-id": "123xsd"}}),
        json.dumps({"url": site.url("/"), "method": "POST", "a": "b"}),
    ]
    put(redis, "myspider:start_urls", seeds)
    crawled = run(MySpider, server, 3, **settings)
    assert sorted(crawled.items, key=lambda item: item["url"]) == [
        {"url": site.url("/"), "meta": None, "method": "POST"},
        {"url": site.url("/1"), "meta": None, "method": "GET"},
        {"url": site.url("/2"), "meta": "123xsd", "method": "GET"},
    ]
    assert [hit.body for hit in site.hits if hit.method == "POST"] == [b"a=b"]
    assert crawled.stats["frontier/seeds"] == 3
    assert not redis.exists("myspider:start_urls", "myspider:start_urls:taking")


def test_a_seed_put_there_again_is_fetched_again(server: RedisServer, redis: Redis, site: Site) -> None:
    redis.lpush("myspider:start_urls", site.url("/1"), site.url("/1"))
    assert run(MySpider, server, 2).counts.stored == 2
    redis.lpush("myspider:start_urls", site.url("/1"))
    assert run(MySpider, server, 1).counts.stored == 3


def test_a_redis_crawl_spider_follows_its_rules(server: RedisServer, redis: Redis, site: Site) -> None:
    class MyCrawler(RedisCrawlSpider):
        name = "mycrawler_redis"
        redis_key = "mycrawler:start_urls"
        rules = (Rule(LinkExtractor(), callback="parse_page", follow=True),)

        def parse_page(self, response: Response) -> Any:
            return {"url": response.url}

    redis.lpush("mycrawler:start_urls", site.url("/"))
    crawled = run(MyCrawler, server, 3)
    assert sorted(item["url"] for item in crawled.items) == [site.url(path) for path in ("/1", "/2", "/list")]


def test_seeds_are_taken_in_while_the_spider_is_at_work(server: RedisServer, redis: Redis) -> None:
    second = threading.Event()

    def slow(hit: Hit) -> str:
        redis.lpush("myspider:start_urls", site.url("/second"))
        return "in time" if second.wait(20) else "too late"

    def quick(hit: Hit) -> str:
        second.set()
        return "here"

    class Reading(MySpider):
        def parse(self, response: Response) -> Any:
            return {"text": response.text}

    with Site({"/first": slow, "/second": quick}) as site:
        redis.lpush("myspider:start_urls", site.url("/first"))
        crawled = run(Reading, server, 2)
    assert sorted(item["text"] for item in crawled.items) == ["here", "in time"]


@pytest.mark.parametrize("kind", [RedisSpider, scrapy.Spider])
def test_a_spider_whose_seeds_end_waits_as_long_as_it_is_told(
    server: RedisServer, redis: Redis, site: Site, kind: type[scrapy.Spider]
) -> None:
    class Waiting(kind):  # type: ignore[misc, valid-type]
        name = "waiting"
        redis_key = "%(name)s:start_urls"

        def parse(self, response: Response) -> Any:
            return {"url": response.url}

    redis.lpush("waiting:start_urls", site.url("/1"))
    crawled = crawl_in_redis(Waiting, server.url, REDIS_URL=server.url, MAX_IDLE_TIME_BEFORE_CLOSE=1)
    assert (len(crawled.items), crawled.stats["finish_reason"]) == (1, "finished")


def test_a_spider_without_scrapy_redis_takes_whole_requests(server: RedisServer, redis: Redis, site: Site) -> None:
    class Plain(scrapy.Spider):
        name = "plain"
        redis_key = None

        def named(self, response: Response, number: int) -> Any:
            return {"url": response.url, "number": number, "kept": response.meta["kept"], "obeys": obeys(response)}

    def obeys(response: Response) -> bool:
        return not {"dont_obey_robotstxt", "proxy"} & response.meta.keys()

    seed = {
        "url": site.url("/1"),
        "callback": "named",
        "cb_kwargs": {"number": 7},
        "meta": {"kept": [1], "dont_obey_robotstxt": True, "proxy": "http://127.0.0.1:1"},
        "priority": 3,
    }
    redis.lpush("plain:start_urls", json.dumps(seed))
    assert run(Plain, server, 1).items == [{"url": site.url("/1"), "number": 7, "kept": [1], "obeys": True}]


def test_what_is_no_seed_is_set_aside(
    server: RedisServer, redis: Redis, site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    wrong = [b"\xff\xfe", b"no address", b'{"url": 7}', json.dumps({"url": site.url("/1"), "meta": 3}).encode()]
    redis.lpush("myspider:start_urls", site.url("/1"), *wrong)
    crawled = run(MySpider, server, 1)
    assert crawled.items[0]["url"] == site.url("/1")
    assert (crawled.counts.added, crawled.stats["frontier/seeds_refused"]) == (1, 4)
    assert sorted(redis.lrange("myspider:start_urls:refused", 0, -1)) == sorted(wrong)
    assert sum(record.getMessage().startswith("no seed: ") for record in caplog.records) == 4


def test_a_key_of_another_kind_is_told(server: RedisServer, redis: Redis, caplog: pytest.LogCaptureFixture) -> None:
    redis.set("myspider:start_urls", "text")
    assert run(MySpider, server, 1).stats["finish_reason"] == "frontier_failed"
    assert "what stands under myspider:start_urls in Redis is no list" in caplog.text


def test_seeds_of_a_worker_that_is_gone_are_taken_again_and_count_once(
    server: RedisServer, redis: Redis, site: Site
) -> None:
    async def take(gone: float) -> list[bytes]:
        source = SeedSource(AsyncRedis.from_url(server.url), "myspider:start_urls", Form.LIST, gone)
        try:
            return await source.take(2)
        finally:
            await source.close()

    redis.rpush("myspider:start_urls", *map(site.url, ("/1", "/2", "/list")))
    first = asyncio.run(take(0.0))
    assert [seed_of(one).decode() for one in first] == [site.url("/1"), site.url("/2")]
    again = asyncio.run(take(60.0))
    assert again == first
    assert [seed_of(one).decode() for one in asyncio.run(take(0.0))] == [site.url("/list")]
    for one in first:
        redis.zadd("myspider:start_urls:taking", {one: 0})
    assert run(MySpider, server, 3).counts.added == 3
    for one in first:  # the worker had died after the frontier took them in
        redis.zadd("myspider:start_urls:taking", {one: 0})
    redis.lpush("myspider:start_urls", site.url("/"))
    assert run(MySpider, server, 1).counts.added == 4
    assert not redis.exists("myspider:start_urls:taking")


def test_a_file_may_hold_the_frontier_of_a_spider_that_reads_seeds(
    server: RedisServer, redis: Redis, site: Site, tmp_path: Path
) -> None:
    redis.lpush("myspider:start_urls", site.url("/1"))
    crawled = crawl(MySpider, tmp_path, REDIS_URL=server.url, CLOSESPIDER_ITEMCOUNT=1)
    assert crawled.ending(site.url("/1")) == ("stored", None, 200)


class Walker(scrapy.Spider):
    """An ordinary spider."""

    name = "walker"
    url: str

    async def start(self) -> Any:
        yield scrapy.Request(self.url)

    def parse(self, response: Response) -> Any:
        yield {"url": response.url}
        yield from response.follow_all(css="a")  # type: ignore[attr-defined]


def walk(server: RedisServer, site: Site, **settings: Any) -> Crawled:
    return crawl_in_redis(Walker, server.url, {"url": site.url("/")}, REDIS_URL=server.url, **settings)


def test_pickled_requests_of_scrapy_redis_are_refused(
    server: RedisServer, redis: Redis, site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    redis.zadd("walker:requests", {b"\x80\x04": 1})
    assert walk(server, site).stats["finish_reason"] == "frontier_failed"
    assert "requests of scrapy-redis wait under walker:requests" in caplog.text
    assert (site.hits, redis.zcard("walker:requests")) == ([], 1)


def test_a_task_that_is_done_says_so_and_begins_anew_when_told_to(
    server: RedisServer, redis: Redis, site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    assert len(walk(server, site).items) == 4
    assert "is done" not in caplog.text
    assert walk(server, site).items == []
    assert "task 'walker' is done, and its 4 addresses are known" in caplog.text
    redis.set("other", "kept")
    assert len(walk(server, site, SCHEDULER_FLUSH_ON_START=True).items) == 4
    assert redis.get("other") == b"kept"


def test_to_begin_anew_deletes_nothing_of_other_tasks(server: RedisServer, redis: Redis, site: Site) -> None:
    shared = {"FRONTIER_KEY": "shared", "SCHEDULER_FLUSH_ON_START": True}

    class Other(Walker):
        name = "other"

    assert len(walk(server, site, **shared).items) == 4
    given = {"url": site.url("/")}
    assert len(crawl_in_redis(Other, server.url, given, REDIS_URL=server.url, **shared).items) == 4
    assert sorted(redis.hkeys(f"{prefix('shared', '')}:tasks")) == [b"other", b"walker"]


def test_to_begin_anew_works_on_what_is_damaged(server: RedisServer, redis: Redis, site: Site) -> None:
    assert len(walk(server, site).items) == 4
    redis.delete(f"{prefix(DEFAULT, 'walker')}:tasks")
    assert len(walk(server, site, SCHEDULER_FLUSH_ON_START=True).items) == 4


def test_a_task_that_is_done_is_forgotten_when_told_so(server: RedisServer, redis: Redis, site: Site) -> None:
    for _ in range(2):
        assert len(walk(server, site, SCHEDULER_PERSIST=False).items) == 4
    kept = {key.decode().rpartition(":")[2] for key in redis.scan_iter(f"{prefix(DEFAULT, 'walker')}:*")}
    assert kept == {"counters"}
    walk(server, site, SCHEDULER_PERSIST=False, CLOSESPIDER_ITEMCOUNT=1, CONCURRENT_REQUESTS=1)
    assert len(site.hits) < 12
    walk(server, site, SCHEDULER_PERSIST=False)
    assert len(site.hits) == 12


def test_settings_of_scrapy_redis_without_effect_are_named(
    server: RedisServer, redis: Redis, site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    given = {
        "SCHEDULER_QUEUE_CLASS": "scrapy_redis.queue.LifoQueue",
        "SCHEDULER_SERIALIZER": "scrapy_redis.picklecompat",
        "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter",
        "SCHEDULER_PERSIST": True,
    }
    assert len(walk(server, site, **given).items) == 4
    lines = [record.getMessage() for record in caplog.records if "is not used" in record.getMessage()]
    assert lines == [
        "SCHEDULER_QUEUE_CLASS is not used: pages come by priority, then depth, then first in",
        "SCHEDULER_SERIALIZER is not used: requests are kept as JSON",
    ]
