"""max_pages of a task and of its hosts are exact."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest
from servers.frontiers import Opener, eventually, filled, links

from scraping_ai.frontier.protocol import Counts, Ending, Frontier, Kind, Lease, Limits

pytestmark = pytest.mark.anyio

HOST_FULL = "max_pages of the host reached"


async def test_stored_and_leased_never_exceed_max_pages(frontier: Frontier) -> None:
    await filled(frontier, *links(10), max_pages=3)
    leases = await frontier.lease(10)
    assert len(leases) == 3
    assert await frontier.lease(10) == []


async def test_what_is_not_stored_does_not_count(frontier: Frontier) -> None:
    await filled(frontier, *links(10), max_pages=2)
    one, two = await frontier.lease(10)
    await frontier.settle([Ending(one, Kind.SKIPPED, "HTTP 404"), Ending(two, Kind.DEAD, "refused")])
    assert len(await frontier.lease(10)) == 2


async def test_what_is_left_is_skipped_when_the_last_page_is_stored(frontier: Frontier) -> None:
    await filled(frontier, *links(10), max_pages=2)
    one, two = await frontier.lease(10)
    await frontier.settle([Ending(one, Kind.STORED)])
    assert (await frontier.counts("t")).queued == 8
    await frontier.settle([Ending(two, Kind.STORED, links=links(3, first=10))])
    assert await frontier.counts("t") == Counts(13, 0, stored=2, skipped=11, reasons={"max_pages reached": 11})


async def test_retries_that_wait_are_skipped_too(frontier: Frontier) -> None:
    await filled(frontier, *links(3), max_pages=1)
    (one,) = await frontier.lease(3)
    await frontier.settle([Ending(one, Kind.RETRY, after=3_600)])
    (two,) = await frontier.lease(3)
    await frontier.settle([Ending(two, Kind.STORED)])
    assert await frontier.pending("t") == 0


async def test_what_comes_after_the_last_page_is_skipped(frontier: Frontier) -> None:
    await filled(frontier, *links(1), max_pages=1)
    await frontier.settle([Ending(lease, Kind.STORED) for lease in await frontier.lease(1)])
    assert await frontier.add("t", links(3)) == [False, True, True]
    assert await frontier.pending("t") == 0
    assert (await frontier.counts("t")).skipped == 2


async def test_no_pages_at_all(frontier: Frontier) -> None:
    await filled(frontier, *links(5), max_pages=0)
    assert await frontier.lease(5) == []
    assert await frontier.pending("t") == 0


async def test_of_each_host_no_more_than_its_pages(frontier: Frontier) -> None:
    await filled(frontier, *links(9, "a.example"), *links(2, "b.example"), max_host_pages=3)
    leases = await frontier.lease(20)
    assert Counter(lease.host for lease in leases) == {"a.example": 3, "b.example": 2}
    await frontier.settle([Ending(lease, Kind.STORED) for lease in leases])
    counts = await frontier.counts("t")
    assert (counts.stored, counts.pending) == (5, 0)
    assert counts.reasons == {"max_pages of the host reached": 6}
    await frontier.add("t", [*links(1, "a.example", 20), *links(1, "b.example", 20), *links(1, "c.example", 20)])
    assert {lease.host for lease in await frontier.lease(9)} == {"b.example", "c.example"}


async def test_retries_of_a_host_that_has_its_pages_are_skipped(frontier: Frontier) -> None:
    await filled(frontier, *links(2), max_host_pages=1)
    (one,) = await frontier.lease(3)
    await frontier.settle([Ending(one, Kind.RETRY, after=3_600)])
    (two,) = await frontier.lease(3)
    await frontier.settle([Ending(two, Kind.STORED)])
    assert await frontier.pending("t") == 0


async def test_one_task_at_its_limit_does_not_hold_back_another(frontier: Frontier) -> None:
    await filled(frontier, *(entry for n in range(50) for entry in links(1, f"h{n}.example")), task="full", max_pages=1)
    await filled(frontier, *links(1, "z.example"), task="free")
    tasks = [lease.task for _ in range(2) for lease in await frontier.lease(1)]
    assert sorted(tasks) == ["free", "full"]


async def test_limits_may_change(frontier: Frontier) -> None:
    await filled(frontier, *links(9), max_pages=1)
    await frontier.lease(9)
    await frontier.start("t", Limits(max_pages=4))
    more = await frontier.lease(9)
    assert len(more) == 3
    await frontier.settle([Ending(lease, Kind.STORED) for lease in more])
    await frontier.start("t", Limits(max_pages=3))
    assert (await frontier.lease(9)) == []


async def test_a_limit_that_is_reached_already_ends_the_task(frontier: Frontier) -> None:
    await filled(frontier, *links(5))
    await frontier.settle([Ending(lease, Kind.STORED) for lease in await frontier.lease(2)])
    await frontier.start("t", Limits(max_pages=2))
    assert await frontier.pending("t") == 0


@pytest.mark.parametrize("limit", ["max_pages", "max_host_pages"])
async def test_limits_are_exact_with_many_workers(opened: Opener, limit: str) -> None:
    """Four workers of their own connections; every third page fails, and finds links all the same."""
    async with opened() as first, opened() as second:
        await filled(first, *links(100), **{limit: 25})
        most = 0

        async def worker(frontier: Frontier) -> None:
            nonlocal most
            while await frontier.pending("t"):
                for lease in await frontier.lease(4):
                    counts = await frontier.counts("t")
                    most = max(most, counts.stored + counts.leased)
                    await frontier.settle([ending(lease)])

        def ending(lease: Lease) -> Ending:
            number = int(lease.url.rpartition("/")[2])
            found = links(1, first=1_000 + number)
            return Ending(lease, Kind.STORED if number % 3 else Kind.SKIPPED, "empty", links=found)

        await asyncio.gather(*(worker(frontier) for frontier in (first, second, first, second)))
        counts = await first.counts("t")
        assert (counts.stored, counts.pending) == (25, 0)
        assert most <= 25


async def stored(frontier: Frontier, n: int) -> None:
    assert all(await frontier.settle([Ending(lease, Kind.STORED) for lease in await frontier.lease(n)]))


async def test_a_limit_of_hosts_that_comes_later_skips_what_is_queued_above_it(frontier: Frontier) -> None:
    await filled(frontier, *links(5), *links(3, "b.example"))
    await stored(frontier, 6)
    await frontier.start("t", Limits(max_host_pages=2))
    assert await frontier.lease(9) == []
    assert await frontier.counts("t") == Counts(8, 0, stored=6, skipped=2, reasons={HOST_FULL: 2})


async def test_a_limit_of_hosts_that_comes_while_pages_are_leased(frontier: Frontier) -> None:
    await filled(frontier, *links(5))
    leases = await frontier.lease(2)
    await frontier.start("t", Limits(max_host_pages=1))
    assert await frontier.lease(9) == []
    assert all(await frontier.settle([Ending(lease, Kind.STORED) for lease in leases]))
    assert await frontier.counts("t") == Counts(5, 0, stored=2, skipped=3, reasons={HOST_FULL: 3})


async def test_a_limit_of_hosts_that_comes_later_skips_retries(frontier: Frontier) -> None:
    await filled(frontier, *links(2))
    one, two = await frontier.lease(2)
    await frontier.settle([Ending(one, Kind.STORED), Ending(two, Kind.RETRY, after=3_600)])
    await frontier.start("t", Limits(max_host_pages=1))
    assert await frontier.lease(9) == []
    assert await frontier.counts("t") == Counts(2, 0, stored=1, skipped=1, reasons={HOST_FULL: 1})


async def test_a_limit_of_hosts_that_comes_later_skips_suspects(opened: Opener) -> None:
    async with opened(term=0.2) as frontier:
        await filled(frontier, *links(2))
        await stored(frontier, 1)
        for _ in range(2):
            (lease,) = await eventually(lambda: frontier.lease(1))
            await frontier.begin([lease])
        await frontier.pause({"a.example": 60.0})
        await eventually(lambda: queued(frontier))
        await frontier.start("t", Limits(max_host_pages=1))
        assert await frontier.lease(9) == []
        assert await frontier.counts("t") == Counts(2, 0, stored=1, skipped=1, reasons={HOST_FULL: 1})


async def queued(frontier: Frontier) -> int:
    assert await frontier.lease(9) == []
    return (await frontier.counts("t")).queued


@pytest.mark.parametrize("later", [None, 2, 5])
async def test_a_limit_that_is_raised_lets_more_be_leased(frontier: Frontier, later: int | None) -> None:
    for kind in ("max_host_pages", "max_pages"):
        await filled(frontier, *links(5), task=kind, **{kind: 1})
        (one,) = await frontier.lease(9)
        assert await frontier.lease(9) == []
        await frontier.start(kind, Limits(**{kind: later}))
        await frontier.settle([Ending(one, Kind.STORED)])
        leases = await frontier.lease(9)
        assert len(leases) == (later or 5) - 1
        await frontier.settle([Ending(lease, Kind.STORED) for lease in leases])
        assert await frontier.pending(kind) == 0
