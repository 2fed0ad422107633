"""What can go wrong between workers and their Redis, and with what stands in it."""

from __future__ import annotations

import asyncio
import struct
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from redis.asyncio import Redis
from scrapy.settings import Settings
from servers.frontiers import check_sum, eventually, filled, link, links, urls
from servers.proxy import Proxy
from servers.redis import RedisServer, binaries, free_port

from scraping_ai.frontier.protocol import Counts, Ending, FrontierAway, FrontierError, Kind, Limits, State
from scraping_ai.frontier.redis import RedisFrontier
from scraping_ai.frontier.redis.connection import connect

pytestmark = pytest.mark.anyio

T = TypeVar("T")

PREFIX = "{t}"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(params=binaries(), ids=lambda path: path.name)
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RedisServer]:
    with RedisServer(tmp_path / "redis", request.param, "--appendfsync", "always") as server:
        yield server


def over(port: int, term: float = 60.0) -> RedisFrontier:
    """As settings make it."""
    client = connect(Settings({"REDIS_HOST": "127.0.0.1", "REDIS_PORT": port}))
    return RedisFrontier(client, PREFIX, term=term)


@pytest.fixture
async def frontier(server: RedisServer) -> AsyncIterator[RedisFrontier]:
    frontier = over(server.port)
    yield frontier
    await frontier.close()


async def insist(ask: Callable[[], Awaitable[T]], tries: int = 200) -> T:
    """What is answered once the server is there, as Session does it."""
    for _ in range(tries):
        try:
            return await ask()
        except FrontierAway:
            await asyncio.sleep(0.02)
    return await ask()


async def test_nothing_that_was_answered_is_lost_when_the_server_is_killed(
    server: RedisServer, frontier: RedisFrontier
) -> None:
    await filled(frontier, *links(500))
    stored: list[str] = []
    for round_ in range(5):
        leases = await insist(lambda: frontier.lease(40))
        await insist(lambda given=leases: frontier.begin(given))  # type: ignore[misc]
        server.kill()
        with pytest.raises(FrontierAway):
            await frontier.counts("t")
        server.start()
        found = links(20, "b.example", first=20 * round_)
        endings = [Ending(leases[0], Kind.STORED, links=found), *(Ending(lease, Kind.STORED) for lease in leases[1:])]
        assert await insist(lambda given=endings: frontier.settle(given)) == [True] * len(leases)  # type: ignore[misc]
        stored += urls(leases)
    counts = await insist(lambda: frontier.counts("t"))
    check_sum(counts)
    assert (counts.added, counts.stored, counts.queued) == (600, 200, 400)
    assert len(set(stored)) == 200


async def test_a_server_that_was_away_for_longer_than_a_lease_costs_no_page(
    server: RedisServer, frontier: RedisFrontier
) -> None:
    """Workers could not renew: whoever is first back takes nothing from those that come after it."""
    first, second = over(server.port, term=0.3), over(server.port, term=0.3)
    await filled(first, *links(4))
    mine = await first.lease(2)
    await first.begin(mine)
    theirs = await second.lease(2)
    await second.begin(theirs)
    server.kill()
    await asyncio.sleep(0.4)
    server.start()
    assert await insist(lambda: first.lease(9)) == []
    assert await insist(lambda: second.settle([Ending(lease, Kind.STORED) for lease in theirs])) == [True, True]
    again = await eventually(lambda: first.lease(9))  # nobody speaks for those
    assert sorted(urls(again)) == sorted(urls(mine))
    await first.close()
    await second.close()


async def test_a_server_that_is_not_there() -> None:
    frontier = over(free_port())
    with pytest.raises(FrontierAway, match="cannot be reached"):
        await frontier.open()
    await frontier.close()


async def test_a_server_that_refuses_us(server: RedisServer) -> None:
    admin = Redis(port=server.port)
    await admin.config_set("requirepass", "secret")
    frontier = over(server.port)
    with pytest.raises(FrontierError, match="refuses") as refused:
        await frontier.open()
    assert not isinstance(refused.value, FrontierAway)
    await frontier.close()
    await admin.aclose()


async def test_a_server_that_throws_entries_away_is_warned_of(
    server: RedisServer, frontier: RedisFrontier, caplog: pytest.LogCaptureFixture
) -> None:
    admin = Redis(port=server.port)
    await admin.config_set("maxmemory-policy", "allkeys-lru")
    await frontier.open()
    assert not caplog.text
    await admin.config_set("maxmemory", "100mb")
    await frontier.open()
    assert "allkeys-lru" in caplog.text
    await admin.aclose()


