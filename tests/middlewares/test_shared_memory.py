"""What hosts needed is shared by workers over a real Redis, kept in a job's file without one, and never trusted."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from scrapy.settings import Settings
from servers.crawls import crawl
from servers.redis import RedisServer, binaries
from servers.rungs import shell
from servers.site import Site

from scraping_ai.frontier.redis.connection import connect
from scraping_ai.frontier.redis.gates import RedisGates
from scraping_ai.middlewares.classify import Kind
from scraping_ai.middlewares.memory import MAX_COUNTS, MOST, Memory
from scraping_ai.middlewares.shared_memory import SharedMemory, dumped, load, memory_for

from .test_escalation import PAGE, SETTINGS, Shop, rungs  # type: ignore[import-not-found]

HOST, URL, HOUR = "shop.example", "http://shop.example/p/1", 3600.0
RUNGS = ("http", "browser")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(params=binaries(), ids=lambda path: path.name)
async def server(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[RedisServer]:
    with RedisServer(tmp_path / "redis", request.param) as server:
        yield server


def at(server: RedisServer) -> RedisGates:
    return RedisGates(connect(Settings({"REDIS_HOST": "127.0.0.1", "REDIS_PORT": server.port})), "{g}", None, gone=60.0)


@pytest.mark.anyio
async def test_what_one_worker_learned_another_begins_with(server: RedisServer) -> None:
    gates = [at(server), at(server)]
    one, other = (SharedMemory(HOUR, each) for each in gates)
    one.note(HOST, URL, "http", Kind.JS_SHELL)
    await one.close()
    assert other.first(HOST, URL, RUNGS) == ("http", False)
    await other.heed(HOST)
    assert other.first(HOST, URL, RUNGS) == ("browser", False)
    for _ in range(3):
        other.note(HOST, URL, "http", Kind.OK)
    await other.close()
    one._heard.clear()
    await one.heed(HOST)
    assert one.first(HOST, URL, RUNGS) == ("http", False)
    client = gates[0]._calls.client
    assert 0 < await client.ttl(f"{{g}}:fetch:{HOST}") <= 10 * HOUR
    for each in gates:
        await each.close()


@pytest.mark.anyio
async def test_counts_there_are_bounded_and_fade_as_in_a_process(server: RedisServer) -> None:
    gates = at(server)
    bounds = (HOUR, 60, MOST, MAX_COUNTS)
    for _ in range(30):
        counts = await gates.remember(HOST, *bounds, "http js /p", 1.0, "http good /p", 0.5)
    assert sum(counts.values()) == pytest.approx(MOST, rel=0.01)
    many = [part for n in range(400) for part in (f"http js /{n}", 1.0)]
    await gates.remember(HOST, *bounds, *many)
    counts = await gates.remember(HOST, *bounds, *[part for n in range(400, 800) for part in (f"http js /{n}", 1.0)])
    assert len(counts) == MAX_COUNTS
    client = gates._calls.client
    await client.hset("{g}:fetch:old", mapping={"at": "1", "http js ": "20", "nonsense": "x"})
    assert await gates.remember("old", *bounds) == {}
    await gates.close()


@pytest.mark.anyio
async def test_while_the_server_is_away_a_worker_goes_by_what_it_knows(server: RedisServer) -> None:
    gates = at(server)
    memory = SharedMemory(HOUR, gates)
    memory.note(HOST, URL, "http", Kind.JS_SHELL)
    await memory.close()
    server.kill()
    memory._heard.clear()
    await asyncio.wait_for(memory.heed(HOST), 20)
    memory.note(HOST, URL, "browser", Kind.OK)
    await asyncio.wait_for(memory.close(), 20)
    assert memory.first(HOST, URL, RUNGS) == ("browser", False)
    await gates.close()


def test_a_crawl_in_redis_leaves_what_it_learned_to_the_next(tmp_path: Path) -> None:
    with RedisServer(tmp_path / "redis") as server, Site({"/1": shell(PAGE), "/2": shell(PAGE)}) as site:
        for n in (1, 2):
            crawl(Shop, tmp_path / str(n), {"urls": [site.url(f"/{n}")]}, **SETTINGS, REDIS_URL=server.url)
        assert [rungs(site, f"/{n}") for n in (1, 2)] == [["http", "browser"], ["browser"]]


def test_a_memory_is_written_and_read() -> None:
    memory = Memory(HOUR, lambda: 1_000.0)
    memory.note(HOST, URL, "http", Kind.JS_SHELL)
    again = Memory(HOUR, lambda: 1_001.0)
    load(again, dumped(memory))
    assert again.first(HOST, URL, RUNGS) == ("browser", False)
    later = Memory(HOUR, lambda: 1_000.0 + 20 * HOUR)
    load(later, dumped(memory))
    assert later.first(HOST, URL, RUNGS) == ("http", False)


@pytest.mark.parametrize(
    "held",
    [None, "", "[]", "7", "{", '{"a": 1}', '{"a": [1, 2]}', '{"a": [1, {"x": "y"}]}', '{"a": ["x", {"http js ": 1}]}']
    + [json.dumps({"a": [1e999, {"http js ": value}]}) for value in (1e999, -1, "NaN", [], 10**400)]
    + ["[" * 100_000, json.dumps({"a": [0, {f"http js {n}": 1 for n in range(10_000)}]})],
)
def test_what_a_file_holds_is_not_trusted(held: Any) -> None:
    memory = Memory(HOUR)
    load(memory, held)
    assert all(len(host.counts) <= MAX_COUNTS for host in memory.hosts.values())
    assert memory.first("a", "http://a/", RUNGS)[0] in RUNGS
    memory.note("a", "http://a/", "http", Kind.JS_SHELL)


def test_gates_of_the_process_share_nothing() -> None:
    assert not memory_for(object(), HOUR).is_shared
