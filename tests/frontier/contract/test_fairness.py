"""Hosts take turns; on a host tasks take turns by weight."""

from __future__ import annotations

from collections import Counter

import pytest
from servers.frontiers import filled, link, links

from scraping_ai.frontier.protocol import Ending, Frontier, Kind, Lease, Limits

pytestmark = pytest.mark.anyio


async def served(frontier: Frontier, n: int, *, at_once: int = 1) -> list[Lease]:
    """The next n leases, fetched a few at a time, each page stored before the next."""
    leases: list[Lease] = []
    while len(leases) < n and (got := await frontier.lease(min(at_once, n - len(leases)))):
        await frontier.settle([Ending(lease, Kind.STORED) for lease in got])
        leases += got
    return leases


async def test_one_host_with_many_holds_back_none_with_few(frontier: Frontier) -> None:
    await filled(frontier, *links(2_000, "big.example"))
    await frontier.add("t", [entry for n in range(100) for entry in links(2, f"h{n}.example")])
    hosts = Counter(lease.host for lease in await served(frontier, 250, at_once=20))
    assert all(hosts[f"h{n}.example"] == 2 for n in range(100))


async def test_a_task_with_many_holds_back_none_with_few(frontier: Frontier) -> None:
    await filled(frontier, *links(2_000), task="many")
    await filled(frontier, *links(10), task="few")
    tasks = Counter(lease.task for lease in await served(frontier, 20, at_once=4))
    assert tasks["few"] >= 9


async def test_new_hosts_do_not_hold_back_those_that_wait(frontier: Frontier) -> None:
    await filled(frontier, *links(10, "old.example"), task="few")
    await filled(frontier, *links(1, "new.example"), task="many")
    got = []
    for n in range(60):
        got += await served(frontier, 1)
        await frontier.add("many", [link(f"http://new{n}-{k}.example/") for k in range(3)])
    assert Counter(lease.task for lease in got)["few"] >= 4


async def test_a_call_is_filled_from_few_hosts_if_there_are_no_more(frontier: Frontier) -> None:
    await filled(frontier, *links(50, "a.example"), *links(50, "b.example"))
    hosts = Counter(lease.host for lease in await frontier.lease(40))
    assert hosts == {"a.example": 20, "b.example": 20}


async def test_tasks_take_turns_on_a_host_by_weight(frontier: Frontier) -> None:
    await filled(frontier, *links(200), task="light", weight=1.0)
    await filled(frontier, *links(200), task="heavy", weight=3.0)
    assert Counter(lease.task for lease in await served(frontier, 80)) == {"light": 20, "heavy": 60}


async def test_a_weight_may_change(frontier: Frontier) -> None:
    await filled(frontier, *links(200), task="a")
    await filled(frontier, *links(200), task="b")
    await served(frontier, 20)
    await frontier.start("b", Limits(weight=4.0))
    tasks = Counter(lease.task for lease in await served(frontier, 50))
    assert tasks["b"] >= 38


@pytest.mark.parametrize("weight", [0.0, -1.0, float("nan")])
async def test_a_weight_is_above_nothing(weight: float) -> None:
    with pytest.raises(ValueError, match="weight"):
        Limits(weight=weight)


async def test_priority_does_not_cross_tasks(frontier: Frontier) -> None:
    await filled(frontier, *(link(f"http://a.example/{n}", priority=1_000) for n in range(50)), task="loud")
    await filled(frontier, *links(50), task="quiet")
    assert Counter(lease.task for lease in await served(frontier, 20)) == {"loud": 10, "quiet": 10}


async def test_a_task_that_comes_late_does_not_catch_up(frontier: Frontier) -> None:
    await filled(frontier, *links(300), task="early")
    await served(frontier, 100)
    await filled(frontier, *links(100), task="late")
    tasks = Counter(lease.task for lease in await served(frontier, 40))
    assert 18 <= tasks["late"] <= 22


async def test_a_task_that_was_idle_has_saved_up_nothing(frontier: Frontier) -> None:
    await filled(frontier, *links(1), task="idle")
    await filled(frontier, *links(300), task="busy")
    await served(frontier, 100)
    await frontier.add("idle", links(100, first=1))
    tasks = Counter(lease.task for lease in await served(frontier, 40))
    assert 18 <= tasks["idle"] <= 22


async def test_a_host_is_leased_at_most_so_often_at_once(frontier: Frontier) -> None:
    await filled(frontier, *links(10, "a.example"), *links(10, "b.example"), *links(10, "c.example"))
    first = await frontier.lease(100, per_host=2)
    assert Counter(lease.host for lease in first) == {"a.example": 2, "b.example": 2, "c.example": 2}
    assert await frontier.lease(100, per_host=2) == []
    await frontier.settle([Ending(first[0], Kind.RELEASED)])
    (again,) = await frontier.lease(100, per_host=2)
    assert again.host == first[0].host


async def test_hosts_that_have_all_they_may_do_not_hide_others(frontier: Frontier) -> None:
    await filled(frontier, *(link(f"http://h{n}.example/{k}") for n in range(200) for k in range(2)))
    assert len(await frontier.lease(200, per_host=1)) == 200
    await frontier.add("t", links(3, "free.example"))
    assert [lease.host for lease in await frontier.lease(10, per_host=1)] == ["free.example"]
