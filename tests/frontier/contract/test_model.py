"""Any order of events: hypothesis drives a frontier and a simple model of one, and both say the same."""

from __future__ import annotations

import asyncio
import os
import random
import tempfile
from collections import Counter
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from servers.frontier_model import Item, Model
from servers.frontiers import BACKENDS, Opener, fingerprint, link

from scraping_ai.frontier.protocol import (
    Counts,
    Ending,
    Entry,
    Frontier,
    FrontierError,
    Kind,
    Lease,
    Limits,
    Link,
    State,
)

T = TypeVar("T")

EXAMPLES = int(os.environ.get("MODEL_EXAMPLES", "35"))  # more, and others each time, when somebody looks for faults
TERM = 60.0
TASKS = ("one", "two")
URLS = [f"http://{host}.example/{n}" for host in "abc" for n in range(5)]
TARGETS = [fingerprint(url) for url in ("http://a.example/0", "http://a.example/target", "http://b.example/target")]

LIMITS = [None, None, None, None, None, 0, 1, 2, 5, 9]

chance = random.Random(0)  # what hypothesis draws is a number: long draws would leave it few steps


def some_links() -> list[Link]:
    made = []
    for _ in range(chance.choice([0, 1, 2, 2, 5, 12])):
        depth, priority = chance.randint(0, 2), chance.randint(-1, 1)
        one = link(chance.choice(URLS), depth=depth, priority=priority, request=chance.choice([None, "{}"]))
        made.append(replace(one, fingerprint=None) if chance.random() < 0.2 else one)
    return made


def some_ending() -> dict[str, Any]:
    return {
        "kind": chance.choice([*Kind]),
        "reason": chance.choice(["robots.txt", "HTTP 500: of this page", None]),
        "after": chance.choice([0.0, 50.0, 3_600.0]),
        "request": chance.choice([None, '{"again":1}']),
        "links": some_links(),
        "page": chance.choice([None, "page", "another"]),
        "records": chance.choice([(), ("one",), ("one", "two")]),
    }


tasks = st.sampled_from(TASKS)
OFFERS = [some_links() for _ in range(200)]
ENDINGS = [some_ending() for _ in range(400)]
offers = st.integers(0, 199).map(lambda n: OFFERS[n])
endings = st.lists(st.integers(0, 399).map(lambda n: ENDINGS[n]), min_size=1, max_size=3)
numbers = st.integers(0, 999)  # of leases


