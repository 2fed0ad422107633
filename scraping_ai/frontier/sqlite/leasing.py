"""Which entries are handed out next, and which come back from workers that were lost."""

from __future__ import annotations

import heapq
import sqlite3
import time
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from scraping_ai.frontier.protocol import Lease
from scraping_ai.frontier.sqlite.statements import Q
from scraping_ai.frontier.sqlite.tally import STATES, Place, Tally

QUEUED, DELAYED, LEASED, _, SUSPECT = range(len(STATES))
SUSPICION = 2  # lost workers from which an entry is leased alone
AT_ONCE = 1_000  # entries that come due in one call


@dataclass(slots=True)
class Lane:
    """What a task has on a host, as one lease sees it."""

    id: int
    task: int
    task_name: str
    weight: float
    spent: float
    queued: int
    taken: int
    max_host_pages: int | None
    task_taken: int
    max_pages: int | None

    def room(self, tally: Tally) -> int:
        """How many entries may be taken."""
        room = self.queued
        if self.max_pages is not None:
            room = min(room, self.max_pages - self.task_taken - tally.taken(self.task))
        return room if self.max_host_pages is None else min(room, self.max_host_pages - self.taken)


class Leasing:
    """One call's leases; `term` is how long they hold, `max_losses` what makes a dead letter of an entry."""

    def __init__(self, db: sqlite3.Connection, tally: Tally, term: float, max_losses: int) -> None:
        self.db, self.tally, self.max_losses = db, tally, max_losses
        self.now = time.time()
        self.until = self.now + term

    def lease(self, n: int, per_host: int) -> list[Lease]:
        self.requeue_due()
        self.reclaim(self.now)
        self.tally.write(self.db)  # what is queued again is to be seen below
        leases = self._suspect()
        if leases:
            return leases
        hosts = self.db.execute(Q["open_hosts"], {"per_host": per_host, "limit": n}).fetchall()
        turn = self._numbers("turn", len(hosts))
        for index, (host, name, leased) in enumerate(hosts):
            share = -(-(n - len(leases)) // (len(hosts) - index))
            self.db.execute(Q["serve_host"], (turn + index, host))
            leases += self._of_host(host, name, min(share, per_host - leased))
        return leases

    def _of_host(self, host: int, name: str, n: int) -> list[Lease]:
        """Leases of one host, whose tasks take turns by weight (start-time fair queueing, Goyal et al. 1996)."""
        leases: list[Lease] = []
        for lane, count in self._shares(host, n):
            rows = self.db.execute(Q["first_queued"], {"lane": lane.id, "limit": count}).fetchall()
            self.db.execute(Q["spend"], (len(rows) / lane.weight, lane.id))
            self.tally.move((lane.id, lane.task, host), "queued", "leased", len(rows))
            leases += self._take(rows, lane.task_name, name)
        return leases

    def _shares(self, host: int, n: int) -> list[tuple[Lane, int]]:
        lanes = [Lane(*row) for row in self.db.execute(Q["open_lanes"], {"host": host}).fetchall()]
        waiting = [(lane.spent, lane.id, lane, room) for lane in lanes if (room := lane.room(self.tally)) > 0]
        if len(waiting) == 1:
            return [(waiting[0][2], min(n, waiting[0][3]))]
        heapq.heapify(waiting)
        shares: defaultdict[int, int] = defaultdict(int)
        for _ in range(n):
            if not waiting:
                break
            spent, lane_id, lane, room = heapq.heappop(waiting)
            shares[lane_id] += 1
            if room > 1:
                heapq.heappush(waiting, (spent + 1 / lane.weight, lane_id, lane, room - 1))
        return [(lane, shares[lane.id]) for lane in lanes if lane.id in shares]

    def _suspect(self) -> list[Lease]:
        """An entry that has cost workers, alone, while no other is being tried."""
        row = self.db.execute(Q["first_suspect"]).fetchone()
        if row is None:
            return []
        *entry, lane, task, host, host_name, task_name = row
        self.tally.move((lane, task, host), "suspect", "leased")
        return self._take([entry], task_name, host_name)

    def _take(self, rows: list[Any], task: str, host: str) -> list[Lease]:
        token = self._numbers("token", len(rows))
        leases = [
            Lease(task, id_, token + index, url, host, depth, -rank, request, losses, tries, losses >= SUSPICION)
            for index, (id_, url, depth, rank, request, losses, tries) in enumerate(rows)
        ]
        self.db.executemany(Q["take"], [(lease.token, self.until, lease.id) for lease in leases])
        return leases

    def _numbers(self, counter: str, n: int) -> int:
        """The first of n new numbers."""
        last: int = self.db.execute(Q["count_up"], (n, counter)).fetchone()[0]
        return last - n + 1

    def requeue_due(self) -> None:
        """Retries whose time has come are queued again."""
        for entry, place, losses, _ in self._due(DELAYED, self.now):
            self.db.execute(Q["back"], (QUEUED, losses, entry))
            self.tally.move(place, "delayed", "queued")

    def reclaim(self, until: float) -> None:
        """Leases that end by then are lost: only where work had begun does that count against the entry."""
        for entry, place, losses, begun in self._due(LEASED, until):
            losses += begun
            if losses >= self.max_losses:
                self.bury(entry, place, f"cost {losses} workers", None)
            else:
                suspect = losses >= SUSPICION
                self.db.execute(Q["back"], (SUSPECT if suspect else QUEUED, losses, entry))
                self.tally.move(place, "leased", "suspect" if suspect else "queued")

    def bury(self, entry: int, place: Place, reason: str, status: int | None) -> None:
        """Make a dead letter of a leased entry."""
        self.db.execute(Q["bury"], (reason, status, entry))
        self.tally.move(place, "leased", "dead")
        self.tally.reason(place[1], "dead", reason)

    def _due(self, state: int, until: float) -> list[tuple[int, Place, int, int]]:
        rows = self.db.execute(Q["due"], {"state": state, "now": until, "limit": AT_ONCE}).fetchall()
        return [(entry, (lane, task, host), losses, begun) for entry, lane, task, host, losses, begun in rows]
