"""A fleet over one Redis: its workers and its server are killed, stopped and shut out; every page is stored once."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Iterator
from pathlib import Path
from signal import SIGCONT, SIGKILL, SIGSTOP, SIGTERM
from typing import Any

import pytest
import redis
from redis.asyncio import Redis
from servers.crawls import left_in_redis
from servers.redis import RedisServer, binaries
from servers.site import Resource, Site
from servers.workers import Walker, Worker, Workers, tree, until

from scraping_ai.frontier.protocol import Counts, Lease
from scraping_ai.frontier.redis import RedisFrontier
from scraping_ai.frontier.redis.keys import DEFAULT, prefix

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("kills")]

PAGES = 120
SOON = {"FRONTIER_LEASE": 0.6, "CONCURRENT_REQUESTS": 4, "FRONTIER_AT_ONCE": 4}


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    with Workers(tmp_path_factory.mktemp("workers")) as workers:
        yield workers


@pytest.fixture(params=binaries(), ids=lambda path: path.name)
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RedisServer]:
    with RedisServer(tmp_path / "redis", request.param, "--appendfsync", "always") as server:
        yield server


@pytest.fixture
def site() -> Iterator[Site]:
    with Site(tree(PAGES, delay=0.01)) as site:
        yield site


def counts(server: RedisServer) -> Counts:
    """The sum is checked."""
    return asyncio.run(left_in_redis(server.url, Walker.name))


def check_whole(server: RedisServer, stored: int = PAGES, dead: int = 0) -> None:
    found = counts(server)
    assert (found.added, found.stored, found.dead, found.pending) == (stored + dead, stored, dead, 0)


def start(workers: Workers, server: RedisServer, urls: str, dying: list[Any] | None = None, **settings: Any) -> Worker:
    return workers.start(urls, {"FRONTIER_URL": server.url} | SOON | settings, dying)


CALLS = [(method, when) for method in ("add", "lease", "begin", "settle") for when in ("before", "after")]


def test_workers_die_around_each_step(server: RedisServer, site: Site, workers: Workers) -> None:
    """All of a fleet but one, each at a step of its own."""
    fleet = [start(workers, server, site.url("/0"), [*call, 1], FRONTIER_MAX_ATTEMPTS=99) for call in CALLS]
    ended = [worker.wait() for worker in fleet]
    assert set(ended) <= {-SIGKILL, 0}  # others may have had all by the time of their step
    assert ended.count(-SIGKILL) >= 4
    assert start(workers, server, site.url("/0"), FRONTIER_MAX_ATTEMPTS=99).wait() == 0
    check_whole(server)


@pytest.mark.parametrize("seed", range(2))
def test_workers_and_their_server_are_killed_at_random_moments(
    server: RedisServer, site: Site, workers: Workers, seed: int
) -> None:
    moments = random.Random(seed)
    settings = {"FRONTIER_MAX_ATTEMPTS": 1_000}
    fleet = [start(workers, server, site.url("/0"), **settings) for _ in range(3)]
    for n in range(9):
        time.sleep(moments.uniform(0.05, 0.3))
        fleet[n % 3].send(SIGKILL)
        assert fleet[n % 3].wait() in (-SIGKILL, 0)
        if n % 3 == 2:
            server.kill()
            time.sleep(0.1)
            server.start()
        fleet[n % 3] = start(workers, server, site.url("/0"), **settings)
    assert [worker.wait() for worker in fleet] == [0, 0, 0]
    check_whole(server)


def test_a_server_that_is_away_is_waited_for_and_its_pages_are_fetched_once(
    server: RedisServer, site: Site, workers: Workers
) -> None:
    fleet = [start(workers, server, site.url("/0"), FRONTIER_LEASE=60) for _ in range(2)]
    for hits in (20, 60):
        until(lambda hits=hits: len(site.hits) >= hits)
        before = workers.log.count("is away")
        server.kill()
        until(lambda before=before: workers.log.count("is away") > before)
        server.start()
    assert [worker.wait() for worker in fleet] == [0, 0]
    check_whole(server)
    assert len(site.hits) == PAGES


def test_a_full_server_holds_the_crawl_with_one_line_and_it_goes_on(
    server: RedisServer, site: Site, workers: Workers
) -> None:
    admin = redis.Redis(port=server.port)
    before = workers.log.count("Redis is full")
    worker = start(workers, server, site.url("/0"), FRONTIER_LEASE=60)
    until(lambda: len(site.hits) >= 10)
    admin.config_set("maxmemory", 1_000)
    until(lambda: "Redis is full" in workers.log[-300:])
    time.sleep(0.5)
    admin.config_set("maxmemory", 0)
    assert worker.wait() == 0
    assert workers.log.count("Redis is full") == before + 1
    check_whole(server)
    assert len(site.hits) == PAGES
    admin.close()


def test_leases_are_renewed_while_a_full_server_holds_the_crawl(server: RedisServer, workers: Workers) -> None:
    pages = {f"/{n}": "<b>sleep 3</b>" for n in range(1, 4)}
    pages |= {"/": Resource(" ".join(f"<a href={path}>" for path in (*pages, "/brings"))), "/last": "x"}
    admin = redis.Redis(port=server.port)
    with Site(pages | {"/brings": Resource("<a href=/last>", delay=0.5)}) as site:
        worker = start(workers, server, site.url("/"))
        until(lambda: len(site.hits) == 5)
        admin.config_set("maxmemory", 1_000)
        until(lambda: "Redis is full" in workers.log[-300:])
        taken = asyncio.run(leases_of_another(server.url, seconds=4 * SOON["FRONTIER_LEASE"]))
        admin.config_set("maxmemory", 0)
        assert taken == []
        assert worker.wait() == 0
        assert len(site.hits) == 6
    check_whole(server, stored=6)
    admin.close()


async def leases_of_another(url: str, seconds: float) -> list[Lease]:
    """What another worker gets meanwhile."""
    frontier = RedisFrontier(Redis.from_url(url), prefix(DEFAULT, Walker.name), term=SOON["FRONTIER_LEASE"])
    end, leases = time.monotonic() + seconds, []
    while time.monotonic() < end and not leases:
        leases += await frontier.lease(9)
        await asyncio.sleep(0.02)
    await frontier.close()
    return leases


def test_a_page_that_kills_its_workers_is_convicted_alone(server: RedisServer, workers: Workers) -> None:
    pages = {f"/{n}": "fine" for n in range(40)} | {"/killer": Resource("<b>kill</b>", delay=0.05)}
    with Site(pages) as site:
        urls = " ".join(site.url(path) for path in ("/killer", *pages))
        for _ in range(3):
            assert start(workers, server, urls).wait() == -SIGKILL
        assert start(workers, server, urls).wait() == 0
        assert site.paths.count("/killer") == 3
    check_whole(server, stored=40, dead=1)
    assert counts(server).reasons == {"cost 3 workers": 1}


def test_rolling_restarts_cost_no_attempts(server: RedisServer, site: Site, workers: Workers) -> None:
    for _ in range(4):
        worker = start(workers, server, site.url("/0"), FRONTIER_LEASE=60)
        before = len(site.hits)
        until(lambda before=before: len(site.hits) > before + 5)
        worker.send(SIGTERM)
        assert worker.wait() == 0
        assert counts(server).leased == 0
    assert start(workers, server, site.url("/0")).wait() == 0
    check_whole(server)
    assert len(site.hits) == PAGES


def test_a_worker_that_slept_past_its_leases_can_do_nothing_with_them(server: RedisServer, workers: Workers) -> None:
    pages = {f"/{n}": "<b>sleep 0.1</b>" if n else "<b>sleep 0.5</b>" for n in range(30)}
    with Site(pages) as site:
        urls = " ".join(map(site.url, pages))
        sleeper = start(workers, server, urls)
        until(lambda: site.hits and counts(server).leased)
        sleeper.send(SIGSTOP)
        assert start(workers, server, urls).wait() == 0
        check_whole(server, stored=30)
        sleeper.send(SIGCONT)
        assert sleeper.wait() == 0
        check_whole(server, stored=30)
