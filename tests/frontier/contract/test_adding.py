"""What is taken in, and in which order it comes out."""

from __future__ import annotations

from dataclasses import replace

import pytest
from servers.frontiers import Opener, filled, link, links, urls

from scraping_ai.frontier.protocol import Counts, Ending, Frontier, Kind, Limits, State

pytestmark = pytest.mark.anyio


async def test_of_equal_links_the_first_is_new(frontier: Frontier) -> None:
    await frontier.start("t", Limits())
    one, two = links(2)
    assert await frontier.add("t", [one, two, one]) == [True, True, False]
    assert await frontier.add("t", [two]) == [False]
    assert await frontier.counts("t") == Counts(added=2, duplicates=2, queued=2)


async def test_an_address_stays_known_after_its_page_has_ended(frontier: Frontier) -> None:
    await filled(frontier, *links(3))
    leases = await frontier.lease(3)
    kinds = (Kind.STORED, Kind.SKIPPED, Kind.DEAD)
    await frontier.settle([Ending(lease, kind, "why") for lease, kind in zip(leases, kinds, strict=True)])
    assert await frontier.add("t", links(3)) == [False] * 3


async def test_a_link_without_a_fingerprint_is_always_new(frontier: Frontier) -> None:
    await filled(frontier)
    again = replace(link("http://a.example/"), fingerprint=None)
    assert await frontier.add("t", [again, again]) == [True, True]
    assert urls(await frontier.lease(5)) == ["http://a.example/"] * 2


@pytest.mark.parametrize("number", [0, 1, -1, 2**53 + 1, 2**63 - 1, -(2**63)])
async def test_fingerprints_are_exact_over_all_64_bits(frontier: Frontier, number: int) -> None:
    await filled(frontier)
    near = number - 1 if number > -(2**63) else number + 1
    offered = [replace(link("http://a.example/"), fingerprint=n) for n in (number, near, number)]
    assert await frontier.add("t", offered) == [True, True, False]


async def test_tasks_know_addresses_each_for_itself(frontier: Frontier) -> None:
    await filled(frontier, *links(2))
    await frontier.start("other", Limits())
    assert await frontier.add("other", links(2)) == [True, True]
    assert len(await frontier.lease(9)) == 4


async def test_a_task_that_nobody_started_takes_nothing(frontier: Frontier) -> None:
    with pytest.raises(LookupError, match="nobody"):
        await frontier.add("nobody", links(1))
    assert await frontier.counts("nobody") == Counts()
    assert await frontier.pending("nobody") == 0


async def test_an_entry_comes_out_as_it_went_in(frontier: Frontier) -> None:
    asked = '{"method":"POST","body":"eA==","cb_kwargs":{"é":"\\u0000"}}'
    await filled(frontier, link("http://a.example/é?q=\x00 \u2028", depth=3, priority=-7, request=asked))
    (lease,) = await frontier.lease(1)
    assert (lease.task, lease.url, lease.host) == ("t", "http://a.example/é?q=\x00 \u2028", "a.example")
    assert (lease.depth, lease.priority, lease.request) == (3, -7, asked)
    assert (lease.losses, lease.tries, lease.alone) == (0, 0, False)


async def test_within_a_host_by_priority_then_depth_then_first_in(frontier: Frontier) -> None:
    await filled(
        frontier,
        link("http://a.example/last", depth=2, priority=-5),
        link("http://a.example/deep", depth=9),
        link("http://a.example/first-in", depth=1),
        link("http://a.example/second-in", depth=1),
        link("http://a.example/urgent", depth=50, priority=10),
    )
    names = [url.rpartition("/")[2] for url in urls(await frontier.lease(9))]
    assert names == ["urgent", "first-in", "second-in", "deep", "last"]


async def test_the_order_holds_over_many_calls(frontier: Frontier) -> None:
    await filled(frontier, *(link(f"http://a.example/{n}", depth=n % 5, priority=n % 3) for n in range(60)))
    leases = [lease for _ in range(12) for lease in await frontier.lease(5)]
    assert [(-lease.priority, lease.depth) for lease in leases] == sorted((-(n % 3), n % 5) for n in range(60))


async def test_links_of_a_page_come_with_its_ending_and_not_without(frontier: Frontier) -> None:
    await filled(frontier, *links(1))
    (lease,) = await frontier.lease(1)
    assert await frontier.settle([Ending(lease, Kind.STORED, links=links(4))]) == [True]
    assert await frontier.counts("t") == Counts(added=4, duplicates=1, stored=1, queued=3)


async def test_what_was_said_is_there_when_it_is_opened_again(opened: Opener) -> None:
    async with opened() as frontier:
        await filled(frontier, *links(3))
        first, _ = await frontier.lease(2)
        await frontier.settle([Ending(first, Kind.STORED)])
        before = await frontier.counts("t")
    async with opened() as frontier:
        assert await frontier.counts("t") == before
        assert await frontier.add("t", links(4)) == [False, False, False, True]


async def test_nothing_asked_is_nothing_done(frontier: Frontier) -> None:
    await filled(frontier)
    assert await frontier.add("t", []) == []
    assert await frontier.lease(5) == []
    assert await frontier.settle([]) == []
    assert await frontier.renew([]) == []
    await frontier.begin([])
    assert await frontier.counts("t") == Counts()


async def test_characters_that_no_encoding_has_cost_nothing_but_themselves(frontier: Frontier) -> None:
    await filled(frontier, link("http://a.example/\ud800é"), replace(link("http://a.example/b"), host="b\udc80"))
    one, two = await frontier.lease(2)
    endings = [Ending(two, Kind.DEAD, "ValueError: \udcff"), Ending(one, Kind.SKIPPED, "\ud800")]
    assert await frontier.settle(endings) == [True, True]
    counts = await frontier.counts("t")
    assert (counts.dead, counts.skipped, counts.pending) == (1, 1, 0)
    (dead,) = (await frontier.peek("t", State.DEAD)).entries
    assert (dead.reason or "").startswith("ValueError: ")
