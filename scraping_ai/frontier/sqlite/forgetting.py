"""Deleting all of a task: at once it is gone for everybody, and its rows are deleted in steps."""

from __future__ import annotations

import sqlite3

from scraping_ai.frontier.protocol import FrontierError
from scraping_ai.frontier.sqlite.settling import Settling
from scraping_ai.frontier.sqlite.statements import Q

AT_ONCE = 5_000  # rows in one transaction
STEPS = (("forget_records", "forget_pages"), ("forget_seen",), ("forget_dead",), ("forget_lanes",))


def forget(db: sqlite3.Connection, settling: Settling, name: str, task: int, only_done: bool) -> None:
    """Make a task unknown. Raises FrontierError while pages of it are leased, or pending if `only_done`."""
    leased, waiting = db.execute(Q["pending_of"], {"task": task}).fetchone()
    if leased:
        raise FrontierError(f"pages of {name!r} are under way: cancel it before")
    if only_done and waiting:
        raise FrontierError(f"pages of {name!r} are pending")
    settling.skip_pending(task, "forgotten")
    for statement in ("reserve_id", "forget_task", "forgotten", "forget_options", "forget_notes"):
        db.execute(Q[statement], {"task": task, "name": name})


def go_on(db: sqlite3.Connection) -> bool:
    """Delete some of what forgotten tasks left; whether there may be more."""
    row = db.execute(Q["first_forgotten"]).fetchone()
    if row is None:
        return False
    given = {"task": row[0], "limit": AT_ONCE}
    for step in STEPS:
        for statement in step:
            deleted = db.execute(Q[statement], given).rowcount
        if deleted:
            return True
    for statement in ("forget_records", "forget_last_page", "blank_last_page", "forget_reasons", "forgot"):
        db.execute(Q[statement], given)
    return True
