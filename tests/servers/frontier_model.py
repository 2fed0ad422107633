"""What a frontier should do, said as simply as it can be: one list of entries, searched from end to end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scraping_ai.frontier.protocol import Counts, Ending, Kind, Lease, Limits, Link, State, general

MAX_LOSSES = 3
SUSPICION = 2
PENDING = ("queued", "suspect", "delayed", "leased")
ENDED = {Kind.STORED: "stored", Kind.SKIPPED: "skipped", Kind.DEAD: "dead"}


@dataclass(eq=False)
class Item:
    """An entry, from its beginning past its end."""

    task: str
    link: Link
    state: str = "queued"
    due: float = 0.0
    losses: int = 0
    tries: int = 0
    begun: bool = False
    token: int = 0
    request: str | None = None
    reason: str = ""
    claim: int | None = None
    kept: tuple[str, tuple[str, ...]] | None = None  # page and records

    @property
    def place(self) -> tuple[int, int]:
        return -self.link.priority, self.link.depth

    @property
    def facts(self) -> tuple[object, ...]:
        link = self.link
        return link.url, link.depth, link.priority, self.request, self.losses, self.tries

    def back(self) -> None:
        self.state = "queued" if self.losses < SUSPICION else "suspect"
        self.begun, self.token = False, 0

    def end(self, state: str, reason: str = "") -> None:
        self.state, self.reason, self.token = state, reason, 0


class Model:
    """Predicts every answer, but for the choice among entries that may be leased, which it judges."""

    def __init__(self) -> None:
        self.now = 0.0
        self.items: list[Item] = []  # in the order in which they came
        self.limits: dict[str, Limits] = {}
        self.seen: dict[str, set[int]] = {}
        self.duplicates: Counter[str] = Counter()
        self.ended: list[Item] = []  # in the order in which something was kept of them

    def of(self, *states: str, **same: str) -> list[Item]:
        found = [item for item in self.items if item.state in states]
        if "task" in same:
            found = [item for item in found if item.task == same["task"]]
        return [item for item in found if item.link.host == same["host"]] if "host" in same else found

    def held(self, lease: Lease) -> Item | None:
        return next((item for item in self.of("leased") if item.token == lease.token), None)

    def start(self, task: str, limits: Limits) -> None:
        self.limits[task] = limits
        self.seen.setdefault(task, set())
        self._trim()

    def add(self, task: str, links: Iterable[Link]) -> list[bool]:
        news = self._take_in(task, links)
        self._trim()
        return news

    def _take_in(self, task: str, links: Iterable[Link]) -> list[bool]:
        news = []
        for link in links:
            news.append(link.fingerprint is None or link.fingerprint not in self.seen[task])
            if not news[-1]:
                self.duplicates[task] += 1
                continue
            if link.fingerprint is not None:
                self.seen[task].add(link.fingerprint)
            self.items.append(Item(task, link, request=link.request))
        return news

    def lease(self, leases: Sequence[Lease], n: int, per_host: int | None, term: float) -> None:
        """Judge what a frontier leased, and lease the same."""
        self._sweep()
        had_suspect = bool(self._leasable("suspect", per_host))
        assert len(leases) <= n
        assert len({lease.token for lease in leases}) == len(leases)
        for lease in leases:
            options = self._leasable("suspect" if had_suspect else "queued", per_host)
            item = self._named(lease, options)
            assert lease.token > max((item.token for item in self.items), default=0), "tokens only rise"
            item.state, item.token, item.due, item.begun = "leased", lease.token, self.now + term, False
        if had_suspect:
            assert [lease.alone for lease in leases] == [True]
        elif len(leases) < n:
            left = {item.link.host for item in self._leasable("queued", per_host)}
            assert not left or (leases and n < 50), "something might have been leased"
        self._trim()

    def _named(self, lease: Lease, options: list[Item]) -> Item:
        """The entry that a lease is of: of its task and host it has to be the first."""
        lane = [item for item in options if (item.task, item.link.host) == (lease.task, lease.host)]
        assert lane, f"not to be leased: {lease}"
        facts = (lease.url, lease.depth, lease.priority, lease.request, lease.losses, lease.tries)
        item = next((item for item in lane if item.facts == facts), None)
        assert item is not None, f"{lease} is none of {lane}"
        assert item.place == min(other.place for other in lane) or item.state == "suspect"
        assert lease.alone == (item.losses >= SUSPICION)
        return item

    def _leasable(self, state: str, per_host: int | None) -> list[Item]:
        return [item for item in self.of(state) if self._is_open(item, per_host)]

    def _is_open(self, item: Item, per_host: int | None) -> bool:
        limits, host = self.limits[item.task], item.link.host
        return (
            len(self.of("leased", host=host)) < _most(per_host)
            and len(self.of("leased", "stored", task=item.task)) < _most(limits.max_pages)
            and len(self.of("leased", "stored", task=item.task, host=host)) < _most(limits.max_host_pages)
        )

    def _sweep(self) -> None:
        for item in self.of("delayed"):
            if item.due <= self.now:
                item.back()
        for item in self.of("leased"):
            if item.due <= self.now:
                item.losses += item.begun
                if item.losses < MAX_LOSSES:
                    item.back()
                else:
                    item.end("dead", f"cost {item.losses} workers")

    def begin(self, leases: Iterable[Lease]) -> None:
        for lease in leases:
            if (item := self.held(lease)) is not None:
                item.begun = True

    def renew(self, leases: Iterable[Lease], term: float) -> list[Lease]:
        lost = []
        for lease in leases:
            if (item := self.held(lease)) is None:
                lost.append(lease)
            else:
                item.due = self.now + term
        return lost

    def claim(self, lease: Lease, fingerprint: int) -> bool | None:
        """None: either answer will do."""
        item = self.held(lease)
        if item is None:
            return None
        if item.claim == fingerprint:
            return True
        if fingerprint in self.seen[item.task]:
            return False
        self.seen[item.task].add(fingerprint)
        item.claim = fingerprint
        return True

    def settle(self, endings: Iterable[Ending]) -> list[bool]:
        answers = [self._settle(ending) for ending in endings]
        self._trim()
        return answers

    def _settle(self, ending: Ending) -> bool:
        item = self.held(ending.lease)
        if item is None:
            return False
        self._take_in(item.task, ending.links)
        if ending.kind in ENDED:
            item.end(ENDED[ending.kind], "" if ending.kind is Kind.STORED else general(ending.reason))
            if ending.page is not None:
                item.kept = (ending.page, tuple(ending.records))
                self.ended.append(item)
        elif ending.kind is Kind.RETRY:
            item.state, item.token, item.begun = "delayed", 0, False
            item.tries, item.due = item.tries + 1, self.now + ending.after
            item.request = ending.request if ending.request is not None else item.request
        else:
            item.back()
        return True

    def cancel(self, task: str) -> int:
        return self._skip(self.of(*PENDING, task=task), "cancelled")

    def forget(self, task: str, *, only_done: bool) -> bool:
        """Whether it may be forgotten."""
        if self.of("leased", *(PENDING if only_done else ()), task=task):
            return False
        self.items = [item for item in self.items if item.task != task]
        self.ended = [item for item in self.ended if item.task != task]
        for known in (self.limits, self.seen, self.duplicates):
            known.pop(task, None)
        return True

    def replay(self, dead: Iterable[Item]) -> None:
        for item in dead:
            item.losses = item.tries = 0
            item.reason = ""
            if item in self.ended:
                self.ended.remove(item)
            item.back()
        self._trim()

    def purge(self, dead: Iterable[Item]) -> None:
        self._skip(dead, "purged")

    def _skip(self, items: Iterable[Item], reason: str) -> int:
        items = list(items)
        for item in items:
            item.end("skipped", reason)
        return len(items)

    def _trim(self) -> None:
        """Skip what tasks, and then their hosts, may not fetch any more."""
        for task, limits in self.limits.items():
            if self._is_full(limits.max_pages, task=task):
                self._skip(self.of(*PENDING, task=task), "max_pages reached")
            for host in {item.link.host for item in self.of(*PENDING, task=task)}:
                if self._is_full(limits.max_host_pages, task=task, host=host):
                    self._skip(self.of(*PENDING, task=task, host=host), "max_pages of the host reached")

    def _is_full(self, most: int | None, **where: str) -> bool:
        return len(self.of("stored", **where)) >= _most(most) and not self.of("leased", **where)

    def counts(self, task: str) -> Counts:
        mine = Counter(item.state for item in self.items if item.task == task)
        reasons = Counter(item.reason for item in self.of("skipped", "dead", task=task))
        fields = {name: mine[name] for name in ("stored", "skipped", "dead", "delayed", "leased")}
        queued = mine["queued"] + mine["suspect"]
        return Counts(mine.total(), self.duplicates[task], queued=queued, reasons=dict(reasons), **fields)

    def results(self, task: str) -> list[tuple[str, tuple[str, ...]] | None]:
        return [item.kept for item in self.ended if item.task == task]

    def peek(self, task: str, state: State) -> list[str]:
        """Addresses, sorted."""
        return sorted(item.link.url for item in self.of(state.value, task=task))


def _most(limit: int | None) -> float:
    return float("inf") if limit is None else limit
