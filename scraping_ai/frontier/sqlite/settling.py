"""How leases end, each together with the links and records of its page."""

from __future__ import annotations

import sqlite3
import time
from collections import Counter

from scraping_ai.frontier.protocol import Ending, Kind, general
from scraping_ai.frontier.sqlite.adding import Adding
from scraping_ai.frontier.sqlite.statements import Q
from scraping_ai.frontier.sqlite.tally import STATES, Place, Tally

QUEUED = STATES.index("queued")
AFTER = {kind: kind.value for kind in (Kind.STORED, Kind.SKIPPED, Kind.DEAD)} | {
    Kind.RETRY: "delayed",
    Kind.RELEASED: "queued",
}


class Settling:
    """One call's endings."""

    def __init__(self, db: sqlite3.Connection, tally: Tally, adding: Adding) -> None:
        self.db, self.tally, self.adding = db, tally, adding
        self.now = time.time()

    def settle(self, ending: Ending) -> bool:
        """End one lease; False when it is no longer held: then nothing of the ending is kept."""
        row = self.db.execute(Q["held"], (ending.lease.id, ending.lease.token)).fetchone()
        if row is None:
            return False
        *where, former = row
        place: Place = tuple(where)
        self.adding.add(place[1], ending.links)
        self._end(ending, place, former)
        self.tally.move(place, "leased", AFTER[ending.kind])
        if ending.kind in (Kind.SKIPPED, Kind.DEAD):
            self.tally.reason(place[1], ending.kind, general(ending.reason))
        return True

    def _end(self, ending: Ending, place: Place, former: int | None) -> None:
        """`former`: the page of a dead letter that was replayed, which this ending replaces."""
        entry = ending.lease.id
        if ending.kind in (Kind.STORED, Kind.SKIPPED):
            self.db.execute(Q["drop"], (entry,))
            self._add_page(ending, place[1], former)
        elif ending.kind == Kind.DEAD:
            self.db.execute(Q["bury"], (ending.reason, ending.status, entry))
            if ending.page is not None:
                self.db.execute(Q["keep_page"], (self._add_page(ending, place[1], former), entry))
        elif ending.kind == Kind.RETRY:
            self.db.execute(Q["delay"], (self.now + ending.after, ending.request, entry))
        else:
            self.db.execute(Q["back"], (QUEUED, ending.lease.losses, entry))

    def _add_page(self, ending: Ending, task: int, former: int | None) -> int | None:
        lease = ending.lease
        values = (task, lease.url, ending.kind, ending.reason, ending.status, lease.depth, self.now, ending.page)
        page = self.db.execute(Q["add_page"], values).lastrowid
        self.db.executemany(Q["add_record"], [(page, n, body) for n, body in enumerate(ending.records)])
        if former is not None:
            self.db.execute(Q["drop_records"], (former,))
            self.db.execute(Q["drop_page"], (former,))
        return page

    def skip_exhausted(self) -> None:
        """Skip what is left of tasks, and of hosts, that have all the pages they may have."""
        for (task,) in self.db.execute(Q["exhausted_tasks"]).fetchall():
            self.skip_open(task, "max_pages reached")
        for lane, task, host in self.db.execute(Q["exhausted_lanes"]).fetchall():
            self.skip_lanes([(lane, task, host)], "max_pages of the host reached")

    def skip_open(self, task: int, reason: str) -> int:
        """Skip all of a task that has not ended; its leases are held no longer."""
        lanes = self.db.execute(Q["lanes_of"], {"task": task}).fetchall()
        return self.skip_lanes([(lane, task, host) for lane, host in lanes], reason)

    def skip_lanes(self, places: list[Place], reason: str) -> int:
        total = 0
        for place in places:
            states = Counter(row[0] for row in self.db.execute(Q["remove_open"], {"lane": place[0]}).fetchall())
            for state, n in states.items():
                self.tally.move(place, STATES[state], "skipped", n)
                self.tally.reason(place[1], "skipped", reason, n)
            total += states.total()
        return total
