"""What one transaction changes in the counters, written at its end."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from typing import TypeAlias

from scraping_ai.frontier.sqlite.statements import Q

Place: TypeAlias = tuple[int, int, int]  # lane, task, host

FIELDS = ("added", "duplicates", "stored", "skipped", "dead", "queued", "delayed", "leased")
ADDED, DUPLICATES, STORED, LEASED = (FIELDS.index(name) for name in ("added", "duplicates", "stored", "leased"))
OF_TASK = {name: index for index, name in enumerate(FIELDS)}
OF_LANE = {name: index for index, name in enumerate(("queued", "delayed", "leased", "stored"))}
OF_HOST = {name: index for index, name in enumerate(("queued", "leased"))}


class Tally:
    """Changes by task, lane and host. `tasks` and `lanes` are all that were changed, also what is written already."""

    def __init__(self) -> None:
        self.tasks: set[int] = set()
        self.lanes: set[int] = set()
        self._clear()

    def _clear(self) -> None:
        self._tasks: defaultdict[int, list[int]] = defaultdict(lambda: [0] * len(OF_TASK))
        self._lanes: defaultdict[int, list[int]] = defaultdict(lambda: [0] * len(OF_LANE))
        self._hosts: defaultdict[int, list[int]] = defaultdict(lambda: [0] * len(OF_HOST))
        self._reasons: defaultdict[tuple[int, str, str], int] = defaultdict(int)

    def offered(self, task: int, new: int, known: int) -> None:
        self._tasks[task][ADDED] += new
        self._tasks[task][DUPLICATES] += known

    def move(self, place: Place, source: str | None, target: str | None, n: int = 1) -> None:
        """Entries of a place leave one state for another; None: they come in."""
        for state, change in ((source, -n), (target, n)):
            if state is not None:
                self._count(place, state, change)

    def _count(self, place: Place, state: str, change: int) -> None:
        lane, task, host = place
        self._tasks[task][OF_TASK[state]] += change
        if state in OF_LANE:
            self._lanes[lane][OF_LANE[state]] += change
        if state in OF_HOST:
            self._hosts[host][OF_HOST[state]] += change

    def taken(self, task: int) -> int:
        """By how much the stored and leased entries of a task have become more since the last write."""
        counts = self._tasks[task]
        return counts[STORED] + counts[LEASED]

    def reason(self, task: int, outcome: str, reason: str, n: int = 1) -> None:
        self._reasons[task, outcome, reason] += n

    def write(self, db: sqlite3.Connection) -> None:
        db.executemany(Q["tally_task"], [(*counts, task) for task, counts in self._tasks.items()])
        db.executemany(Q["tally_lane"], [(counts[0], *counts, lane) for lane, counts in self._lanes.items()])
        db.executemany(Q["tally_host"], [(*counts, host) for host, counts in self._hosts.items()])
        db.executemany(Q["count_reason"], [(*key, n) for key, n in self._reasons.items()])
        self.tasks |= self._tasks.keys()
        self.lanes |= self._lanes.keys()
        self._clear()
