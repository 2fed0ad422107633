"""What is kept of pages with their endings, and of tasks with their start."""

from __future__ import annotations

import pytest
from servers.frontiers import Opener, eventually, filled, links

from scraping_ai.frontier.protocol import MAX_OPTIONS, Ending, Frontier, FrontierError, Kind, Lease, Limits, State

pytestmark = pytest.mark.anyio


def kept(lease: Lease, kind: Kind = Kind.STORED, page: str = "{}", *records: str) -> Ending:
    return Ending(lease, kind, None if kind is Kind.STORED else "x", page=page, records=records)


async def pages(frontier: Frontier, task: str = "t", n: int = 2) -> list[tuple[str, tuple[str, ...]]]:
    """All results, fetched n at a time."""
    found = await frontier.results(task, n)
    while found and (more := await frontier.results(task, n, found[-1].number)):
        assert len(more) <= n
        found += more
    numbers = [result.number for result in found]
    assert numbers == sorted(set(numbers))
    return [(result.page, result.records) for result in found]


async def test_results_come_in_the_order_of_the_endings(frontier: Frontier) -> None:
    await filled(frontier, *links(5))
    leases = await frontier.lease(5)
    await frontier.settle([kept(leases[3], Kind.STORED, "three", "a", 'b"ü\n[]'), Ending(leases[1], Kind.STORED)])
    await frontier.settle([kept(leases[0], Kind.SKIPPED, "zero"), kept(leases[2], Kind.DEAD, "two", "c")])
    await frontier.settle([kept(leases[4], Kind.STORED, "four", *map(str, range(9_000)))])
    expected = [("three", ("a", 'b"ü\n[]')), ("zero", ()), ("two", ("c",)), ("four", tuple(map(str, range(9_000))))]
    assert await pages(frontier) == expected
    assert [result.depth for result in await frontier.results("t")] == [0] * 4


async def test_nothing_is_kept_of_what_has_not_ended(frontier: Frontier) -> None:
    await filled(frontier, *links(3))
    one, two, three = await frontier.lease(3)
    await frontier.settle([kept(one, Kind.RETRY), kept(two, Kind.RELEASED), kept(three)])
    assert await pages(frontier) == [("{}", ())]


async def test_what_is_kept_is_kept_once(opened: Opener) -> None:
    """Neither a second ending nor one under a lost lease adds to it."""
    async with opened(term=0.0) as doomed, opened() as frontier:
        await filled(frontier, *links(1))
        (lost,) = await doomed.lease(1)
        (lease,) = await eventually(lambda: frontier.lease(1))
        assert await doomed.settle([kept(lost, Kind.STORED, "lost")]) == [False]
        assert await frontier.settle([kept(lease, Kind.STORED, "held"), kept(lease, Kind.STORED, "again")]) == [
            True,
            False,
        ]
        assert await frontier.settle([kept(lease, Kind.STORED, "again")]) == [False]
        assert await pages(frontier) == [("held", ())]


async def test_tasks_have_results_of_their_own(frontier: Frontier) -> None:
    await filled(frontier, *links(1))
    await filled(frontier, *links(1), task="other")
    await frontier.settle([kept(lease, Kind.STORED, lease.task) for lease in await frontier.lease(2)])
    assert [await pages(frontier, task) for task in ("t", "other")] == [[("t", ())], [("other", ())]]
    with pytest.raises(LookupError):
        await frontier.results("none")


async def test_a_replayed_dead_letter_gives_the_result_of_its_next_ending(frontier: Frontier) -> None:
    await filled(frontier, *links(3))
    await frontier.settle([kept(lease, Kind.DEAD, f"failed {lease.url[-1]}", "r") for lease in await frontier.lease(3)])
    first, second, third = (await frontier.peek("t", State.DEAD)).entries
    before = await frontier.results("t")
    await frontier.replay("t", [third.id])
    await frontier.purge("t", [second.id])
    assert await pages(frontier) == [("failed 0", ("r",)), ("failed 1", ("r",))]
    (lease,) = await frontier.lease(1)
    await frontier.settle([kept(lease, Kind.DEAD, "failed again")])
    assert await pages(frontier) == [("failed 0", ("r",)), ("failed 1", ("r",)), ("failed again", ())]
    await frontier.replay("t", [first.id, third.id])
    leases = await frontier.lease(2)
    await frontier.settle([kept(lease, Kind.STORED, f"had {lease.url[-1]}") for lease in leases])
    assert sorted(await pages(frontier)) == [("failed 1", ("r",)), ("had 0", ()), ("had 2", ())]
    news = await frontier.results("t", after=before[-1].number)
    assert sorted(result.page for result in news) == ["had 0", "had 2"]


async def test_options_are_kept_as_they_are(opened: Opener) -> None:
    async with opened() as frontier:
        assert await frontier.options("t") is None
        await frontier.start("t", Limits())
        assert await frontier.options("t") is None
        await frontier.start("t", Limits(), '{"fields": "título"}')
        await frontier.start("t", Limits(max_pages=5))
        await frontier.start("other", Limits(), "")
    async with opened() as frontier:
        assert await frontier.options("t") == '{"fields": "título"}'
        assert await frontier.options("other") == ""
        await frontier.start("t", Limits(), "new")
        assert await frontier.options("t") == "new"


async def test_options_have_a_longest_length(frontier: Frontier) -> None:
    await frontier.start("t", Limits(), "x" * MAX_OPTIONS)
    for long in ("x" * (MAX_OPTIONS + 1), "ü" * (MAX_OPTIONS // 2 + 1)):
        with pytest.raises(FrontierError, match="128 KiB"):
            await frontier.start("t", Limits(), long)
    assert await frontier.options("t") == "x" * MAX_OPTIONS


async def test_tasks_that_are_unfinished(frontier: Frontier) -> None:
    for name in "abcdefg":
        await filled(frontier, *links(1, f"{name}.example"), task=name)
    await frontier.settle(
        [Ending(lease, Kind.STORED) for lease in await frontier.lease(9) if lease.task in ("a", "c", "g")]
    )
    assert await frontier.unfinished() == ["b", "d", "e", "f"]
    assert await frontier.unfinished(2) == ["b", "d"]
    assert await frontier.unfinished(2, after="d") == ["e", "f"]
    assert await frontier.unfinished(after="f") == []
