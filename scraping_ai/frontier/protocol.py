"""The frontier's contract: what is to be fetched, who fetches it now, and how it ended.

Two backends keep it, SQLite (a file a job, no server) and Redis (a fleet); one suite of tests holds both to it.

An entry is `queued`, `delayed` (a retry that waits), `leased`, or ended: `stored`, `skipped` or `dead`. At all times
added = stored + skipped + dead + pending, where pending counts the queued, the delayed and the leased.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol


class FrontierError(Exception):
    """A frontier that cannot be used, or not any longer: one line that says why."""


class FrontierInUse(FrontierError):
    """A frontier that another crawl works on."""


class FrontierAway(FrontierError):
    """A frontier that cannot be used for a while: what was asked can be asked again, and is then done once."""


@dataclass(frozen=True, slots=True)
class Link:
    """An address on its way into the frontier."""

    url: str
    fingerprint: int | None  # signed, 64 bits; None: taken in even if its address is known
    host: str  # whose gate it will pass
    depth: int = 0
    priority: int = 0  # higher first, within a task and host
    request: str | None = None  # JSON of what a plain GET does not say; None for a link of a page


@dataclass(frozen=True, slots=True)
class Lease:
    """An entry handed to one worker until `expires`; `token` fences off whoever held it before."""

    task: str
    id: int | str
    token: int
    url: str
    host: str
    depth: int
    priority: int
    request: str | None
    losses: int = 0  # workers that were lost while they worked on it
    tries: int = 0  # retries asked for
    alone: bool = False  # has cost workers: to be worked on by itself
    task_id: int = 0  # the backend's own: a task that was forgotten and started again has another


class Kind(StrEnum):
    """How a lease ends."""

    STORED = "stored"
    SKIPPED = "skipped"
    DEAD = "dead"
    RETRY = "retry"
    RELEASED = "released"  # given back untouched


@dataclass(slots=True)
class Ending:
    """The end of a lease, with all that must be kept together with it."""

    lease: Lease
    kind: Kind
    reason: str | None = None  # of a page that is skipped or dead always
    status: int | None = None  # HTTP
    after: float = 0.0  # seconds until a retry is due
    request: str | None = None  # of a retry, when it is not the lease's own
    links: Sequence[Link] = ()
    page: str | None = None  # JSON of what is to be kept of the page,
    records: Sequence[str] = ()  # and of its records


@dataclass(frozen=True, slots=True)
class Result:
    """What was kept of a page. Numbers rise in the order in which pages ended, and none comes twice."""

    number: int
    depth: int
    page: str  # JSON
    records: tuple[str, ...]  # JSON


MAX_OPTIONS = 128 * 1024  # bytes


def refuse_long(options: str) -> None:
    """Raise FrontierError for options of more than MAX_OPTIONS."""
    if len(options) > MAX_OPTIONS or len(options.encode("utf-8", "replace")) > MAX_OPTIONS:
        raise FrontierError(f"options of a task are {MAX_OPTIONS // 1024} KiB at most")


def general(reason: str | None) -> str:
    """The part of a reason that many pages share: what follows a colon is one page's own."""
    return (reason or "failed").partition(":")[0]


@dataclass(slots=True)
class Counts:
    """One task's entries."""

    added: int = 0
    duplicates: int = 0
    stored: int = 0
    skipped: int = 0
    dead: int = 0
    queued: int = 0
    delayed: int = 0
    leased: int = 0
    reasons: dict[str, int] = field(default_factory=dict)  # of the skipped and the dead

    @property
    def pending(self) -> int:
        return self.queued + self.delayed + self.leased


@dataclass(frozen=True, slots=True)
class Limits:
    """What a task may take; None: no limit. `weight` is its share of a host that several tasks want."""

    max_pages: int | None = None  # stored and leased together never exceed it
    max_host_pages: int | None = None
    weight: float = 1.0

    def __post_init__(self) -> None:
        if not self.weight > 0:
            raise ValueError("a task's weight is above 0")


