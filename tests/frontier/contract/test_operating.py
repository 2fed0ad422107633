"""What an operator sees, and does with dead letters."""

from __future__ import annotations

import pytest
from scrapy import Request, Spider
from servers.frontiers import Opener, eventually, filled, link, links, urls

from scraping_ai.frontier.protocol import Counts, Ending, Entry, Frontier, Kind, Lease, Limits, State
from scraping_ai.frontier.requests import from_json, retried, to_json

pytestmark = pytest.mark.anyio


async def all_of(frontier: Frontier, state: State, n: int = 2) -> list[Entry]:
    """Every entry in a state, fetched n at a time."""
    listing = await frontier.peek("t", state, n)
    entries = [*listing.entries]
    while listing.after is not None:
        listing = await frontier.peek("t", state, n, listing.after)
        assert 0 < len(listing.entries) <= n
        entries += listing.entries
    return entries


async def buried(frontier: Frontier, n: int) -> list[Entry]:
    await filled(frontier, *links(n))
    await frontier.settle([Ending(lease, Kind.DEAD, "HTTP 500: x", 500) for lease in await frontier.lease(n)])
    return await all_of(frontier, State.DEAD)


async def test_tasks_are_listed_by_name(frontier: Frontier) -> None:
    for name in ("b", "c", "a"):
        await frontier.start(name, Limits())
    assert await frontier.tasks() == ["a", "b", "c"]
    assert await frontier.tasks(1, after="a") == ["b"]
    assert await frontier.tasks(after="c") == []


async def test_the_queue_is_seen_in_its_order_and_left_alone(frontier: Frontier) -> None:
    await filled(frontier, *(link(f"http://a.example/{n}", depth=n % 3, priority=n % 2) for n in range(7)))
    await filled(frontier, *links(3), task="other")
    before = await frontier.counts("t")
    seen = await all_of(frontier, State.QUEUED)
    assert await frontier.counts("t") == before
    await frontier.cancel("other")
    assert [entry.url for entry in seen] == urls(await frontier.lease(9))
    assert (seen[0].state, seen[0].host, seen[0].priority, seen[0].depth) == (State.QUEUED, "a.example", 1, 0)


async def test_every_host_is_seen(frontier: Frontier) -> None:
    await filled(frontier, *links(3, "a.example"), *links(1, "b.example"), *links(2, "c.example"))
    seen = await all_of(frontier, State.QUEUED)
    assert sorted(entry.url for entry in seen) == sorted(urls(await frontier.lease(9)))


async def test_each_state_is_seen_by_itself(opened: Opener) -> None:
    async with opened(term=0.0) as doomed, opened() as frontier:
        await filled(frontier, *links(1))
        for _ in range(2):
            await doomed.begin(await eventually(lambda: doomed.lease(1)))
        (suspect,) = await eventually(lambda: frontier.lease(1))
        await frontier.settle([Ending(suspect, Kind.RELEASED)])
        (seen,) = await all_of(frontier, State.SUSPECT)
        assert (seen.url, seen.losses, seen.state) == (suspect.url, 2, State.SUSPECT)
        await frontier.settle([Ending(lease, Kind.STORED) for lease in await frontier.lease(1)])
        await frontier.add("t", links(5))
        retried, _ = await frontier.lease(2)
        await frontier.settle([Ending(retried, Kind.RETRY, after=3_600)])
        (delayed,) = await all_of(frontier, State.DELAYED)
        assert (delayed.url, delayed.tries) == (retried.url, 1)
        assert 3_500 < (delayed.wait or 0) <= 3_600
        (leased,) = await all_of(frontier, State.LEASED)
        assert 0 < (leased.wait or 0) <= 60
        assert len(await all_of(frontier, State.QUEUED)) == 2


