"""Who holds a lease, and who holds it no longer."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest
from servers.frontiers import Opener, eventually, filled, links, urls

from scraping_ai.frontier.protocol import Counts, Ending, Frontier, Kind

pytestmark = pytest.mark.anyio

SOON = 0.05  # seconds


async def test_what_is_leased_is_leased_to_nobody_else(frontier: Frontier) -> None:
    await filled(frontier, *links(5))
    assert len(await frontier.lease(3)) == 3
    assert len(await frontier.lease(3)) == 2
    assert await frontier.lease(3) == []


async def test_two_workers_never_hold_the_same(opened: Opener) -> None:
    async with opened() as one, opened() as two:
        await filled(one, *links(200))
        got = await asyncio.gather(*(frontier.lease(7) for _ in range(20) for frontier in (one, two)))
        assert Counter(lease.url for leases in got for lease in leases) == Counter(entry.url for entry in links(200))
        assert len({lease.token for leases in got for lease in leases}) == 200


async def test_a_lease_ends_once(frontier: Frontier) -> None:
    await filled(frontier, *links(1))
    (lease,) = await frontier.lease(1)
    stored = Ending(lease, Kind.STORED)
    assert await frontier.settle([stored, stored]) == [True, False]
    for kind in Kind:
        assert await frontier.settle([Ending(lease, kind, "late", links=links(5))]) == [False]
    assert await frontier.counts("t") == Counts(added=1, stored=1)


@pytest.mark.parametrize("kind", [Kind.RETRY, Kind.RELEASED])
async def test_who_gave_a_page_back_can_no_longer_end_it(frontier: Frontier, kind: Kind) -> None:
    await filled(frontier, *links(1))
    (old,) = await frontier.lease(1)
    assert await frontier.settle([Ending(old, kind)]) == [True]
    (new,) = await eventually(lambda: frontier.lease(1))
    assert new.token != old.token
    assert await frontier.settle([Ending(old, Kind.STORED, links=links(5))]) == [False]
    assert await frontier.renew([old, new]) == [old]
    assert await frontier.settle([Ending(new, Kind.STORED)]) == [True]


async def test_a_page_given_back_comes_again_untouched_and_first(frontier: Frontier) -> None:
    await filled(frontier, *links(3))
    one, two, _ = await frontier.lease(3)
    await frontier.begin([one])
    await frontier.settle([Ending(two, Kind.RELEASED), Ending(one, Kind.RELEASED)])
    again = await frontier.lease(3)
    assert [(lease.url, lease.losses, lease.tries) for lease in again] == [(one.url, 0, 0), (two.url, 0, 0)]


async def test_a_worker_that_slept_past_its_lease_can_do_nothing_with_it(opened: Opener) -> None:
    async with opened(term=SOON) as sleeper, opened() as other:
        await filled(sleeper, *links(1))
        (old,) = await sleeper.lease(1)
        (new,) = await eventually(lambda: other.lease(1))
        assert new.url == old.url
        assert await sleeper.settle([Ending(old, Kind.STORED, links=links(9))]) == [False]
        assert await sleeper.renew([old]) == [old]
        await sleeper.begin([old])
        assert await other.counts("t") == Counts(added=1, leased=1)
        assert await other.settle([Ending(new, Kind.RELEASED)]) == [True]
        (newest,) = await other.lease(1)
        assert newest.losses == 0


async def test_a_lease_past_its_end_is_held_until_it_is_taken_back(opened: Opener) -> None:
    """A worker that is merely late loses nothing while nobody else wants the page."""
    async with opened(term=0.0) as frontier:
        await filled(frontier, *links(1))
        (lease,) = await frontier.lease(1)
        assert await frontier.settle([Ending(lease, Kind.STORED)]) == [True]


async def test_a_renewed_lease_goes_on(opened: Opener) -> None:
    async with opened(term=SOON) as worker, opened() as patient:
        await filled(worker, *links(2))
        kept, lost = await worker.lease(2)
        assert await patient.renew([kept]) == []
        (again,) = await eventually(lambda: patient.lease(2))
        assert again.url == lost.url
        assert await worker.settle([Ending(kept, Kind.STORED), Ending(lost, Kind.STORED)]) == [True, False]


async def test_leases_and_their_holders_outlive_the_connection(opened: Opener) -> None:
    async with opened() as frontier:
        await filled(frontier, *links(2))
        leases = await frontier.lease(2)
    async with opened() as frontier:
        assert await frontier.lease(2) == []
        assert await frontier.settle([Ending(lease, Kind.STORED) for lease in leases]) == [True, True]


async def test_tokens_never_come_again(opened: Opener) -> None:
    tokens: list[int] = []
    for _ in range(3):
        async with opened() as frontier:
            await filled(frontier, *links(2))
            leases = await frontier.lease(2)
            tokens += [lease.token for lease in leases]
            await frontier.settle([Ending(lease, Kind.RELEASED) for lease in leases])
    assert len(set(tokens)) == 6
    assert tokens == sorted(tokens)


async def test_urls_of_leases_are_those_offered(frontier: Frontier) -> None:
    await filled(frontier, *links(30))
    assert sorted(urls(await frontier.lease(30))) == sorted(entry.url for entry in links(30))
