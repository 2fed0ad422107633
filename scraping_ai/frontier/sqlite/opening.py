"""Opening a job's file, and what SQLite's errors mean to those who use it."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from enum import Enum
from functools import cache, partial
from pathlib import Path

from scraping_ai.frontier.protocol import FrontierAway, FrontierError
from scraping_ai.frontier.sqlite.statements import SCHEMA

FORMAT = 2  # PRAGMA user_version; files of a format before are brought up to it by whoever writes them
APPLICATION = 0x53414A46  # PRAGMA application_id: SAJF
LEAST = 512  # bytes of a database
BUSY = 10.0  # seconds to wait for another process's transaction

WRITING = (
    "journal_mode = WAL",
    "synchronous = NORMAL",
    "cache_size = -131072",  # KiB: the seen addresses of a few million pages
    "wal_autocheckpoint = 8000",  # pages of 4 KiB: what changes often is written back seldom
    "temp_store = MEMORY",
)

PARTS = """
SELECT s.type, s.name, c.name, c.type, c."notnull", c.pk FROM sqlite_schema AS s, pragma_table_info(s.name) AS c
WHERE s.type = 'table' UNION ALL SELECT type, name, tbl_name, sql, 0, 0 FROM sqlite_schema WHERE type = 'index'
"""


class Access(Enum):
    """What is done with a job's file."""

    CREATE = "create"  # made if it isn't there
    WRITE = "write"
    READ = "read"  # nothing is changed, and no right to write is needed


def connect(path: Path, access: Access, busy: float = BUSY) -> sqlite3.Connection:
    """A connection that any thread may use, one at a time; raises FrontierError."""
    _refuse_at_sight(path, access)
    with told(path):
        if access is Access.READ:
            return _readable(path, busy)
        db = _connected(path, "mode=rwc" if access is Access.CREATE else "mode=rw", busy)
        with closed_on_error(db):
            version = _format(db, path)
            if version == 0 and access is not Access.CREATE:
                raise FrontierError(f"{path} is empty")
            for pragma in WRITING:
                db.execute(f"PRAGMA {pragma}")
            if version < FORMAT:
                db.executescript(_script())
                _format(db, path)
        return db


def _refuse_at_sight(path: Path, access: Access) -> None:
    """What needs no SQLite to be seen, and what SQLite would overwrite: files of a few bytes are empty to it.

    The file is never opened but by SQLite: closing it would drop the locks of this process's other connections
    (https://www.sqlite.org/howtocorrupt.html, 2.2).
    """
    try:
        found = path.stat()
    except FileNotFoundError:
        if access is not Access.CREATE:
            raise FrontierError(f"there is no job file {path}") from None
    except OSError as error:
        raise FrontierError(f"{path} can't be opened: {error.strerror}") from None
    else:
        if not stat.S_ISREG(found.st_mode):
            raise FrontierError(f"{path} is not a file")
        if 0 < found.st_size < LEAST:
            raise FrontierError(f"{path} is no job file")


def _readable(path: Path, busy: float) -> sqlite3.Connection:
    try:
        return _checked(_connected(path, "mode=ro", busy), path)
    except sqlite3.OperationalError:
        if path.with_name(path.name + "-wal").exists():
            raise
        # Where no file may be made beside it, SQLite reads only what it is told that nobody changes.
        return _checked(_connected(path, "immutable=1", busy), path)


def _connected(path: Path, mode: str, busy: float) -> sqlite3.Connection:
    address = f"{path.absolute().as_uri()}?{mode}"
    db = sqlite3.connect(
        address, uri=True, timeout=busy, isolation_level=None, check_same_thread=False, cached_statements=256
    )
    db.text_factory = partial(str, encoding="utf-8", errors="replace")
    db.execute("PRAGMA trusted_schema = OFF")
    return db


def _checked(db: sqlite3.Connection, path: Path) -> sqlite3.Connection:
    with closed_on_error(db):
        if _format(db, path) == 0:
            raise FrontierError(f"{path} is empty")
    return db


@contextmanager
def closed_on_error(db: sqlite3.Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:
        db.close()
        raise


def _format(db: sqlite3.Connection, path: Path) -> int:
    """The format of a job file, 0 when nothing is in it yet; raises FrontierError for what is none or of newer code."""
    application, version, tables = (
        db.execute(query).fetchone()[0]
        for query in ("PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_schema")
    )
    if not tables:
        return 0
    if application != APPLICATION:
        raise FrontierError(f"{path} is no job file, but another SQLite database")
    if not 1 <= version <= FORMAT:
        which = "newer" if version > FORMAT else "older"
        raise FrontierError(
            f"{path} was written by {which} code (format {version}, this is {FORMAT}): use that, or another file"
        )
    if db.execute("SELECT 1 FROM sqlite_schema WHERE type IN ('trigger', 'view')").fetchone():
        raise FrontierError(f"{path} is no job file: it has triggers or views")
    if version == FORMAT and not _parts() <= _parts_of(db):
        raise FrontierError(f"{path} is no job file: it lacks tables or columns")
    return int(version)


def _parts_of(db: sqlite3.Connection) -> set[tuple[str, ...]]:
    """Tables with their columns, and indexes."""
    return set(db.execute(PARTS))


@cache
def _parts() -> set[tuple[str, ...]]:
    """What a job's file has."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(SCHEMA)
        return _parts_of(db)


def _script() -> str:
    """One transaction: a process that is killed leaves all of this format behind, or nothing of it."""
    marks = f"PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {FORMAT};"
    return f"BEGIN IMMEDIATE; {SCHEMA} {marks} COMMIT;"


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Turns errors that come from the file, not from the code, into FrontierErrors of one line."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", 0)  # Python's own errors have none
        if code == sqlite3.SQLITE_IOERR_SHMSIZE:
            code = sqlite3.SQLITE_FULL
        kind, message = MEANING.get(code & 0xFF, (None, ""))
        if kind is None:
            raise
        raise kind(f"{path} {message} ({error})") from error


MEANING: dict[int, tuple[type[FrontierError], str]] = {
    sqlite3.SQLITE_BUSY: (FrontierAway, "is in use: another process holds it"),
    sqlite3.SQLITE_FULL: (FrontierAway, "can't grow: the disk is full"),
    sqlite3.SQLITE_READONLY: (FrontierError, "can't be written: it or its folder is read-only"),
    sqlite3.SQLITE_PERM: (FrontierError, "may not be used"),
    sqlite3.SQLITE_CANTOPEN: (FrontierError, "can't be opened"),
    sqlite3.SQLITE_IOERR: (FrontierError, "can't be read or written"),
    **dict.fromkeys(
        (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_TOOBIG),
        (FrontierError, "holds what no crawl can have written"),
    ),
    sqlite3.SQLITE_NOTADB: (FrontierError, "is no job file"),
    sqlite3.SQLITE_CORRUPT: (FrontierError, "is damaged: `sqlite3 FILE .recover` saves what can be read"),
}
