"""Pages whose worker was lost, and pages that are to be tried again."""

from __future__ import annotations

import pytest
from servers.frontiers import Opener, eventually, filled, links

from scraping_ai.frontier.protocol import Counts, Ending, Frontier, Kind, Lease

pytestmark = pytest.mark.anyio


async def lose(opened: Opener, n: int = 1, *, begun: bool = True, max_losses: int = 3) -> list[Lease]:
    """Lease pages as a worker that then dies, and begin them."""
    async with opened(term=0.0, max_losses=max_losses) as doomed:
        leases = await eventually(lambda: doomed.lease(n))
        if begun:
            await doomed.begin(leases)
        return leases


async def test_only_what_was_begun_counts(opened: Opener) -> None:
    async with opened() as frontier:
        await filled(frontier, *links(2))
        begun, waiting = await lose(opened, 2, begun=False)
        await frontier.begin([begun])
        again = await eventually(lambda: frontier.lease(2))
        assert {lease.url: lease.losses for lease in again} == {begun.url: 1, waiting.url: 0}


async def test_prefetched_pages_survive_any_number_of_restarts(opened: Opener) -> None:
    async with opened() as frontier:
        await filled(frontier, *links(2))
        for _ in range(6):
            await lose(opened, 2, begun=False)
        leases = await eventually(lambda: frontier.lease(2))
        assert [(lease.losses, lease.alone) for lease in leases] == [(0, False)] * 2


async def test_who_begins_again_starts_from_nothing(opened: Opener) -> None:
    """That the first worker began it does not count against the second, which had not."""
    async with opened() as frontier:
        await filled(frontier, *links(1))
        await lose(opened)
        await lose(opened, begun=False)
        (lease,) = await eventually(lambda: frontier.lease(1))
        assert lease.losses == 1


async def test_what_has_cost_two_workers_is_leased_alone(opened: Opener) -> None:
    async with opened() as frontier:
        await filled(frontier, *links(1))
        for _ in range(2):
            await lose(opened)
        await frontier.add("t", links(5))
        (suspect,) = await eventually(lambda: frontier.lease(5))
        assert (suspect.url, suspect.losses, suspect.alone) == (links(1)[0].url, 2, True)
        others = await frontier.lease(5)
        assert [lease.alone for lease in others] == [False] * 4


@pytest.mark.parametrize("kind", [Kind.RELEASED, Kind.RETRY])
async def test_a_suspect_stays_one_until_it_ends(opened: Opener, kind: Kind) -> None:
    async with opened() as frontier:
        await filled(frontier, *links(1))
        for _ in range(2):
            await lose(opened)
        (suspect,) = await eventually(lambda: frontier.lease(5))
        await frontier.settle([Ending(suspect, kind)])
        await frontier.add("t", links(5))
        again = await frontier.lease(5)
        assert [lease.alone for lease in again] == [True]
        assert await frontier.settle([Ending(again[0], Kind.STORED)]) == [True]


async def test_several_suspects_come_one_by_one(opened: Opener) -> None:
    async with opened() as frontier:
        await filled(frontier, *links(3))
        await lose(opened, 3)
        await lose(opened, 3)
        got = [await eventually(lambda: frontier.lease(9)) for _ in range(3)]
        assert [len(leases) for leases in got] == [1, 1, 1]


async def test_suspects_keep_to_the_limits(opened: Opener) -> None:
    async with opened() as frontier:
        await filled(frontier, *links(2), max_pages=2)
        await lose(opened, 2)
        await lose(opened, 2)
        (one,) = await eventually(lambda: frontier.lease(9))
        await frontier.add("t", links(9))
        (two,) = await frontier.lease(9)
        assert await frontier.lease(9) == []
        assert await frontier.settle([Ending(one, Kind.STORED), Ending(two, Kind.STORED)]) == [True, True]
        assert (await frontier.counts("t")).stored == 2
        assert await frontier.pending("t") == 0


async def test_suspects_keep_to_their_hosts_share(opened: Opener) -> None:
    async with opened() as frontier:
        await filled(frontier, *links(2))
        await lose(opened, 2)
        await lose(opened, 2)
        assert len(await eventually(lambda: frontier.lease(9, per_host=1))) == 1
        assert await frontier.lease(9, per_host=1) == []


async def test_what_costs_every_worker_is_a_dead_letter(opened: Opener) -> None:
    async with opened() as frontier:
        await filled(frontier, *links(1))
        for _ in range(3):
            await lose(opened)
        assert await frontier.lease(5) == []
        assert await frontier.counts("t") == Counts(added=1, dead=1, reasons={"cost 3 workers": 1})


async def test_how_many_workers_is_a_setting(opened: Opener) -> None:
    async with opened(max_losses=1) as frontier:
        await filled(frontier, *links(1))
        await lose(opened, max_losses=1)
        assert await frontier.lease(5) == []
        assert (await frontier.counts("t")).dead == 1


async def test_a_retry_waits_until_it_is_due(frontier: Frontier) -> None:
    await filled(frontier, *links(2))
    one, two = await frontier.lease(2)
    await frontier.settle([Ending(one, Kind.RETRY, after=3_600), Ending(two, Kind.RETRY, after=0.05)])
    assert await frontier.counts("t") == Counts(added=2, delayed=2)
    (again,) = await eventually(lambda: frontier.lease(2))
    assert (again.url, again.tries, again.losses) == (two.url, 1, 0)
    assert await frontier.counts("t") == Counts(added=2, delayed=1, leased=1)


async def test_a_retry_may_be_another_request_and_is_the_old_one_else(frontier: Frontier) -> None:
    await filled(frontier, *links(1))
    for tries, (asked, expected) in enumerate(
        [(None, None), ('{"flags":["x"]}', '{"flags":["x"]}'), (None, '{"flags":["x"]}')]
    ):
        (lease,) = await frontier.lease(1)
        assert lease.tries == tries
        await frontier.settle([Ending(lease, Kind.RETRY, request=asked)])
        (lease,) = await frontier.lease(1)
        assert lease.request == expected
        await frontier.settle([Ending(lease, Kind.RELEASED)])


async def test_a_retry_keeps_its_place_in_the_order(frontier: Frontier) -> None:
    await filled(frontier, *links(3))
    one, two, three = await frontier.lease(3)
    await frontier.settle([Ending(lease, Kind.RETRY) for lease in (three, one, two)])
    assert [lease.url for lease in await frontier.lease(3)] == [one.url, two.url, three.url]


async def test_pending_is_exact_until_the_last_page_has_ended(frontier: Frontier) -> None:
    await filled(frontier, *links(3))
    one, two, three = await frontier.lease(3)
    pending = []
    for ending in (
        Ending(one, Kind.RETRY),
        Ending(two, Kind.STORED, links=links(1, first=9)),
        Ending(three, Kind.DEAD, "HTTP 500: late", status=500),
    ):
        await frontier.settle([ending])
        pending.append(await frontier.pending("t"))
    for lease in await frontier.lease(9):
        await frontier.settle([Ending(lease, Kind.SKIPPED, "robots.txt")])
        pending.append(await frontier.pending("t"))
    assert pending == [3, 3, 2, 1, 0]
    counts = await frontier.counts("t")
    assert counts.reasons == {"HTTP 500": 1, "robots.txt": 2}
