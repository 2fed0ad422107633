"""Crawls over the Redis backend, on every server that is here."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import scrapy
from scrapy.http import Response
from scrapy.settings import Settings
from servers.crawls import crawl_in_redis
from servers.redis import RedisServer, binaries
from servers.site import Resource, Site

from scraping_ai.frontier.backends import choose
from scraping_ai.frontier.protocol import FrontierError
from scraping_ai.frontier.redis import RedisFrontier
from scraping_ai.frontier.sqlite import SqliteFrontier

PAGES = 60


@pytest.fixture(params=binaries(), ids=lambda path: path.name)
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RedisServer]:
    with RedisServer(tmp_path / "redis", request.param) as server:
        yield server


@pytest.fixture
def site() -> Iterator[Site]:
    def page(number: int) -> str:
        return "".join(f'<a href="/{n % PAGES}">{n}</a>' for n in range(number, number + 9)) + '<a href="/gone">x</a>'

    pages: dict[str, Any] = {f"/{number}": page(number) for number in range(PAGES)}
    with Site(pages | {"/gone": Resource("gone", 410), "/7": Resource(status=302, headers={"Location": "/8"})}) as site:
        yield site


class Walker(scrapy.Spider):
    """Follows every link."""

    name = "walker"
    first: str

    async def start(self) -> AsyncIterator[Any]:
        yield scrapy.Request(self.first)

    def parse(self, response: Response) -> Any:
        yield {"url": response.url}
        yield from response.follow_all(css="a", cb_kwargs={"from_": response.url}, callback=self.parse_more)

    def parse_more(self, response: Response, from_: str) -> Any:
        return self.parse(response)


def test_a_crawl_takes_every_page_once(server: RedisServer, site: Site) -> None:
    crawled = crawl_in_redis(Walker, server.url, {"first": site.url("/0")})
    assert crawled.stats["finish_reason"] == "finished"
    assert sorted(item["url"] for item in crawled.items) == sorted(site.url(f"/{n}") for n in range(PAGES) if n != 7)
    assert (crawled.counts.stored, crawled.counts.skipped, crawled.counts.pending) == (PAGES - 1, 2, 0)
    assert len(site.hits) <= PAGES + 2


def test_a_second_crawl_of_the_task_has_nothing_left_to_do(server: RedisServer, site: Site) -> None:
    first = crawl_in_redis(Walker, server.url, {"first": site.url("/0")})
    again = crawl_in_redis(Walker, server.url, {"first": site.url("/0")})
    assert again.items == []
    assert again.counts.stored == first.counts.stored


def chosen(**settings: Any) -> object:
    return choose(Settings(settings), "task").frontier


def test_settings_choose_the_backend(tmp_path: Path) -> None:
    assert isinstance(chosen(), SqliteFrontier)
    for named in ({"FRONTIER_URL": "redis://h"}, {"REDIS_URL": "redis://h"}, {"REDIS_HOST": "h"}):
        assert isinstance(chosen(**named), RedisFrontier)
        assert isinstance(chosen(JOBDIR=str(tmp_path), **named), SqliteFrontier)
    assert isinstance(chosen(REDIS_PARAMS={"host": "h", "retry_on_timeout": True}), RedisFrontier)


def test_settings_of_scrapy_redis_reach_the_client() -> None:
    wanted = {"host": "h", "port": 7, "db": 3, "password": "p"}
    params = {"password": "p", "socket_timeout": 5}
    frontier = chosen(REDIS_HOST="h", REDIS_PORT="7", REDIS_DB=3, REDIS_PARAMS=params, FRONTIER_KEY="{x}:%(spider)s")
    assert isinstance(frontier, RedisFrontier)
    given = frontier.client.connection_pool.connection_kwargs
    assert {name: given[name] for name in wanted} == wanted
    assert (given["socket_timeout"], frontier.prefix) == (5, "{_x_:task}")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"REDIS_URL": "http://h"}, "Redis"),
        ({"REDIS_HOST": "h", "REDIS_PARAMS": {"hots": "h"}}, "hots"),
        ({"REDIS_HOST": "h", "REDIS_PARAMS": {"redis_cls": "redis.Redis"}}, "redis_cls"),
        ({"REDIS_HOST": "h", "FRONTIER_KEY": "%(name)s"}, "FRONTIER_KEY"),
    ],
)
def test_wrong_settings_are_told(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(FrontierError, match=said):
        chosen(**settings)
