"""Gates: nobody is let in before the interval is over, and nobody is kept out for good."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Coroutine
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scraping_ai.frontier import gates as module
from scraping_ai.frontier.gates import FIRST_BACKOFF, MARGIN, SENDING, Answer, LocalGates, Shown, State, Throttle

HOST = "shop.example"


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


class Hall:
    """Gates without waiting: the clock is set, and calls end at once."""

    def __init__(self, throttle: Throttle | None = None) -> None:
        self.clock = Clock()
        self.states: OrderedDict[str, State] = OrderedDict()
        self.gates = LocalGates(throttle, self.states, self.clock)

    def enter(self, visit: str, interval: float = 0.0, at_once: int | None = None, gate: str = HOST) -> Answer:
        return run(self.gates.enter(gate, visit, interval, at_once))

    def send(self, visit: str, interval: float = 0.0) -> Answer:
        """Enter and send, if the gate is open."""
        answer = self.enter(visit, interval)
        if not answer.wait:
            run(self.gates.sent(HOST, visit))
        return answer


def run(call: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(call)


def test_an_interval_passes_between_two_requests() -> None:
    hall = Hall()
    assert hall.send("a", 2.0) == Answer(0.0, 2.0)
    assert hall.send("b", 2.0).wait == pytest.approx(2.0 + MARGIN)
    hall.clock.now += 1.5
    assert hall.send("b", 2.0).wait == pytest.approx(0.5 + MARGIN)
    hall.clock.now += 0.5 + MARGIN
    assert hall.send("b", 2.0).wait == 0.0


def test_the_interval_begins_when_the_request_is_sent() -> None:
    hall = Hall()
    hall.enter("a", 0.5)
    hall.clock.now += 0.7  # it takes long from the gate to the network
    assert hall.enter("b", 0.5).wait > 0
    run(hall.gates.sent(HOST, "a"))
    hall.clock.now += 0.5
    assert hall.enter("b", 0.5).wait == pytest.approx(MARGIN)


def test_who_enters_and_is_gone_keeps_a_gate_closed_for_a_while_only() -> None:
    hall = Hall()
    hall.enter("gone", 0.5)
    hall.clock.now += SENDING + MARGIN
    assert hall.enter("b", 0.5).wait == 0.0


def test_who_leaves_without_a_word_may_have_sent() -> None:
    hall = Hall()
    hall.enter("a", 0.5)
    run(hall.gates.leave(HOST, "a"))
    assert hall.enter("b", 0.5).wait == pytest.approx(0.5 + MARGIN)


def test_the_longest_interval_of_several_crawls_counts_for_all() -> None:
    hall = Hall()
    hall.send("slow", 10.0)
    hall.clock.now += 5.0
    assert hall.send("fast", 0.1).wait == pytest.approx(5.0 + MARGIN)
    hall.clock.now += 5.0 + MARGIN
    assert hall.send("fast", 0.1).wait == 0.0
    assert hall.send("slow again", 10.0).wait == pytest.approx(10.0 + MARGIN)


def test_so_many_are_under_way_at_once() -> None:
    hall = Hall()
    assert [hall.enter(visit, 0.0, 2).wait > 0 for visit in "abc"] == [False, False, True]
    run(hall.gates.leave(HOST, "c"))  # was not in
    assert hall.enter("c", 0.0, 2).wait > 0
    run(hall.gates.leave(HOST, "a"))
    assert hall.enter("c", 0.0, 2).wait == 0.0


def test_a_call_made_twice_counts_once() -> None:
    hall = Hall()
    assert hall.send("a", 1.0).wait == 0.0
    assert hall.enter("a", 1.0, 1).wait == 0.0
    assert hall.states[HOST].inside == {"a"}
    hall.clock.now += 0.4
    run(hall.gates.sent(HOST, "a"))
    assert hall.enter("b", 1.0).wait == pytest.approx(0.6 + MARGIN)


def test_a_host_without_an_interval_is_open() -> None:
    hall = Hall()
    assert all(hall.enter(str(n)).wait == 0.0 for n in range(100))


def test_a_hold_keeps_everybody_out_and_is_never_shortened() -> None:
    hall = Hall()
    run(hall.gates.hold(HOST, 60.0))
    run(hall.gates.hold(HOST, 5.0))
    assert hall.enter("a") == Answer(60.0, 0.0, 60.0)
    assert hall.enter("a", gate="other.example").wait == 0.0
    hall.clock.now += 60.0
    assert hall.enter("a") == Answer(0.0, 0.0, 0.0)


def test_what_an_origin_asks_for_holds_for_all_until_it_is_over_or_taken_back() -> None:
    hall = Hall()
    run(hall.gates.ask(HOST, "http://shop.example", 5.0, 100.0))
    run(hall.gates.ask(HOST, "https://shop.example", 3.0, 1000.0))
    assert hall.send("a", 1.0).pace == 5.0
    run(hall.gates.ask(HOST, "http://shop.example", 0.0, 100.0))
    assert hall.enter("b", 1.0).pace == 3.0
    hall.clock.now += 1000.0
    assert hall.enter("b", 1.0).pace == 1.0


def test_wishes_of_one_gate_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_ORIGINS", 3)
    hall = Hall()
    for number in range(10):
        run(hall.gates.ask(HOST, f"http://{number}.shop.example", float(number), 100.0))
    assert sorted(interval for interval, _ in hall.states[HOST].asked.values()) == [7.0, 8.0, 9.0]


def test_idle_gates_are_forgotten_and_closed_ones_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_HOSTS", 10)
    hall = Hall()
    run(hall.gates.hold("held.example", 1000.0))
    for number in range(100):
        hall.enter(str(number), gate=f"{number}.example")
        run(hall.gates.leave(f"{number}.example", str(number)))
    assert len(hall.states) == 10
    assert "held.example" in hall.states


THROTTLE = Throttle(target=2.0, start=0.5, longest=60.0)


def observe(hall: Hall, latency: float, shown: Shown) -> float:
    """The pace after an observation."""
    run(hall.gates.observe(HOST, latency, shown))
    return hall.enter("asks", gate=HOST).pace


def test_the_pace_follows_the_latency() -> None:
    hall = Hall(THROTTLE)
    assert hall.enter("first").pace == 0.5
    assert observe(hall, 4.0, Shown.WELL) == 2.0  # slower: at once
    assert observe(hall, 1.0, Shown.WELL) == 1.25  # faster: half of the way
    assert observe(hall, 1.0, Shown.WELL) == 0.875
    assert observe(hall, 1000.0, Shown.WELL) == 60.0


def test_quick_error_pages_do_not_make_the_pace_faster() -> None:
    hall = Hall(THROTTLE)
    assert observe(hall, 4.0, Shown.WELL) == 2.0
    assert observe(hall, 0.01, Shown.PLAIN) == 2.0
    assert observe(hall, 6.0, Shown.PLAIN) == 3.0


def test_trouble_doubles_the_pace_once_for_requests_of_the_same_time() -> None:
    hall = Hall(THROTTLE)
    assert observe(hall, 0.1, Shown.TROUBLE) == FIRST_BACKOFF
    assert observe(hall, 0.1, Shown.TROUBLE) == FIRST_BACKOFF  # sent before the pace was slower
    hall.clock.now += FIRST_BACKOFF
    assert observe(hall, 0.1, Shown.TROUBLE) == 2 * FIRST_BACKOFF
    for _ in range(10):
        hall.clock.now += 100.0
        pace = observe(hall, 0.1, Shown.TROUBLE)
    assert pace == 60.0
    assert observe(hall, 0.1, Shown.WELL) == pytest.approx(30.0, abs=0.1)


def test_without_a_throttle_nothing_follows() -> None:
    hall = Hall()
    assert observe(hall, 30.0, Shown.TROUBLE) == 0.0


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.sampled_from(["enter", "sent", "leave"]), st.floats(0, 0.6)),
        max_size=60,
    )
)
def test_no_order_of_events_lets_two_requests_out_too_soon(steps: list[tuple[int, str, float]]) -> None:
    intervals = [0.2, 0.5, 1.0, 0.1]  # of four crawls
    hall = Hall()
    visits: dict[int, str] = {}
    sent: list[tuple[float, float]] = []
    for number, (crawl, step, pause) in enumerate(steps):
        hall.clock.now += pause
        if step == "enter" and crawl not in visits:
            if not hall.enter(str(number), intervals[crawl]).wait:
                visits[crawl] = str(number)
                entered = hall.clock.now
        elif step == "sent" and crawl in visits:
            if hall.states[HOST].sending == visits[crawl] and hall.clock.now < entered + SENDING:
                sent.append((hall.clock.now, intervals[crawl]))
            run(hall.gates.sent(HOST, visits[crawl]))
        elif step == "leave" and crawl in visits:
            run(hall.gates.leave(HOST, visits.pop(crawl)))
    for (first, before), (second, after) in pairwise(sent):
        assert second - first >= max(before, after)