async def test_dead_letters_say_why(frontier: Frontier) -> None:
    (entry, *_) = await buried(frontier, 5)
    assert (entry.reason, entry.status, entry.state) == ("HTTP 500: x", 500, State.DEAD)
    assert (await frontier.counts("t")).reasons == {"HTTP 500": 5}


async def test_dead_letters_are_replayed_as_if_they_were_new(opened: Opener) -> None:
    async with opened(term=0.0, max_losses=1) as doomed, opened() as frontier:
        await filled(frontier, *links(1))
        (first,) = await doomed.lease(1)
        await doomed.settle([Ending(first, Kind.RETRY)])
        await doomed.begin(await eventually(lambda: doomed.lease(1)))
        await doomed.lease(1)
        (dead,) = await all_of(frontier, State.DEAD)
        assert await frontier.replay("t", [dead.id]) == 1
        assert await frontier.counts("t") == Counts(added=1, queued=1)
        (lease,) = await frontier.lease(1)
        assert (lease.url, lease.losses, lease.tries, lease.alone) == (dead.url, 0, 0, False)
        assert await frontier.settle([Ending(lease, Kind.STORED)]) == [True]


async def test_requests_of_replayed_dead_letters_begin_anew(frontier: Frontier) -> None:
    spider = Spider("t")
    first = Request("http://a.example/", meta={"mark": 1}, headers={"X": "y"})
    await filled(frontier, link(first.url, request=to_json(first, spider)))
    (lease,) = await frontier.lease(1)
    for times in (1, 2):
        tried = first.replace(meta=first.meta | {"retry_times": times})
        await frontier.settle([Ending(lease, Kind.RETRY, request=retried(lease, tried, spider))])
        (lease,) = await eventually(lambda: frontier.lease(1))
        assert request_of(lease, spider).meta == tried.meta
    await frontier.settle([Ending(lease, Kind.DEAD, "HTTP 503", 503)])
    (dead,) = await all_of(frontier, State.DEAD)
    await frontier.replay("t", [dead.id])
    (lease,) = await frontier.lease(1)
    again = request_of(lease, spider)
    assert (again.meta, again.headers) == (first.meta, first.headers)


def request_of(lease: Lease, spider: Spider) -> Request:
    return from_json(lease.request, lease.url, lease.priority, spider, tries=lease.tries)


async def test_dead_letters_given_up_are_skipped(frontier: Frontier) -> None:
    dead = await buried(frontier, 5)
    assert await frontier.purge("t", [entry.id for entry in dead[:3]]) == 3
    assert await frontier.counts("t") == Counts(5, skipped=3, dead=2, reasons={"purged": 3, "HTTP 500": 2})
    assert [entry.url for entry in await all_of(frontier, State.DEAD)] == [entry.url for entry in dead[3:]]
    assert await frontier.add("t", links(5)) == [False] * 5


@pytest.mark.parametrize("operation", ["replay", "purge"])
async def test_what_is_no_dead_letter_of_the_task_stays_as_it_is(frontier: Frontier, operation: str) -> None:
    (dead,) = await buried(frontier, 1)
    await frontier.add("t", links(2))
    (queued,) = await all_of(frontier, State.QUEUED)
    await filled(frontier, task="other")
    assert await getattr(frontier, operation)("other", [dead.id]) == 0
    assert await getattr(frontier, operation)("t", [queued.id, dead.id, dead.id]) == 1
    assert await getattr(frontier, operation)("t", [dead.id]) == 0
    assert (await frontier.counts("t")).added == 2


async def test_a_replayed_page_of_a_full_task_is_skipped(frontier: Frontier) -> None:
    (dead,) = await buried(frontier, 1)
    await frontier.start("t", Limits(max_pages=1))
    await frontier.add("t", links(2))
    await frontier.settle([Ending(lease, Kind.STORED) for lease in await frontier.lease(1)])
    assert await frontier.replay("t", [dead.id]) == 1
    assert await frontier.counts("t") == Counts(2, 1, stored=1, skipped=1, reasons={"max_pages reached": 1})
