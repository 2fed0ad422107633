"""How links become entries: marked seen and queued in one transaction."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from scraping_ai.frontier.protocol import Link
from scraping_ai.frontier.sqlite.statements import Q, storable
from scraping_ai.frontier.sqlite.tally import Place, Tally

LANES = 100_000  # remembered between calls


class Adding:
    """Takes links into one task; `lanes` remembers between calls where a task's entries of a host go."""

    def __init__(self, db: sqlite3.Connection, tally: Tally, lanes: dict[tuple[int, str], Place]) -> None:
        self.db, self.tally, self.lanes = db, tally, lanes

    def add(self, task: int, links: Sequence[Link]) -> list[bool]:
        """For each link whether it was new."""
        if not links:
            return []
        new = self._mark_seen(task, [link.fingerprint for link in links if link.fingerprint is not None])
        fresh = [link.fingerprint is None or _pop(new, link.fingerprint) for link in links]
        rows = []
        for link in (link for link, is_new in zip(links, fresh, strict=True) if is_new):
            place = self._place(task, link.host)
            rows.append((place[0], -link.priority, link.depth, storable(link.url), link.request))
            self.tally.move(place, None, "queued")
        self.db.executemany(Q["queue"], rows)
        self.tally.offered(task, len(rows), len(links) - len(rows))
        return fresh

    def mark(self, task: int, fingerprint: int) -> bool:
        """Mark an address seen that is not to be queued: whether it was new."""
        return bool(self._mark_seen(task, [fingerprint]))

    def _mark_seen(self, task: int, fingerprints: Sequence[int]) -> set[int]:
        wanted = json.dumps(fingerprints)
        return {row[0] for row in self.db.execute(Q["mark_seen"], {"task": task, "fingerprints": wanted}).fetchall()}

    def _place(self, task: int, host: str) -> Place:
        place = self.lanes.get((task, host))
        if place is None:
            host = storable(host)
            if len(self.lanes) >= LANES:
                self.lanes.clear()
            self.db.execute(Q["add_host"], {"host": host})
            self.db.execute(Q["add_lane"], {"task": task, "host": host})
            lane, host_id = self.db.execute(Q["find_lane"], {"task": task, "host": host}).fetchone()
            place = self.lanes[task, host] = (lane, task, host_id)
        return place


def _pop(numbers: set[int], number: int) -> bool:
    """Whether a number is among them; it is taken out, so that of two equal links one is new."""
    if number not in numbers:
        return False
    numbers.discard(number)
    return True
