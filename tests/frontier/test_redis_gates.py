"""Gates in Redis: the rules are those of a process's own gates, for all workers."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis.asyncio import Redis
from scrapy.settings import Settings
from servers.proxy import Proxy
from servers.redis import RedisServer, binaries

from scraping_ai.frontier.backends import gates_of
from scraping_ai.frontier.gates import FULL_WAIT, MARGIN, Answer, LocalGates, Shown, Throttle
from scraping_ai.frontier.redis.connection import connect
from scraping_ai.frontier.redis.gates import RedisGates

pytestmark = pytest.mark.anyio

HOST = "shop.example"
THROTTLE = Throttle(target=4.0, start=0.25, longest=60.0)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


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
    assert (caplog.text.count("gates are away"), caplog.text.count("gates are back")) == (1, 1)
    await gates.close()


async def test_a_host_without_an_interval_costs_no_round_trip(server: RedisServer) -> None:
    gates = at(server.port)
    server.kill()
    for visit in "abc":
        assert await gates.enter("free.example", visit, 0.0, 3) == Answer(0.0, 0.0)
        await gates.sent("free.example", visit)
    assert (await gates.enter("free.example", "d", 0.0, 3)).wait == FULL_WAIT
    for visit in "abcd":
        await gates.leave("free.example", visit)
    await gates.close()


def test_settings_choose_the_gates(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    assert isinstance(gates_of(Settings(), None), LocalGates)
    named = {"REDIS_URL": "redis://h", "JOBDIR": str(tmp_path)}
    assert isinstance(gates_of(Settings(named), None), RedisGates)
    assert isinstance(gates_of(Settings({"REDIS_URL": "http://h"}), None), LocalGates)
    assert "this process's own" in caplog.text
