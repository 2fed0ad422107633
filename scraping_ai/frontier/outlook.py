"""When a worker looks for work, and what it knows is left to do: of its one task, or of all of a frontier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from scraping_ai.frontier.protocol import Counts, Frontier

LONGEST = 2.0  # seconds between two looks of a worker of all tasks that finds nothing to do


@dataclass(frozen=True, slots=True)
class Pace:
    """How often and how much; times in seconds."""

    flush: float = 0.03  # what waits, waits no longer
    poll: float = 0.25  # between two looks for work when there is none
    prefetch: int = 128  # leases held beyond those worked on and those whose gate is closed
    per_host: int | None = None  # of them, of one host
    term: float = 60.0  # of a lease


class Outlook(Protocol):
    """Asked once a round."""

    counts: Counts
    poll: float  # seconds until the next look for work, when there is none

    async def look(self, is_idle: bool) -> None:
        """`is_idle`: nothing is leased here, nor left to be said."""
        ...

    @property
    def is_done(self) -> bool: ...


class OneTask:
    """The worker is done when nothing of the task is pending, here and everywhere."""

    def __init__(self, frontier: Frontier, task: str, pace: Pace) -> None:
        self.frontier, self.task, self.poll = frontier, task, pace.poll
        self.counts = Counts()

    async def look(self, is_idle: bool) -> None:
        self.counts = await self.frontier.counts(self.task)

    @property
    def is_done(self) -> bool:
        return not self.counts.pending


class AllTasks:
    """The worker waits for tasks to come; with `until_done` it is done when nothing of any task is pending.

    There may be very many, so none is counted.
    """

    def __init__(self, frontier: Frontier, pace: Pace, *, until_done: bool) -> None:
        self.frontier, self.pace, self.until_done = frontier, pace, until_done
        self.counts = Counts()
        self.poll, self.is_done = pace.poll, False
        self._longest = max(pace.poll, min(LONGEST, pace.term / 3))  # who is heard of less often counts as gone

    async def look(self, is_idle: bool) -> None:
        self.poll = min(2 * self.poll, self._longest) if is_idle else self.pace.poll
        self.is_done = is_idle and self.until_done and not await self.frontier.unfinished(1)
