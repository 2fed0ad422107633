"""A task that is cancelled, whatever is under way."""

from __future__ import annotations

import asyncio

import pytest
from servers.frontiers import Opener, eventually, filled, links

from scraping_ai.frontier.protocol import Counts, Ending, Frontier, Kind

pytestmark = pytest.mark.anyio


async def test_all_that_is_pending_is_skipped(frontier: Frontier) -> None:
    await filled(frontier, *links(3, "a.example"), *links(3, "b.example"))
    one, two, three, _ = await frontier.lease(4)
    await frontier.settle([Ending(one, Kind.STORED), Ending(two, Kind.RETRY, after=60), Ending(three, Kind.DEAD, "x")])
    assert await frontier.cancel("t") == 4
    assert await frontier.counts("t") == Counts(6, 0, stored=1, skipped=4, dead=1, reasons={"cancelled": 4, "x": 1})
    assert await frontier.cancel("t") == 0


async def test_endings_of_its_leases_are_refused(frontier: Frontier) -> None:
    await filled(frontier, *links(1))
    (lease,) = await frontier.lease(1)
    await frontier.cancel("t")
    assert await frontier.renew([lease]) == [lease]
    assert await frontier.settle([Ending(lease, Kind.STORED, links=links(9))]) == [False]
    assert await frontier.pending("t") == 0
    assert await frontier.lease(9) == []


async def test_other_tasks_go_on(frontier: Frontier) -> None:
    await filled(frontier, *links(5))
    await filled(frontier, *links(5), task="other")
    leases = await frontier.lease(4)
    await frontier.cancel("t")
    mine = [lease for lease in leases if lease.task == "other"]
    assert await frontier.settle([Ending(lease, Kind.STORED) for lease in mine]) == [True] * len(mine)
    assert {lease.task for lease in await frontier.lease(9)} == {"other"}
    assert (await frontier.counts("other")).skipped == 0


async def test_suspects_are_skipped_too(opened: Opener) -> None:
    async with opened(term=0.0) as frontier:
        await filled(frontier, *links(1))
        for _ in range(2):
            await frontier.begin(await eventually(lambda: frontier.lease(1)))
        await eventually(lambda: frontier.lease(1))
        await frontier.cancel("t")
        assert await frontier.lease(1) == []
        assert await frontier.counts("t") == Counts(added=1, skipped=1, reasons={"cancelled": 1})


async def test_while_leases_are_taken_back(opened: Opener) -> None:
    """Workers whose leases have ended fetch, begin and end pages while the task is cancelled."""
    async with opened(term=0.0) as one, opened(term=0.0) as two:
        await filled(one, *links(60))

        async def work(frontier: Frontier) -> None:
            while await frontier.pending("t"):
                leases = await frontier.lease(5)
                await frontier.begin(leases)
                await frontier.settle([Ending(lease, Kind.STORED) for lease in leases[:1]])

        async def cancel() -> None:
            await eventually(lambda: stored(one))
            await two.cancel("t")

        await asyncio.gather(work(one), work(two), cancel())
        counts = await one.counts("t")
        assert (counts.added, counts.pending) == (60, 0)
        assert await two.lease(9) == []


async def stored(frontier: Frontier) -> int:
    return (await frontier.counts("t")).stored
