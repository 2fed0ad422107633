"""A host whose gate is closed keeps nobody busy."""

from __future__ import annotations

from collections import Counter

import pytest
from servers.frontiers import Opener, eventually, filled, links, urls

from scraping_ai.frontier.protocol import Ending, Entry, Frontier, Kind, State

pytestmark = pytest.mark.anyio


async def test_nothing_of_a_paused_host_is_leased_until_its_pause_is_over(frontier: Frontier) -> None:
    await filled(frontier, *links(3, "a.example"), *links(2, "b.example"))
    await frontier.pause({"a.example": 0.3, "unknown.example": 5.0})
    assert {lease.host for lease in await frontier.lease(10)} == {"b.example"}
    assert (await frontier.counts("t")).queued == 3
    leases = await eventually(lambda: frontier.lease(10))
    assert urls(leases) == [f"http://a.example/{n}" for n in range(3)]


async def test_what_comes_in_or_back_during_a_pause_waits_with_the_rest(frontier: Frontier) -> None:
    await filled(frontier, *links(3, "a.example"))
    first, second, third = await frontier.lease(3)
    await frontier.pause({"a.example": 0.3})
    await frontier.settle(
        [Ending(first, Kind.RELEASED), Ending(second, Kind.RETRY, after=0.0), Ending(third, Kind.STORED)]
    )
    await frontier.add("t", links(2, "a.example", first=10))
    assert await frontier.lease(10) == []
    leases = await eventually(lambda: frontier.lease(10))
    assert len(leases) == 4


async def test_the_pause_that_ends_last_counts_for_all_tasks(frontier: Frontier) -> None:
    await filled(frontier, *links(1), task="one")
    await filled(frontier, *links(1), task="other")
    await frontier.pause({"a.example": 60.0})
    await frontier.pause({"a.example": 0.0})
    assert await frontier.lease(10) == []
    assert len((await frontier.peek("one", State.QUEUED)).entries) == 1
    assert await frontier.cancel("one") == 1


async def test_a_pause_outlives_its_worker(opened: Opener) -> None:
    async with opened() as frontier:
        await filled(frontier, *links(1))
        await frontier.pause({"a.example": 60.0})
    async with opened() as frontier:
        assert await frontier.lease(10) == []


async def test_a_suspect_of_a_paused_host_waits_too(opened: Opener) -> None:
    async with opened(term=0.02) as frontier:
        await filled(frontier, *links(1))
        for _ in range(2):
            leases = await eventually(lambda: frontier.lease(1))
            await frontier.begin(leases)
        await frontier.pause({"a.example": 0.5})
        await eventually(lambda: _suspects(frontier))
        (lease,) = await eventually(lambda: frontier.lease(1))
        assert lease.alone


async def _suspects(frontier: Frontier) -> list[Entry]:
    assert await frontier.lease(1) == []
    return list((await frontier.peek("t", State.SUSPECT)).entries)


async def test_paused_hosts_cost_the_others_no_turn(frontier: Frontier) -> None:
    hosts = [f"h{n}.example" for n in range(100)]
    await filled(frontier, *links(2_000, "big.example"), *(entry for host in hosts for entry in links(3, host)))
    await frontier.pause({"big.example": 60.0})
    got = Counter(lease.host for lease in await frontier.lease(300))
    assert got == dict.fromkeys(hosts, 3)
