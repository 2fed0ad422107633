"""The frontier in one SQLite file: no server, and nothing forgotten when the process is killed.

A thread of its own owns the connection; every operation is one transaction. The journal is a write-ahead log that is
not synced at each commit: a killed process loses nothing, a power cut at most the last moments, never consistency.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

from scraping_ai.frontier.protocol import Counts, Ending, Lease, Limits, Link, Listing, Result, State, refuse_long
from scraping_ai.frontier.sqlite.adding import Adding
from scraping_ai.frontier.sqlite.audit import audit
from scraping_ai.frontier.sqlite.forgetting import forget, go_on
from scraping_ai.frontier.sqlite.leasing import Leasing
from scraping_ai.frontier.sqlite.opening import BUSY, Access, closed_on_error, connect, told
from scraping_ai.frontier.sqlite.operating import peek, purge, replay, results
from scraping_ai.frontier.sqlite.owner import Owner, take_lent
from scraping_ai.frontier.sqlite.settling import Settling
from scraping_ai.frontier.sqlite.statements import Q, storable
from scraping_ai.frontier.sqlite.tally import Place, Tally

T = TypeVar("T")

NO_LIMIT = 2**62


class SqliteFrontier:
    """Keeps frontiers of tasks at `path`; `term` is the seconds of a lease, `max_losses` what makes a dead letter.

    An `exclusive` one is the only worker on its file: others of that kind are refused, and what is leased when it is
    opened is taken back. `clock` tells the seconds since 1970, `busy` is the seconds to wait for other processes. A
    file that can't be used raises FrontierError; one that is held or has no room to grow, FrontierAway.
    """

    breaks = 0

    def __init__(
        self,
        path: Path,
        *,
        term: float = 60.0,
        max_losses: int = 3,
        clock: Callable[[], float] = time.time,
        access: Access = Access.CREATE,
        busy: float = BUSY,
        exclusive: bool = False,
    ) -> None:
        self.path, self.access, self.busy, self.exclusive = path, access, busy, exclusive
        self._owner: Owner | None = None
        self.term, self.max_losses, self.clock = term, max_losses, clock
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="frontier")
        self._db: sqlite3.Connection | None = None
        self._lanes: dict[tuple[int, str], Place] = {}

    async def open(self) -> None:
        await self._in_thread(self._open)
        if self.exclusive:
            await self.reclaim()
            await self._go_on_forgetting()

    async def close(self) -> None:
        await self._in_thread(self._close)
        self._thread.shutdown()

    async def start(self, task: str, limits: Limits, options: str | None = None) -> None:
        if options is not None:
            refuse_long(options)
        await self._write(lambda db, tally: self._start(tally, task, limits, options))

    async def options(self, task: str) -> str | None:
        row = await self._in_thread(lambda: self.db.execute(Q["options"], {"name": task}).fetchone())
        return None if row is None else row[0]

    async def add(self, task: str, links: Sequence[Link]) -> list[bool]:
        return await self._write(lambda db, tally: self._adding(tally).add(self._task(task), links))

    async def lease(self, n: int, *, per_host: int | None = None) -> list[Lease]:
        return await self._write(lambda db, tally: self._leasing(tally).lease(n, per_host or NO_LIMIT))

    async def pause(self, hosts: Mapping[str, float]) -> None:
        now = self.clock()
        until = [(now + seconds, host) for host, seconds in hosts.items()]
        await self._write(lambda db, tally: db.executemany(Q["pause_host"], until))

    async def begin(self, leases: Sequence[Lease]) -> None:
        held = [(lease.id, lease.token) for lease in leases]
        await self._write(lambda db, tally: db.executemany(Q["begin"], held))

    async def claim(self, lease: Lease, fingerprint: int) -> bool:
        return await self._write(lambda db, tally: self._claim(tally, lease, fingerprint))

    async def renew(self, leases: Sequence[Lease]) -> list[Lease]:
        return await self._write(lambda db, tally: self._renew(leases))

    async def settle(self, endings: Sequence[Ending]) -> list[bool]:
        return await self._write(lambda db, tally: self._settle(tally, endings))

    async def reclaim(self) -> None:
        """Take back every lease: whoever held one is known to be gone."""
        while await self._write(lambda db, tally: self._leasing(tally).reclaim(float("inf"))):
            pass

    async def cancel(self, task: str) -> int:
        return await self._write(lambda db, tally: self._settling(tally).skip_pending(self._task(task), "cancelled"))

    async def forget(self, task: str, *, only_done: bool = False) -> None:
        await self._write(lambda db, tally: forget(db, self._settling(tally), task, self._task(task), only_done))
        await self._go_on_forgetting()

    async def _go_on_forgetting(self) -> None:
        while await self._write(lambda db, tally: go_on(db)):
            pass

    async def pending(self, task: str) -> int:
        return (await self.counts(task)).pending

    async def counts(self, task: str) -> Counts:
        return await self._in_thread(lambda: self._counts(task))

    async def tasks(self, n: int = 1_000, after: str = "") -> list[str]:
        given = {"after": after, "limit": n}
        return await self._in_thread(lambda: [name for (name,) in self.db.execute(Q["tasks"], given)])

    async def unfinished(self, n: int = 1_000, after: str = "") -> list[str]:
        given = {"after": after, "limit": n}
        return await self._in_thread(lambda: [name for (name,) in self.db.execute(Q["unfinished"], given)])

    async def results(self, task: str, n: int = 100, after: int | None = None) -> list[Result]:
        return await self._in_thread(lambda: results(self.db, self._task(task), n, after))

    async def peek(self, task: str, state: State, n: int = 20, after: str | None = None) -> Listing:
        return await self._in_thread(lambda: peek(self.db, self._task(task), state, n, after, self.clock()))

    async def replay(self, task: str, ids: Sequence[int | str]) -> int:
        return await self._write(lambda db, tally: replay(db, tally, self._task(task), ids))

    async def purge(self, task: str, ids: Sequence[int | str]) -> int:
        return await self._write(lambda db, tally: purge(db, tally, self._task(task), ids, self.clock()))

    async def _in_thread(self, work: Callable[[], T]) -> T:
        def telling() -> T:
            with told(self.path):
                return work()

        return await asyncio.get_running_loop().run_in_executor(self._thread, telling)

    async def _write(self, work: Callable[[sqlite3.Connection, Tally], T]) -> T:
        return await self._in_thread(lambda: self._transaction(work))

    def _transaction(self, work: Callable[[sqlite3.Connection, Tally], T]) -> T:
        tally = Tally()
        self.db.execute("BEGIN IMMEDIATE")
        try:
            result = work(self.db, tally)
            tally.write(self.db)
            self._settling(tally).skip_exhausted()
            self.db.execute("COMMIT")
        except BaseException:
            self._lanes.clear()  # some may be of this transaction
            if self.db.in_transaction:
                self.db.execute("ROLLBACK")
            raise
        return result

    @property
    def db(self) -> sqlite3.Connection:
        if self._db is None:
            raise RuntimeError("the frontier is not open")
        return self._db

    def _open(self) -> None:
        db = connect(self.path, self.access, self.busy)
        if self.exclusive:
            with closed_on_error(db):
                self._owner = None if take_lent(self.path) else Owner(self.path)
                audit(db, self.path, self.clock())
        self._db = db

    def _close(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None
        if self._owner is not None:
            self._owner.release()
            self._owner = None

    def _adding(self, tally: Tally) -> Adding:
        return Adding(self.db, tally, self._lanes)

    def _leasing(self, tally: Tally) -> Leasing:
        return Leasing(self.db, tally, self.clock(), self.term, self.max_losses)

    def _settling(self, tally: Tally) -> Settling:
        return Settling(self.db, tally, self._adding(tally), self.clock())

    def _task(self, name: str) -> int:
        row = self.db.execute(Q["find_task"], {"name": name}).fetchone()
        if row is None:
            raise LookupError(f"no task {name!r}: start it first")
        number: int = row[0]
        return number

    def _start(self, tally: Tally, name: str, limits: Limits, options: str | None) -> None:
        self.db.execute(Q["start_task"], {"name": name, **asdict(limits)})
        if options is not None:
            self.db.execute(Q["put_options"], {"name": name, "options": storable(options)})
        task = self._task(name)
        tally.tasks.add(task)
        tally.lanes.update(lane for (lane,) in self.db.execute(Q["lanes_of"], {"task": task}))

    def _settle(self, tally: Tally, endings: Sequence[Ending]) -> list[bool]:
        settling = self._settling(tally)
        return [settling.settle(ending) for ending in endings]

    def _claim(self, tally: Tally, lease: Lease, fingerprint: int) -> bool:
        row = self.db.execute(Q["claimed"], (lease.id, lease.token)).fetchone()
        if row is None or row[1] == fingerprint:
            return True
        is_new = self._adding(tally).mark(row[0], fingerprint)
        if is_new:
            self.db.execute(Q["claim"], (fingerprint, lease.id))
        return is_new

    def _renew(self, leases: Sequence[Lease]) -> list[Lease]:
        until = self.clock() + self.term
        return [lease for lease in leases if not self.db.execute(Q["renew"], (until, lease.id, lease.token)).rowcount]

    def _counts(self, task: str) -> Counts:
        self.db.execute("BEGIN")  # both are of one moment, whatever another process writes
        try:
            row = self.db.execute(Q["counts"], {"name": task}).fetchone()
            reasons = [] if row is None else self.db.execute(Q["reasons"], {"task": row[-1]}).fetchall()
        finally:
            self.db.execute("COMMIT")
        counts = Counts() if row is None else Counts(*row[:-1])
        for _, reason, n in reasons:
            counts.reasons[reason] = counts.reasons.get(reason, 0) + n
        return counts