class Machine(RuleBasedStateMachine):
    """Two workers on one frontier: leases of the second end at once, as if it had been lost."""

    def __init__(self, folder: Path, opener: Opener) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.opener = opener
        self.model = Model()
        self.leases: list[Lease] = []  # all that ever were
        self.open()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)

    def open(self) -> None:
        self.stack = AsyncExitStack()
        self.frontier: Frontier = self.run(self.stack.enter_async_context(self.opener(term=TERM)))
        self.doomed: Frontier = self.run(self.stack.enter_async_context(self.opener(term=0.0)))

    def teardown(self) -> None:
        self.run(self.stack.aclose())
        self.runner.close()

    @initialize(most=st.sampled_from(LIMITS))
    def begin_tasks(self, most: int | None) -> None:
        """How many pages a host may have stays: what a change means for hosts that wait shows at their turn."""
        self.most = {"one": None, "two": most}
        for task in TASKS:
            self.start(task, None)
            self.add(task, [link(url, depth=1) for url in URLS[:12]])

    def start(self, task: str, max_pages: int | None) -> None:
        limits = Limits(max_pages, self.most[task])
        self.run(self.frontier.start(task, limits))
        self.model.start(task, limits)

    @rule(task=tasks, offered=offers)
    def add(self, task: str, offered: list[Link]) -> None:
        assert self.run(self.frontier.add(task, offered)) == self.model.add(task, offered)

    @rule(n=st.sampled_from([1, 2, 4, 50]), per_host=st.sampled_from([None, None, 1, 2]))
    def lease(self, n: int, per_host: int | None) -> None:
        leases = self.run(self.frontier.lease(n, per_host=per_host))
        self.model.lease(leases, n, per_host, TERM)
        self.leases += leases

    @rule(n=st.sampled_from([1, 4, 50]), begun=st.sampled_from([0, 1, 50, 50, 50]))
    def lose_a_worker(self, n: int, begun: int) -> None:
        leases = self.run(self.doomed.lease(n))
        self.model.lease(leases, n, None, 0.0)
        self.run(self.doomed.begin(leases[:begun]))
        self.model.begin(leases[:begun])
        self.leases += leases

    def some(self, number: int, n: int) -> list[Lease]:
        """Some leases: mostly of those that are held, else any that ever were."""
        held = [lease for lease in self.leases if self.model.held(lease)]
        of = held if held and number % 4 else self.leases
        return [of[(number // 4 + step) % len(of)] for step in range(n)]

    @precondition(lambda self: self.leases)
    @rule(number=numbers, n=st.integers(1, 3), redirect=st.sampled_from(TARGETS))
    def work(self, number: int, n: int, redirect: int) -> None:
        """What is done with leases while they are held."""
        leases = list({lease.token: lease for lease in self.some(number, n)}.values())
        self.run(self.frontier.begin(leases[1:]))
        self.model.begin(leases[1:])
        assert self.run(self.frontier.renew(leases[:2])) == self.model.renew(leases[:2], TERM)
        answer, expected = self.run(self.frontier.claim(leases[0], redirect)), self.model.claim(leases[0], redirect)
        assert expected is None or answer == expected

    @precondition(lambda self: self.leases)
    @rule(number=numbers, said=endings)
    def settle(self, number: int, said: list[dict[str, Any]]) -> None:
        leases = self.some(number, len(said))
        ended = [Ending(lease, **how) for lease, how in zip(leases, said, strict=True)]
        assert self.run(self.frontier.settle(ended)) == self.model.settle(ended)

    @precondition(lambda self: self.leases)
    @rule(kind=st.sampled_from([Kind.STORED, Kind.DEAD, Kind.RETRY]))
    def settle_all(self, kind: Kind) -> None:
        ended = [Ending(lease, kind, "late") for lease in self.leases]
        assert self.run(self.frontier.settle(ended)) == self.model.settle(ended)

    @precondition(lambda self: self.opener.advance is not None)
    @rule(seconds=st.sampled_from([20.0, 100.0, 5_000.0]))
    def wait(self, seconds: float) -> None:
        assert self.opener.advance is not None
        self.opener.advance(seconds)
        self.model.now += seconds

    @rule(
        what=st.sampled_from(["start", "start", "start", "restart", "cancel", "forget"]),
        task=tasks,
        most=st.sampled_from(LIMITS),
    )
    def seldom(self, what: str, task: str, most: int | None) -> None:
        if what == "start":
            self.start(task, most)
        elif what == "cancel":
            assert self.run(self.frontier.cancel(task)) == self.model.cancel(task)
        elif what == "forget":
            self.forget(task, only_done=most is None)
        else:
            self.run(self.stack.aclose())
            self.open()

    def forget(self, task: str, *, only_done: bool) -> None:
        if not self.model.forget(task, only_done=only_done):
            with pytest.raises(FrontierError):
                self.run(self.frontier.forget(task, only_done=only_done))
            return
        self.run(self.frontier.forget(task, only_done=only_done))
        assert task not in self.run(self.frontier.tasks())
        self.start(task, None)

    @rule(
        task=tasks, first=st.integers(0, 3), n=st.integers(1, 3), operation=st.sampled_from(["replay", "purge", "no"])
    )
    def operate(self, task: str, first: int, n: int, operation: str) -> None:
        """An operator looks at everything, and does something with some of the dead letters."""
        results = self.run(self.frontier.results(task))
        assert [(result.page, result.records) for result in results] == self.model.results(task)
        for state in State:
            assert sorted(entry.url for entry in self.all_of(task, state)) == self.model.peek(task, state)
        listed = self.all_of(task, State.DEAD)[first : first + n]
        if operation == "no" or not listed:
            return
        dead: list[Item] = []
        for entry in listed:
            dead.append(next(item for item in self.model.of("dead", task=task) if is_of(item, entry, dead)))
        ids = [entry.id for entry in listed]
        work = getattr(self.frontier, operation)
        assert self.run(work("one" if task == "two" else "two", ids)) == 0
        assert self.run(work(task, [*ids, *ids])) == len(ids)
        getattr(self.model, operation)(dead)

    def all_of(self, task: str, state: State) -> list[Entry]:
        listing = self.run(self.frontier.peek(task, state, 3))
        entries = [*listing.entries]
        while listing.after is not None:
            listing = self.run(self.frontier.peek(task, state, 3, listing.after))
            entries += listing.entries
        return entries

    @invariant()
    def counts_are_those_of_the_model(self) -> None:
        for task in TASKS:
            counts = self.run(self.frontier.counts(task))
            assert merged(counts) == merged(self.model.counts(task))
            assert (task in self.run(self.frontier.unfinished())) == bool(counts.pending)
            assert counts.added == counts.stored + counts.skipped + counts.dead + counts.pending


def merged(counts: Counts) -> Counts:
    """Where a task and a host have all their pages, either may be the reason."""
    reasons = Counter[str]()
    for reason, n in counts.reasons.items():
        reasons[reason.replace(" of the host", "")] += n
    return replace(counts, reasons=dict(reasons))


def is_of(item: Item, entry: Entry, taken: list[Item]) -> bool:
    link = item.link
    facts = (link.url, link.priority, link.depth, item.losses, item.tries)
    return item not in taken and facts == (entry.url, entry.priority, entry.depth, entry.losses, entry.tries)


@pytest.mark.parametrize("backend", BACKENDS)
def test_whatever_happens(backend: str) -> None:
    def machine() -> Machine:
        folder = Path(tempfile.mkdtemp(dir=base))
        return Machine(folder, BACKENDS[backend](folder))

    with tempfile.TemporaryDirectory(prefix="frontier-") as base:
        run_state_machine_as_test(
            machine,
            settings=settings(
                max_examples=EXAMPLES,
                stateful_step_count=60,
                deadline=None,
                derandomize="MODEL_EXAMPLES" not in os.environ,
                database=None,
                suppress_health_check=list(HealthCheck),
            ),
        )
