"""Leases wait for their host's gate without keeping others waiting."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from scrapy.utils.test import get_crawler
from servers.frontiers import BACKENDS, filled, links

from scraping_ai.frontier.outlook import Pace
from scraping_ai.frontier.politeness import Door, Politeness, Rule, name_of
from scraping_ai.frontier.protocol import Ending, Frontier, Kind, Lease
from scraping_ai.frontier.ready import HORIZON, LEAD, UNTRIED, Ready
from scraping_ai.frontier.session import Session

NUMBERS = itertools.count(1)


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(time, "monotonic", clock)
    return clock


class Street:
    """Doors by host, each as it is made."""

    def __init__(self, interval: float = 0.0, at_once: int | None = None) -> None:
        self.rule = Rule(interval, at_once)
        self.doors: dict[str, Door] = {}

    def gate_of(self, url: str) -> str:
        return name_of(url.split("/")[2])

    def door(self, gate: str) -> Door:
        return self.doors.setdefault(gate, Door(self.rule, None, met=True))


def lease(host: str, path: str = "") -> Lease:
    number = next(NUMBERS)
    return Lease("t", number, number, f"http://{host}/{path or number}", host, 0, 0, None)


def filled_with(street: Street, **hosts: int) -> Ready:
    ready = Ready(street)
    for host, n in hosts.items():
        for _ in range(n):
            ready.put(lease(host))
    return ready


def taken(ready: Ready) -> list[str]:
    """Hosts of what can be taken now."""
    hosts = []
    while (found := ready.take()) is not None:
        hosts.append(found.host)
    return hosts


def test_what_is_sent_to_no_host_waits_for_none() -> None:
    crawler = get_crawler(settings_dict={"DOWNLOAD_DELAY": 10.0})
    ready = Ready(Politeness(crawler))
    for number in range(5):
        ready.put(replace(lease("lines"), url=f"saved://lines/{number}"))
        ready.put(lease("shop.example"))
    assert Counter(taken(ready)) == {"lines": 5, "shop.example": 1}
    ready.trim()
    assert len(ready) == 0


def test_without_gates_all_come_in_their_order() -> None:
    ready = Ready()
    leases = [lease("a"), lease("b"), lease("a")]
    for one in leases:
        ready.put(one)
    assert [ready.take(), ready.take(), ready.take(), ready.take()] == [*leases, None]
    assert ready.trim() == ([], {})


def test_open_hosts_take_turns() -> None:
    assert taken(filled_with(Street(), a=3, b=1, c=2)) == ["a", "b", "c", "a", "c", "a"]


def test_a_host_with_an_interval_gives_one_at_a_time(clock: Clock) -> None:
    ready = filled_with(Street(interval=0.5), a=3, b=1)
    assert taken(ready) == ["a", "b"]
    assert ready.opens_in == pytest.approx(0.5 - LEAD)
    clock.now += 0.5
    assert taken(ready) == ["a"]
    assert len(ready) == 1


def test_a_host_on_hold_gives_none_until_that_is_over(clock: Clock) -> None:
    street = Street()
    ready = filled_with(street, a=2, b=2)
    street.door("a").held_until = clock.now + 3.0
    assert taken(ready) == ["b", "b"]
    assert ready.available == 0
    clock.now += 3.0
    assert taken(ready) == ["a", "a"]


def test_no_more_are_under_way_than_may_be(clock: Clock) -> None:
    ready = filled_with(Street(at_once=2), a=4)
    assert taken(ready) == ["a", "a"]
    assert ready.opens_in is None
    ready.done("a")
    assert taken(ready) == ["a"]
    ready.done("a")
    assert ready.set_out("http://a/redirected") == "a"
    assert taken(ready) == []
    ready.done("a")
    assert taken(ready) == ["a"]


def test_what_is_no_longer_held_is_dropped(clock: Clock) -> None:
    ready = filled_with(Street(), a=4, b=1)
    ready.keep(lambda one: one.host == "a" and one.id != min(x.id for x in ready))
    assert taken(ready) == ["a", "a", "a"]
    ready.keep(lambda one: False)
    assert (len(ready), ready.available) == (0, 0)


def test_of_a_slow_host_so_much_is_kept_as_can_be_sent_soon(clock: Clock) -> None:
    ready = filled_with(Street(interval=1.0), slow=50)
    surplus, pauses = ready.trim()
    assert len(ready) == int(HORIZON) + 1
    assert len(surplus) == 50 - len(ready)
    assert pauses == {"slow": pytest.approx(len(ready) * 1.0 - HORIZON / 2)}
    first = ready.take()
    assert first is not None
    assert all(first.id < one.id for one in surplus)


def test_of_a_host_on_hold_nothing_is_kept(clock: Clock) -> None:
    street = Street()
    ready = filled_with(street, held=50, free=50)
    street.door("held").held_until = clock.now + 600.0
    surplus, pauses = ready.trim()
    assert {one.host for one in surplus} == {"held"}
    assert len(ready) == 50
    assert pauses == {"held": pytest.approx(600.0 - HORIZON / 2)}


def test_a_host_that_answers_slowly_is_a_slow_host(clock: Clock) -> None:
    street = Street(at_once=2)
    street.door("slow").latency = 2.0
    ready = filled_with(street, slow=50)
    surplus, _ = ready.trim()
    assert len(surplus) == 50 - int(HORIZON) - 1


def test_of_a_host_that_has_not_answered_yet_a_few_are_kept(clock: Clock) -> None:
    street = Street(at_once=2)
    street.door("silent").met = False
    ready = filled_with(street, silent=50)
    assert taken(ready) == ["silent"]
    ready.trim()
    assert len(ready) == UNTRIED
    ready.done("silent")
    assert taken(ready) == ["silent"] * 2


def test_lines_that_nobody_needs_are_forgotten(clock: Clock) -> None:
    ready = filled_with(Street(interval=0.5), **{f"h{n}": 1 for n in range(100)})
    for host in taken(ready):
        ready.done(host)
    clock.now += 1.0
    ready.trim()
    assert not ready._lines


class Hungry:
    """A worker that ends what it can take at once."""

    def __init__(self, frontier: Frontier, street: Street) -> None:
        self.session = Session(frontier, "t", self, Pace(poll=0.01, flush=0.001), (), Ready(street))
        self.done: Counter[str] = Counter()
        self.seen = 0

    def wake(self) -> None:
        while (found := self.session.ready.take()) is not None:
            self.session.begin(found)
            self.session.ready.done(found.host)
            self.session.end(Ending(found, Kind.STORED))
            self.done[found.host] += 1

    def broken(self) -> None: ...

    def accepted(self, links: object, lease: object = None) -> None:
        """Nothing is remembered."""

    def failed(self, error: Exception) -> None:
        raise error


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_host_on_hold_with_ten_thousand_pages_stalls_none_of_a_hundred(backend: str, tmp_path: Path) -> None:
    asyncio.run(_crawl_beside_a_closed_host(backend, tmp_path))


async def _crawl_beside_a_closed_host(backend: str, folder: Path) -> None:
    street = Street()
    street.door("held.example").held_until = time.monotonic() + 3600.0
    hosts = [f"h{n}.example" for n in range(100)]
    async with BACKENDS[backend](folder)() as frontier:
        await filled(frontier, *links(10_000, "held.example"), *(entry for host in hosts for entry in links(5, host)))
        worker = Hungry(frontier, street)
        await worker.session.open()
        give_up = time.monotonic() + 60
        while worker.done.total() < 500:
            assert time.monotonic() < give_up, worker.done
            await asyncio.sleep(0.01)
        await worker.session.close()
        counts = await frontier.counts("t")
        assert worker.done == dict.fromkeys(hosts, 5)
        assert (counts.queued, counts.stored, counts.leased) == (10_000, 500, 0)
        assert await frontier.lease(1) == []  # it is paused
