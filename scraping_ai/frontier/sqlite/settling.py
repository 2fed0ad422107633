"""How leases end, each together with the links and records of its page."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace

from scraping_ai.frontier.protocol import Ending, Kind, general
from scraping_ai.frontier.sqlite.adding import Adding
from scraping_ai.frontier.sqlite.statements import Q, storable
from scraping_ai.frontier.sqlite.tally import Place, Tally

MAX_REASON = 1_000  # characters: some quote the page

AFTER = {kind: kind.value for kind in (Kind.STORED, Kind.SKIPPED, Kind.DEAD)} | {
    Kind.RETRY: "delayed",
    Kind.RELEASED: "queued",
}


class Settling:
    """One call's endings."""

    def __init__(self, db: sqlite3.Connection, tally: Tally, adding: Adding, now: float) -> None:
        self.db, self.tally, self.adding, self.now = db, tally, adding, now

    def settle(self, ending: Ending) -> bool:
        """End one lease; False when it is no longer held: then nothing of the ending is kept."""
        row = self.db.execute(Q["held"], (ending.lease.id, ending.lease.token)).fetchone()
        if row is None:
            return False
        if ending.reason is not None:
            ending = replace(ending, reason=storable(ending.reason[:MAX_REASON]))
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
            self.db.execute(Q["bury"], (ending.reason, ending.status, ending.lease.losses, entry))
            if ending.page is not None:
                self.db.execute(Q["keep_page"], (self._add_page(ending, place[1], former), entry))
        elif ending.kind == Kind.RETRY:
            self.db.execute(Q["delay"], (self.now + ending.after, _text(ending.request), entry))
        else:
            self.db.execute(Q["back"], {"losses": ending.lease.losses, "id": entry})

    def _add_page(self, ending: Ending, task: int, former: int | None) -> int | None:
        lease = ending.lease
        values = (task, lease.url, ending.kind, ending.reason, ending.status, lease.depth, self.now, _text(ending.page))
        page = self.db.execute(Q["add_page"], values).lastrowid
        self.db.executemany(Q["add_record"], [(page, n, storable(body)) for n, body in enumerate(ending.records)])
        if former is not None:
            self.db.execute(Q["drop_records"], (former,))
            self.db.execute(Q["drop_page"], (former,))
        return page

    def skip_exhausted(self) -> None:
        """Skip what is left of tasks, and of their hosts, that this transaction left with all pages they may have."""
        for (task,) in self.db.execute(Q["exhausted_tasks"], {"tasks": json.dumps([*self.tally.tasks])}).fetchall():
            self.skip_pending(task, "max_pages reached")
        lanes = self.db.execute(Q["exhausted_lanes"], {"lanes": json.dumps([*self.tally.lanes])}).fetchall()
        self._skip_lanes([lane for (lane,) in lanes], "max_pages of the host reached")

    def skip_pending(self, task: int, reason: str) -> int:
        """Skip all of a task that has not ended; its leases are held no longer."""
        return self._skip_lanes([lane for (lane,) in self.db.execute(Q["lanes_of"], {"task": task})], reason)

    def _skip_lanes(self, lanes: list[int], reason: str) -> int:
        if not lanes:
            return 0
        self.tally.write(self.db)  # what is pending is read from there
        given = {"lanes": json.dumps(lanes)}
        total = 0
        for lane, task, host, *counts in self.db.execute(Q["pending_in"], given).fetchall():
            for state, n in zip(("queued", "delayed", "leased"), counts, strict=True):
                self.tally.move((lane, task, host), state, "skipped", n)
            self.tally.reason(task, "skipped", reason, sum(counts))
            total += sum(counts)
        for name in ("remove_queued", "remove_due", "remove_suspects"):
            self.db.execute(Q[name], given)
        self.tally.write(self.db)
        return total


def _text(text: str | None) -> str | None:
    return None if text is None else storable(text)
