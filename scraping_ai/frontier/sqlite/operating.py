"""What an operator sees of the entries, and does with dead letters."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence

from scraping_ai.frontier.protocol import Entry, Listing, Result, State, general
from scraping_ai.frontier.sqlite.statements import Q
from scraping_ai.frontier.sqlite.tally import Place, Tally

NUMBERS = {State.QUEUED: 0, State.DELAYED: 1, State.LEASED: 2, State.DEAD: 3, State.SUSPECT: 4}  # entry.state
QUERIES = {State.QUEUED: "peek_queued", State.DELAYED: "peek_due", State.LEASED: "peek_due"}
START = (0, -(2**63), 0, 0)  # lane, rank, depth, id: before all entries


def peek(db: sqlite3.Connection, task: int, state: State, n: int, after: str | None, now: float) -> Listing:
    """A page of the entries of a task. Raises ValueError for an `after` that no listing gave."""
    place = dict(zip(("lane", "rank", "depth", "id"), _place(after), strict=True))
    query = Q[QUERIES.get(state, "peek_apart")]
    given = {"task": task, "state": NUMBERS[state], "limit": n + 1, **place}
    rows = db.execute(query, given).fetchall()
    entries = [_entry(row, state, now) for row in rows[:n]]
    if len(rows) <= n:
        return Listing(entries)
    last = rows[n - 1]
    return Listing(entries, json.dumps([last[10], last[4], last[3], last[0]]))


def _place(after: str | None) -> Sequence[int]:
    place = json.loads(after) if after is not None else START
    is_place = isinstance(place, Sequence) and len(place) == len(START)
    if not is_place or not all(isinstance(number, int) and -(2**63) <= number < 2**63 for number in place):
        raise ValueError(f"no place in a listing: {after!r}")
    return place


def _entry(row: tuple, state: State, now: float) -> Entry:  # type: ignore[type-arg]
    id_, url, host, depth, rank, losses, tries, due, reason, status, _ = row
    wait = None if due is None else max(0.0, due - now)
    return Entry(id_, url, host, state, depth, -rank, losses, tries, wait, reason, status)


def results(db: sqlite3.Connection, task: int, n: int, after: int | None) -> list[Result]:
    """What was kept of pages of a task, as of one moment."""
    db.execute("BEGIN")
    try:
        pages = db.execute(Q["results"], {"task": task, "after": after or 0, "limit": n}).fetchall()
        return [Result(id_, depth, page, _records(db, id_)) for id_, depth, page in pages]
    finally:
        db.execute("COMMIT")


def _records(db: sqlite3.Connection, page: int) -> tuple[str, ...]:
    return tuple(body for (body,) in db.execute(Q["records"], (page,)))


def replay(db: sqlite3.Connection, tally: Tally, task: int, ids: Sequence[int | str]) -> int:
    """Queue dead letters again."""
    total = 0
    for entry, place in _dead(db, tally, task, ids):
        for name in ("hide_records", "hide_page", "revive"):
            db.execute(Q[name], (entry,))
        tally.move(place, "dead", "queued")
        total += 1
    return total


def purge(db: sqlite3.Connection, tally: Tally, task: int, ids: Sequence[int | str], now: float) -> int:
    """Dead letters become pages skipped."""
    total = 0
    for entry, place in _dead(db, tally, task, ids):
        db.execute(Q["give_up_page"], (entry,))
        db.execute(Q["give_up"], (now, entry))
        db.execute(Q["drop"], (entry,))
        tally.move(place, "dead", "skipped")
        tally.reason(task, "skipped", "purged")
        total += 1
    return total


def _dead(
    db: sqlite3.Connection, tally: Tally, task: int, ids: Sequence[int | str]
) -> Iterator[tuple[int | str, Place]]:
    """Those of them that are dead letters of the task; their reasons are counted no longer."""
    for entry in ids:
        row = db.execute(Q["dead_letter"], (entry, task)).fetchone()
        if row is not None:
            *place, reason = row
            tally.reason(task, "dead", general(reason), -1)
            yield entry, (place[0], place[1], place[2])