async def test_a_server_that_hangs_does_not_hold_the_event_loop(server: RedisServer, frontier: RedisFrontier) -> None:
    await filled(frontier, *links(3))
    admin = Redis(port=server.port)
    await admin.client_pause(300)
    ticks, asked = 0, asyncio.ensure_future(frontier.lease(3))
    while not asked.done():
        await asyncio.sleep(0.01)
        ticks += 1
    assert len(await asked) == 3
    assert ticks >= 5
    await admin.aclose()


async def test_a_server_that_hangs_is_left_at_once(server: RedisServer) -> None:
    frontier = over(server.port)
    await filled(frontier, *links(3))
    admin = Redis(port=server.port)
    await admin.client_pause(20_000)
    await asyncio.wait_for(frontier.close(), 5)
    await admin.aclose()


async def test_scripts_that_the_server_forgot_are_sent_again(server: RedisServer, frontier: RedisFrontier) -> None:
    admin = Redis(port=server.port)
    await filled(frontier, *links(3))
    await admin.script_flush()
    (lease, *_) = await frontier.lease(3)
    await admin.script_flush()
    assert await frontier.settle([Ending(lease, Kind.STORED)]) == [True]
    await admin.aclose()


@pytest.mark.parametrize("lost", [1, 2, 5])
async def test_what_is_sent_again_over_a_broken_connection_is_done_once(server: RedisServer, lost: int) -> None:
    """Every answer is lost `lost` times: redis-py sends the call again, and so does the session."""
    async with Proxy(server.port) as proxy:
        frontier = over(proxy.port)
        await frontier.open()

        async def broken(ask: Callable[[], Awaitable[T]]) -> T:
            proxy.lose_replies(lost)
            return await insist(ask)

        await broken(lambda: frontier.start("t", Limits(max_pages=5)))
        assert await broken(lambda: frontier.add("t", links(9))) == [True] * 9
        leases = await broken(lambda: frontier.lease(4))
        assert len(leases) == 4
        await broken(lambda: frontier.begin(leases))
        assert await broken(lambda: frontier.claim(leases[0], 77))
        assert not await broken(lambda: frontier.claim(leases[1], 77))
        assert await broken(lambda: frontier.renew(leases)) == []
        kinds = (Kind.STORED, Kind.DEAD, Kind.RETRY, Kind.RELEASED)
        endings = [
            Ending(lease, kind, "why", after=60, links=links(3, f"{kind}.example"))
            for lease, kind in zip(leases, kinds, strict=True)
        ]
        assert await broken(lambda: frontier.settle(endings)) == [True] * 4
        expected = Counts(9 + 12, 0, stored=1, dead=1, queued=18, delayed=1, reasons={"why": 1})
        assert await frontier.counts("t") == expected
        (dead,) = (await frontier.peek("t", State.DEAD)).entries
        assert await broken(lambda: frontier.replay("t", [dead.id])) == 1
        assert len(await broken(lambda: frontier.lease(3))) == 3
        assert len(await broken(lambda: frontier.lease(3))) == 1  # the same call, but another one
        assert await broken(lambda: frontier.cancel("t")) == 20
        check_sum(await frontier.counts("t"))
        assert proxy.lost >= lost
        await frontier.close()


async def test_leases_whose_answer_never_came_are_had_by_the_next_call(server: RedisServer) -> None:
    async with Proxy(server.port) as proxy:
        frontier = over(proxy.port)
        await filled(frontier, *links(6))
        proxy.lose_replies(99)
        with pytest.raises(FrontierAway):
            await frontier.lease(3)
        proxy.lose_replies(0)
        assert urls(await frontier.lease(3)) == urls_of(links(3))
        assert urls(await frontier.lease(3)) == urls_of(links(6)[3:])
        await frontier.close()


def urls_of(given: list[Any]) -> list[str]:
    return [one.url for one in given]