class State(StrEnum):
    """Where an entry is that has not ended, or ended dead."""

    QUEUED = "queued"
    SUSPECT = "suspect"  # queued, to be leased alone
    DELAYED = "delayed"
    LEASED = "leased"
    DEAD = "dead"


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry as an operator sees it."""

    id: int | str
    url: str
    host: str
    state: State
    depth: int
    priority: int
    losses: int
    tries: int
    wait: float | None = None  # seconds until a retry is due, or a lease ends
    reason: str | None = None  # of a dead letter
    status: int | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of entries; the next one comes `after` that; None: there is no next."""

    entries: Sequence[Entry]
    after: str | None = None


class Frontier(Protocol):
    """All methods may be called from one event loop at a time; none blocks it."""

    @property
    def breaks(self) -> int:
        """How often it may have lost the last that it was told: what is remembered of it may not hold any more."""
        ...

    async def open(self) -> None: ...

    async def close(self) -> None: ...

    async def start(self, task: str, limits: Limits, options: str | None = None) -> None:
        """Make a task known, or change what it may take.

        `options` are its users' own text, kept as it is (at most MAX_OPTIONS, else FrontierError); None: those that
        are there stay.
        """
        ...

    async def options(self, task: str) -> str | None:
        """What `start` was given; None also of a task that is not known."""
        ...

    async def add(self, task: str, links: Sequence[Link]) -> list[bool]:
        """Mark addresses seen and queue the new ones, as one step: for each whether it was new."""
        ...

    async def lease(self, n: int, *, per_host: int | None = None) -> list[Lease]:
        """At most n entries that nobody works on; of one host never more than `per_host` are leased.

        An entry that has cost two workers comes by itself, with `alone` set.
        """
        ...

    async def pause(self, hosts: Mapping[str, float]) -> None:
        """Lease nothing of these hosts, to nobody, for so many seconds from now: their gates are closed.

        Of several pauses of a host the one that ends last counts.
        """
        ...

    async def begin(self, leases: Sequence[Lease]) -> None:
        """Note that work on them has begun: from now on the loss of their worker counts against them."""
        ...

    async def claim(self, lease: Lease, fingerprint: int) -> bool:
        """Mark the address seen that a lease's own redirected to: False when the task has it from elsewhere.

        A lease that has claimed it once may do so again, whichever worker holds it; of one that is no longer held the
        answer does not matter, as its ending will be refused.
        """
        ...

    async def renew(self, leases: Sequence[Lease]) -> list[Lease]:
        """Hold them for another term; those that are no longer held are returned."""
        ...

    async def settle(self, endings: Sequence[Ending]) -> list[bool]:
        """End leases, each together with its links and records; False for a lease that is no longer held.

        One past its end is held until it is taken back: by the next call of anyone's `lease`.
        """
        ...

    async def cancel(self, task: str) -> int:
        """Skip all that is pending of a task, and refuse the endings of its leases: how many were skipped."""
        ...

    async def forget(self, task: str, *, only_done: bool = False) -> None:
        """Delete all of a task: what it is waiting for, knows, kept and was started with. It is not known any more.

        Raises FrontierError while pages of it are leased: cancel it before; with `only_done` while any are pending.
        """
        ...

    async def pending(self, task: str) -> int: ...

    async def counts(self, task: str) -> Counts: ...

    async def tasks(self, n: int = 1_000, after: str = "") -> list[str]:
        """Names of tasks in their order, those that come after one."""
        ...

    async def unfinished(self, n: int = 1_000, after: str = "") -> list[str]:
        """As `tasks`, those that have something pending."""
        ...

    async def results(self, task: str, n: int = 100, after: int | None = None) -> list[Result]:
        """Pages that ended and of which something was kept, in that order, those that come after a number.

        A dead letter's page is among them until it is replayed.
        """
        ...

    async def peek(self, task: str, state: State, n: int = 20, after: str | None = None) -> Listing:
        """Entries in that state, changing nothing: of each host the queued in the order in which they are leased."""
        ...

    async def replay(self, task: str, ids: Sequence[int | str]) -> int:
        """Queue dead letters again, their losses and tries forgotten: how many of these were dead letters."""
        ...

    async def purge(self, task: str, ids: Sequence[int | str]) -> int:
        """Give dead letters up: they are skipped with the reason `purged`. How many of these were dead letters."""
        ...
