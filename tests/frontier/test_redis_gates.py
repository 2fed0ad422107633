"""Gates in Redis: the rules are those of a process's own gates, for all workers."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
import redis
from redis.asyncio import Redis
from scrapy.core.engine import ExecutionEngine
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler
from servers.frontiers import eventually
from servers.proxy import Proxy
from servers.redis import RedisServer, binaries

from scraping_ai.frontier.backends import gates_of
from scraping_ai.frontier.gates import FULL_WAIT, MARGIN, PROCESS, Answer, LocalGates, Shown, Throttle
from scraping_ai.frontier.politeness import Politeness
from scraping_ai.frontier.redis.connection import connect
from scraping_ai.frontier.redis.gates import LOOK, RedisGates
from scraping_ai.frontier.visit import Visit

pytestmark = pytest.mark.anyio

HOST = "shop.example"
THROTTLE = Throttle(target=4.0, start=0.25, longest=60.0)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def gates_of_this_process() -> Iterator[None]:
    """What is held here would hold crawls of other tests."""
    yield
    PROCESS.clear()


@pytest.fixture(params=binaries(), ids=lambda path: path.name)
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RedisServer]:
    with RedisServer(tmp_path / "redis", request.param) as server:
        yield server


def at(port: int, throttle: Throttle | None = None, gone: float = 60.0) -> RedisGates:
    return RedisGates(connect(Settings({"REDIS_HOST": "127.0.0.1", "REDIS_PORT": port})), "{g}", throttle, gone=gone)


async def test_an_interval_is_everybodys_and_begins_when_the_request_is_sent(server: RedisServer) -> None:
    one, other = at(server.port), at(server.port)
    assert await one.enter(HOST, "a", 0.2, None) == Answer(0.0, 0.2)
    await asyncio.sleep(0.25)
    assert (await other.enter(HOST, "b", 0.2, None)).wait == pytest.approx(0.2 + MARGIN)  # a has not sent yet
    await one.sent(HOST, "a")
    wait = (await other.enter(HOST, "b", 0.2, None)).wait
    assert 0.1 < wait <= 0.2 + MARGIN
    await asyncio.sleep(wait)
    assert (await other.enter(HOST, "b", 0.1, None)).wait == 0.0
    for gates in (one, other):
        await gates.close()


async def test_the_longest_interval_counts_for_all(server: RedisServer) -> None:
    quick, slow = at(server.port), at(server.port)
    await slow.enter(HOST, "a", 60.0, None)
    await slow.leave(HOST, "a")
    assert (await quick.enter(HOST, "b", 0.1, None)).wait > 59
    await quick.ask(HOST, "http://shop.example", 90.0, 600.0)
    assert (await slow.enter(HOST, "c", 0.1, None)).pace == 90.0
    await quick.ask(HOST, "http://shop.example", 0.0, 600.0)
    assert (await slow.enter(HOST, "c", 0.1, None)).pace == 0.1
    for gates in (quick, slow):
        await gates.close()


async def test_wishes_of_one_gate_are_bounded(server: RedisServer) -> None:
    gates = at(server.port)
    for n in range(110):
        await gates.ask(HOST, f"http://{n}.shop.example", 1.0 + n, 600.0)
    client = Redis(port=server.port)
    assert await client.hlen(f"{{g}}:asked:{HOST}") == 100
    assert (await gates.enter(HOST, "a", 0.1, None)).pace == 110.0
    await client.aclose()
    await gates.close()


async def test_a_hold_keeps_everybody_out_and_is_never_shortened(server: RedisServer) -> None:
    one, other = at(server.port), at(server.port)
    await one.hold(HOST, 600.0)
    await one.hold(HOST, 1.0)
    answer = await other.enter(HOST, "a", 0.1, None)
    assert 599 < answer.wait <= 600
    assert 599 < answer.held <= 600
    for gates in (one, other):
        await gates.close()


async def test_so_many_are_under_way_at_once_and_who_was_killed_there_is_forgotten(server: RedisServer) -> None:
    killed, gates = at(server.port, gone=0.5), at(server.port, gone=0.5)
    await killed.enter(HOST, "a", 0.001, 1)
    await killed.sent(HOST, "a")
    await asyncio.sleep(0.05)
    assert (await gates.enter(HOST, "b", 0.001, 1)).wait == FULL_WAIT
    while (answer := await gates.enter(HOST, "b", 0.001, 1)).wait:
        await asyncio.sleep(answer.wait)
    for one in (killed, gates):
        await one.close()


async def test_a_call_made_twice_counts_once(server: RedisServer) -> None:
    async with Proxy(server.port) as proxy:
        gates = at(proxy.port, THROTTLE)
        await gates.observe(HOST, 8.0, Shown.WELL)
        proxy.lose_replies(1)
        await gates.observe(HOST, 0.0, Shown.WELL)
        assert (await gates.enter(HOST, "a", 0.1, None)).pace == pytest.approx(1.0)
        proxy.lose_replies(1)
        assert (await gates.enter(HOST, "a", 0.1, None)).wait == 0.0
        await gates.close()


@pytest.mark.parametrize(
    "seen",
    [
        [(2.0, Shown.WELL), (0.4, Shown.WELL), (0.1, Shown.PLAIN), (900.0, Shown.WELL)],
        [(0.1, Shown.TROUBLE), (0.1, Shown.TROUBLE), (0.1, Shown.WELL)],
        [(100.0, Shown.WELL), (0.1, Shown.TROUBLE), (0.2, Shown.PLAIN), (0.1, Shown.WELL)],
    ],
)
async def test_the_pace_follows_as_in_one_process(server: RedisServer, seen: list[tuple[float, Shown]]) -> None:
    shared, own = at(server.port, THROTTLE), LocalGates(THROTTLE, OrderedDict())
    for n, (latency, shown) in enumerate(seen):
        for gates in (shared, own):
            await gates.observe(HOST, latency, shown)
        paces = [(await gates.enter(HOST, f"{n}", 0.1, None)).pace for gates in (shared, own)]
        assert paces[0] == pytest.approx(paces[1]), n
        for gates in (shared, own):
            await gates.leave(HOST, f"{n}")
    await shared.close()


async def test_nothing_is_sent_while_the_server_is_away_and_who_left_then_has_left(
    server: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    gates = at(server.port)
    await gates.enter(HOST, "a", 0.05, 1)
    server.kill()
    for step in (gates.sent, gates.leave):
        await step(HOST, "a")
    for _ in range(3):
        assert 0.2 < (await gates.enter(HOST, "b", 0.05, 1)).wait < 0.8
    server.start()
    await asyncio.sleep(0.1)
    while (answer := await gates.enter(HOST, "b", 0.05, 1)).wait:
        assert answer.wait != FULL_WAIT
        await asyncio.sleep(answer.wait)
    assert (caplog.text.count("nothing is sent until it is back"), caplog.text.count("Redis is back")) == (1, 1)
    await gates.close()


def apart(port: int) -> RedisGates:
    """As another process has them, that wants no interval."""
    gates = at(port)
    gates._own = LocalGates(None, OrderedDict())
    return gates


async def test_a_host_without_an_interval_costs_no_round_trip_and_does_not_need_the_server(server: RedisServer) -> None:
    gates, client = apart(server.port), Redis(port=server.port)
    calls = "cmdstat_evalsha"
    await gates.enter(HOST, "first", 0.0, None)
    await gates.enter(HOST, "first", 0.0, None)
    before = (await client.info("commandstats")).get(calls, {}).get("calls", 0)
    started = time.monotonic()
    for number in range(200):
        assert await gates.enter(f"{number % 20}.example", f"{number}", 0.0, None) == Answer(0.0, 0.0)
        await gates.sent(f"{number % 20}.example", f"{number}")
        await gates.leave(f"{number % 20}.example", f"{number}")
    looks = (time.monotonic() - started) / LOOK + 1
    assert (await client.info("commandstats")).get(calls, {}).get("calls", 0) - before <= looks
    server.kill()
    for visit in "abc":
        assert await gates.enter("free.example", visit, 0.0, 3) == Answer(0.0, 0.0)
        await gates.sent("free.example", visit)
    assert (await gates.enter("free.example", "d", 0.0, 3)).wait == FULL_WAIT
    for visit in "abcd":
        await gates.leave("free.example", visit)
    await client.aclose()
    await gates.close()


async def test_a_hold_is_known_to_those_who_want_no_interval(server: RedisServer) -> None:
    one, other = apart(server.port), apart(server.port)
    assert (await other.enter(HOST, "a", 0.0, None)).wait == 0.0
    await one.hold(HOST, 600.0)
    late = apart(server.port)
    assert 599 < (await late.enter(HOST, "b", 0.0, None)).held <= 600  # at once to who begins

    visits = map(str, count())

    async def held() -> bool:
        return (await other.enter(HOST, next(visits), 0.0, None)).held > 590

    await eventually(held)
    assert (await other.enter("free.example", "c", 0.0, None)).wait == 0.0
    for gates in (one, other, late):
        await gates.close()


async def test_a_server_that_hangs_keeps_nobody_who_wants_no_interval(server: RedisServer) -> None:
    gates, admin = apart(server.port), Redis(port=server.port)
    await admin.client_pause(20_000)
    async with asyncio.timeout(5):
        for visit in "abcdefgh":
            assert (await gates.enter(HOST, visit, 0.0, None)).wait == 0.0
            await asyncio.sleep(0.1)
        await gates.close()
    await admin.aclose()


async def test_a_grant_that_a_stalled_worker_hears_of_late_is_asked_for_again(server: RedisServer) -> None:
    """Its slot has passed: another worker has sent meanwhile."""
    interval = 1.0

    async def another() -> float:
        gates = at(server.port)
        while (answer := await gates.enter(HOST, "b", interval, None)).wait:
            await asyncio.sleep(answer.wait)
        sent = time.monotonic()
        await gates.sent(HOST, "b")
        await gates.close()
        return sent

    crawler = get_crawler(settings_dict={"DOWNLOAD_DELAY": interval})
    crawler.engine = cast(ExecutionEngine, SimpleNamespace(_slot=SimpleNamespace(closing=None)))  # not at its end
    politeness = Politeness(crawler, at(server.port))
    client = redis.Redis(port=server.port)
    visit = Visit(politeness, f"http://{HOST}/")
    entering = asyncio.create_task(visit.enter())
    while (
        not client.exists(f"{{g}}:gate:{HOST}") and not entering.done()
    ):  # once it has, it has been granted: the answer is on its way
        await asyncio.sleep(0)
    with ThreadPoolExecutor(1) as pool:
        sent = pool.submit(asyncio.run, another()).result()  # this event loop stands still
    await entering
    assert time.monotonic() - sent >= interval
    await visit.sent()
    client.close()
    await politeness.gates.close()


def test_settings_choose_the_gates(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    assert isinstance(gates_of(Settings(), None), LocalGates)
    named = {"REDIS_URL": "redis://h", "JOBDIR": str(tmp_path)}
    assert isinstance(gates_of(Settings(named), None), RedisGates)
    assert isinstance(gates_of(Settings({"REDIS_URL": "http://h"}), None), LocalGates)
    assert "this process's own" in caplog.text
