"""Which entries are handed out next, and which come back from workers that were lost."""

from __future__ import annotations

import heapq
import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scraping_ai.frontier.protocol import Lease
from scraping_ai.frontier.sqlite.statements import Q
from scraping_ai.frontier.sqlite.tally import Place, Tally

DELAYED, LEASED = 1, 2  # in entry.state
SUSPICION = 2  # lost workers from which an entry is leased alone
MAX_TEXT = 1_000_000  # characters; these as in audit.sql
LARGEST, MAX_RANK = 2**31 - 1, 2**53
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


def is_entry(row: Sequence[Any]) -> bool:
    """Whether a crawl can have written this entry: its id, url, depth, rank, request, losses, tries."""
    _, url, depth, rank, request, losses, tries = row
    return (
        type(url) is str
        and len(url) <= MAX_TEXT
        and (request is None or (type(request) is str and len(request) <= MAX_TEXT))
        and all(type(number) is int and 0 <= number <= LARGEST for number in (depth, losses, tries))
        and type(rank) is int
        and abs(rank) <= MAX_RANK
    )


class Leasing:
    """One call's leases; they hold until `now + term`. `max_losses` make a dead letter of an entry."""

    def __init__(self, db: sqlite3.Connection, tally: Tally, now: float, term: float, max_losses: int) -> None:
        self.db, self.tally, self.now, self.max_losses = db, tally, now, max_losses
        self.until = now + term

    def lease(self, n: int, per_host: int) -> list[Lease]:
        self.requeue_due()
        self.reclaim(self.now)
        self.tally.write(self.db)  # what is queued again is to be seen below
        leases = self._suspect(per_host)
        if leases:
            return leases
        hosts = self.db.execute(Q["open_hosts"], {"per_host": per_host, "limit": n, "now": self.now}).fetchall()
        turn = self._numbers("turn", len(hosts)) if hosts else 0
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
            leases += self._take(rows, (lane.id, lane.task, host), lane.task_name, name)
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

    def _suspect(self, per_host: int) -> list[Lease]:
        """An entry that has cost workers, alone."""
        row = self.db.execute(Q["first_suspect"], {"per_host": per_host, "now": self.now}).fetchone()
        if row is None:
            return []
        *entry, lane, task, host, host_name, task_name = row
        return self._take([entry], (lane, task, host), task_name, host_name)

    def _take(self, rows: list[Any], place: Place, task: str, host: str) -> list[Lease]:
        forged = [row for row in rows if not is_entry(row)]
        if forged:
            rows = [row for row in rows if is_entry(row)]
            self._refuse(forged, place)
        self.tally.move(place, "queued", "leased", len(rows))
        token = self._numbers("token", len(rows))
        leases = [
            Lease(task, id_, number, url, host, depth, -rank, request, losses, tries, losses >= SUSPICION, place[1])
            for number, (id_, url, depth, rank, request, losses, tries) in enumerate(rows, token)
        ]
        self.db.executemany(Q["take"], [(lease.token, self.until, lease.id) for lease in leases])
        return leases

    def _refuse(self, forged: list[Any], place: Place) -> None:
        self.db.executemany(Q["refuse"], [(row[0],) for row in forged])
        self.tally.move(place, "queued", "dead", len(forged))
        self.tally.reason(place[1], "dead", "not an entry", len(forged))

    def _numbers(self, counter: str, n: int) -> int:
        """The first of n new numbers."""
        last: int = self.db.execute(Q["count_up"], (n, counter)).fetchone()[0]
        return last - n + 1

    def requeue_due(self) -> None:
        """Retries whose time has come are queued again."""
        for entry, place, losses, _ in self._due(DELAYED, self.now):
            self.db.execute(Q["back"], {"losses": losses, "id": entry})
            self.tally.move(place, "delayed", "queued")

    def reclaim(self, until: float) -> int:
        """Leases that end by then are lost, AT_ONCE at most: only where work had begun does that count.

        Returns how many they were.
        """
        due = self._due(LEASED, until)
        for entry, place, losses, begun in due:
            losses += begun
            if losses >= self.max_losses:
                self._bury(entry, place, losses)
            else:
                self.db.execute(Q["back"], {"losses": losses, "id": entry})
                self.tally.move(place, "leased", "queued")
        return len(due)

    def _bury(self, entry: int, place: Place, losses: int) -> None:
        reason = f"cost {losses} workers"
        self.db.execute(Q["bury"], (reason, None, losses, entry))
        self.tally.move(place, "leased", "dead")
        self.tally.reason(place[1], "dead", reason)

    def _due(self, state: int, until: float) -> list[tuple[int, Place, int, int]]:
        rows = self.db.execute(Q["due"], {"state": state, "now": until, "limit": AT_ONCE}).fetchall()
        return [(entry, (lane, task, host), losses, begun) for entry, lane, task, host, losses, begun in rows]
