"""Somebody deletes keys of a frontier in Redis, makes them another type, or puts members into them."""

from __future__ import annotations

import asyncio
import struct
import time
from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis
from servers.frontiers import eventually, filled, links
from servers.redis import binaries, shared

from scraping_ai.frontier.protocol import Counts, Ending, FrontierError, Kind, Limits, State
from scraping_ai.frontier.redis import RedisFrontier

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

PREFIX = "{damaged}"
TERM = 0.3
HEAD = struct.pack(">HQBH", 0, 1, 0, 0)
RECORD = struct.pack(">IdH9s", 1, 0.0, 9, b"a.example") + HEAD + b'["http://a.example/forged"]'

WORK = ["queue:1:a.example", "queue:1:b.example", "host:a.example", "lanes:a.example", "hosts:1", "open", "leased:1"]
WORK += ["expiry", "begun", "delayed:1", "due", "suspects", "counters", "dead:1", "names", "full", "paused", "aside:1"]
WORK += ["closing", "claims:1", "visited:1", "quarantine", "seen:1:0", "reasons:1"]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(params=binaries(), ids=lambda path: path.name)
async def admin(request: pytest.FixtureRequest) -> AsyncIterator[Redis]:
    async with Redis.from_url(shared(request.param).url) as admin:
        for key in await admin.keys(f"{PREFIX}*"):
            await admin.delete(key)
        yield admin


@pytest.fixture
async def frontier(admin: Redis) -> AsyncIterator[RedisFrontier]:
    """Entries in every state: a suspect, one delayed, one dead, one stored, two leased of which one is begun."""
    pool = admin.connection_pool.connection_kwargs
    frontier = RedisFrontier(Redis(host=pool["host"], port=pool["port"]), PREFIX, term=TERM)
    await filled(frontier, *links(1))
    for _ in range(2):
        await frontier.begin(await eventually(lambda: frontier.lease(1)))
    await frontier.pause({"a.example": 2 * TERM})
    await eventually(lambda: is_suspect(frontier, admin))
    await frontier.add("t", links(4, "b.example"))
    one, two, three, four = await frontier.lease(4)
    await frontier.begin([four])
    endings = [Ending(one, Kind.RETRY, after=0.2), Ending(two, Kind.DEAD, "x")]
    await frontier.settle([*endings, Ending(three, Kind.STORED, links=[*links(4), *links(6, "b.example")])])
    yield frontier
    await frontier.close()


async def is_suspect(frontier: RedisFrontier, admin: Redis) -> bool:
    early = await frontier.lease(9)  # where this machine was slower than the pause
    await frontier.settle([Ending(lease, Kind.RELEASED) for lease in early])
    return bool(await admin.exists(f"{PREFIX}:suspects"))


async def finish(frontier: RedisFrontier) -> Counts:
    """Work to the end; the sum holds all the time."""
    end = time.monotonic() + 5
    while (counts := await frontier.counts("t")).pending:
        assert time.monotonic() < end, counts
        await frontier.settle([Ending(lease, Kind.STORED) for lease in await frontier.lease(9)])
        counts = await frontier.counts("t")
        assert counts.added == counts.stored + counts.skipped + counts.dead + counts.pending, counts
        assert min(counts.queued, counts.delayed, counts.leased) >= 0, counts
        await asyncio.sleep(0.02)
    return counts


@pytest.mark.parametrize("how", ["deleted", "replaced"])
@pytest.mark.parametrize("key", WORK)
async def test_a_crawl_goes_on_to_its_end_and_counts_what_was_lost(
    admin: Redis, frontier: RedisFrontier, key: str, how: str
) -> None:
    before = await frontier.counts("t")
    await admin.delete(f"{PREFIX}:{key}")
    if how == "replaced":
        await admin.set(f"{PREFIX}:{key}", "mine")
    counts = await finish(frontier)
    assert counts.added >= before.added
    assert counts.stored + counts.reasons.get("lost", 0) >= before.stored + before.pending
    assert await frontier.add("t", links(2, "c.example")) == [True, True]
    assert (await finish(frontier)).stored == counts.stored + 2


@pytest.mark.parametrize("how", ["deleted", "replaced"])
@pytest.mark.parametrize("key", ["task:1", "tasks"])
async def test_what_cannot_be_made_good_is_named(admin: Redis, frontier: RedisFrontier, key: str, how: str) -> None:
    await admin.delete(f"{PREFIX}:{key}")
    if how == "replaced":
        await admin.set(f"{PREFIX}:{key}", "mine")
    for ask in (lambda: frontier.counts("t"), lambda: frontier.start("t", Limits())):
        with pytest.raises(FrontierError, match=f"{PREFIX}:{key} "):
            await ask()


FORGED = {"suspects": RECORD, "delayed:1": RECORD, "expiry": b"1:7", "due": b"1"}


@pytest.mark.parametrize("key", FORGED)
@pytest.mark.parametrize("member", ["like ours", b"", b"x", b"9:9", RECORD[:30], b"\xff" * 99])
async def test_forged_members(admin: Redis, frontier: RedisFrontier, key: str, member: str | bytes) -> None:
    before = await frontier.counts("t")
    await admin.zadd(f"{PREFIX}:{key}", {FORGED[key] if isinstance(member, str) else member: 1})
    for state in State:
        await frontier.peek("t", state)
    counts = await finish(frontier)
    assert counts.stored >= before.stored + before.pending


@pytest.mark.parametrize("record", [RECORD, b"x", b""])
@pytest.mark.parametrize("token", [b"7", b"x"])
async def test_forged_leases(admin: Redis, frontier: RedisFrontier, token: bytes, record: bytes) -> None:
    before = await frontier.counts("t")
    await admin.hset(f"{PREFIX}:leased:1", token, record)
    await admin.sadd(f"{PREFIX}:begun", token)
    await admin.zadd(f"{PREFIX}:expiry", {b"1:" + token: 1})
    for state in State:
        await frontier.peek("t", state)
    counts = await finish(frontier)
    assert counts.stored >= before.stored + before.pending