async def test_the_clocks_of_workers_do_not_matter(server: RedisServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """One worker's clock is an hour ahead, then an hour behind: neither holds longer, nor takes from the other."""
    right, wrong = over(server.port, term=0.3), over(server.port, term=0.3)
    await filled(right, *links(4))
    clock = time.time
    for hour in (3_600, -3_600):
        (held,) = await right.lease(1)
        monkeypatch.setattr(time, "time", lambda off=hour: clock() + off)
        (other,) = await wrong.lease(1)
        assert other.url != held.url
        assert await wrong.renew([other]) == []
        await wrong.settle([Ending(other, Kind.RETRY, after=0.05)])
        monkeypatch.setattr(time, "time", clock)
        assert await right.settle([Ending(held, Kind.STORED)]) == [True]
        (again,) = await eventually(lambda url=other.url: one_of(right, url))  # type: ignore[misc]
        assert await right.settle([Ending(again, Kind.STORED)]) == [True]
    assert await right.pending("t") == 0
    await right.close()
    await wrong.close()


async def one_of(frontier: RedisFrontier, url: str) -> list[Any]:
    leases = await frontier.lease(9)
    await frontier.settle([Ending(lease, Kind.RELEASED) for lease in leases if lease.url != url])
    return [lease for lease in leases if lease.url == url]


HEAD = struct.pack(">HQBH", 0, 1, 0, 0)
FORGED = [
    b"",
    b"x",
    b"\x80\x04\x95pickled" * 9,
    HEAD,
    HEAD + b"{}",
    HEAD + b'["http://a.example/", "{}", 1]',
    HEAD + b"[" * 100_000,
    HEAD + b'["\xff"]',
    HEAD + b"[1]",
]


@pytest.mark.parametrize("forged", FORGED, ids=range(len(FORGED)))
async def test_what_nobody_of_ours_can_have_queued_is_set_aside(
    server: RedisServer, frontier: RedisFrontier, forged: bytes
) -> None:
    admin = Redis(port=server.port)
    await filled(frontier, *links(3))
    await admin.zadd(f"{PREFIX}:queue:1:a.example", {forged: -10})
    assert sorted(urls(await frontier.lease(9))) == sorted(urls_of(links(3)))
    counts = await frontier.counts("t")
    check_sum(counts)
    assert counts == Counts(added=4, dead=1, leased=3, reasons={"not an entry": 1})
    assert await admin.llen(f"{PREFIX}:quarantine") == 1
    assert await admin.hget(f"{PREFIX}:counters", "quarantined") == b"1"
    await admin.aclose()


@pytest.mark.parametrize("score", [float("inf"), float("-inf"), 1e300, 0.5])
async def test_forged_priorities(server: RedisServer, frontier: RedisFrontier, score: float) -> None:
    admin = Redis(port=server.port)
    await filled(frontier, *links(1))
    await admin.zadd(f"{PREFIX}:queue:1:a.example", {HEAD + b'["http://a.example/x"]': score})
    leases = await frontier.lease(9)
    assert links(1)[0].url in urls(leases)
    check_sum(await frontier.counts("t"))
    await frontier.settle([Ending(lease, Kind.STORED) for lease in leases])
    assert await frontier.pending("t") == 0
    await admin.aclose()


@pytest.mark.parametrize("key", ["delayed:1", "suspects", "dead:1"])
async def test_forged_records(server: RedisServer, frontier: RedisFrontier, key: str) -> None:
    admin = Redis(port=server.port)
    await filled(frontier, *links(2))
    (first,) = await frontier.lease(1)
    await frontier.settle([Ending(first, Kind.RETRY)])
    await admin.zadd(f"{PREFIX}:{key}", {b"forged": 1, struct.pack(">IdH", 1, 0, 60_000): 2})
    for state in State:
        await frontier.peek("t", state)
    assert len(await frontier.lease(9)) == 2
    assert await frontier.replay("t", [1, 2]) == 0
    await frontier.cancel("t")
    assert await frontier.pending("t") == 0
    check_sum(await frontier.counts("t"))
    await admin.aclose()


async def test_a_full_server_takes_nothing_in_and_lets_work_go_on(server: RedisServer, frontier: RedisFrontier) -> None:
    admin = Redis(port=server.port)
    await filled(frontier, *links(50), link("http://a.example/last"))
    before = await frontier.counts("t")
    await admin.config_set("maxmemory-policy", "noeviction")
    await admin.config_set("maxmemory", 1_000)
    with pytest.raises(FrontierAway, match="Redis is full"):
        await frontier.add("t", links(9, "b.example"))
    assert await frontier.counts("t") == before
    one, two, three, *_ = await frontier.lease(5)
    await frontier.begin([one])
    assert await frontier.renew([one]) == []
    assert await frontier.settle([Ending(one, Kind.STORED), Ending(two, Kind.DEAD, "x")]) == [True, True]
    with pytest.raises(FrontierAway, match="Redis is full"):
        await frontier.settle([Ending(three, Kind.STORED, links=links(1, "b.example"))])
    check_sum(await frontier.counts("t"))
    await admin.config_set("maxmemory", 0)
    assert await frontier.settle([Ending(three, Kind.STORED, links=links(1, "b.example"))]) == [True]
    assert (await frontier.counts("t")).added == 52
    await admin.aclose()
