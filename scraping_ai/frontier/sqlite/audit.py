"""A file that one worker opens is looked through first: it may have been edited, or be from anybody."""

from __future__ import annotations

import logging
import sqlite3
from importlib.resources import files
from pathlib import Path

from scraping_ai.frontier.sqlite.statements import named

logger = logging.getLogger(__name__)

AUDIT = named(files("scraping_ai.frontier.sqlite").joinpath("audit.sql").read_text("utf-8"))
LONGEST = 30 * 86_400.0  # seconds that a page or a host can have to wait


def audit(db: sqlite3.Connection, path: Path, now: float) -> None:
    """Make dead letters of entries that no crawl can have written, and have counters say what is there.

    So what follows may trust types, and that what is pending comes up. A row is a microsecond's work.
    """
    before = db.total_changes
    given = {"latest": now + LONGEST}
    db.execute("BEGIN IMMEDIATE")
    try:
        for statement in AUDIT.values():
            db.execute(statement, given if ":latest" in statement else ())
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    if changed := db.total_changes - before:
        logger.warning("%s holds what no crawl can have written: %d rows were set right or given up", path, changed)
