"""One worker's dealings with a frontier: what it has to say is gathered, and said in batches.

Links, endings and beginnings wait for the next round, a few tens of milliseconds at most; leases are fetched ahead. The
order of a round is what makes a crash harmless: links come before the endings of the pages that they were found on.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from typing import Protocol

from scraping_ai.frontier.holding import Hold
from scraping_ai.frontier.outlook import OneTask, Outlook, Pace
from scraping_ai.frontier.protocol import Counts, Ending, Frontier, FrontierError, Kind, Lease, Limits, Link
from scraping_ai.frontier.ready import Ready

logger = logging.getLogger(__name__)

MAX_AHEAD = 8  # times as many leases as are fetched ahead are held at most: those of closed gates do not count there


class Worker(Protocol):
    """Whose dealings they are."""

    def wake(self) -> None:
        """There is work, or there is no more."""

    def accepted(self, links: Sequence[Link], lease: Lease | None = None) -> None:
        """The frontier has them now, or had them before; `lease`: of the page that they were found on."""

    def broken(self) -> None:
        """What the frontier had, it may have no more."""

    def failed(self, error: Exception) -> None:
        """The frontier is of no use any more."""


class Session:
    """Its sync methods take what happened; a task of its own speaks with the frontier.

    `away` are the backend's errors that pass.
    """

    def __init__(
        self,
        frontier: Frontier,
        task: str,
        worker: Worker,
        pace: Pace,
        away: tuple[type[Exception], ...] = (),
        ready: Ready | None = None,
        outlook: Outlook | None = None,
    ) -> None:
        self.frontier, self.task, self.worker, self.pace = frontier, task, worker, pace
        self.hold = Hold(away)
        self._breaks = 0
        self.ready = Ready() if ready is None else ready
        self.alone: deque[Lease] = deque()  # each to be worked on with nothing beside it
        self.outlook: Outlook = outlook or OneTask(frontier, task, pace)
        self.limits = Limits()  # of the task, where it is not started yet
        self._links: list[Link] = []
        self._adding: list[asyncio.Future[bool]] = []  # those wait for the links that are to be said
        self._begun: list[Lease] = []
        self._endings: list[Ending] = []
        self._pauses: dict[str, float] = {}
        self._held: dict[int, tuple[Lease, bool]] = {}  # by token, and whether work on it began
        self._unsaid: dict[int, asyncio.Future[bool]] = {}  # by token: done when the frontier knows that it is begun
        self._stir = asyncio.Event()
        self._stopped = self._closing = self._failed = self._saying = False
        self._renewed = 0.0
        self._running: list[asyncio.Task[None]] = []

    def offer(self, links: Sequence[Link]) -> None:
        """Links of no page of this worker's: seeds."""
        self._links += links
        self._stir.set()

    def begin(self, lease: Lease) -> None:
        told = self._unsaid[self._begun[0].token] if self._begun else asyncio.get_running_loop().create_future()
        self._begun.append(lease)
        self._unsaid[lease.token] = told
        self._held[lease.token] = (lease, True)
        self._stir.set()

    def until_begun(self, lease: Lease) -> asyncio.Future[bool] | None:
        """What to wait for until the loss of this worker would count against a page; None: it would already.

        It says False when that can't be had any more.
        """
        return self._unsaid.get(lease.token)

    async def claim(self, lease: Lease, fingerprint: int) -> bool:
        """As Frontier.claim, at once: the page waits for the answer."""
        return await self.hold(lambda: self.frontier.claim(lease, fingerprint))

    async def add(self, links: Sequence[Link]) -> None:
        """As `offer`, and wait until the frontier has them."""
        added = asyncio.get_running_loop().create_future()
        self._links += links
        self._adding.append(added)
        self._stir.set()
        await added

    async def until_room(self, most: int) -> None:
        """Wait while more than `most` links are still to be said."""
        while len(self._links) > most:
            await asyncio.sleep(self.pace.flush)

    def is_begun(self, lease: Lease) -> bool:
        return self._held.get(lease.token, (lease, False))[1]

    def end(self, ending: Ending) -> None:
        self._endings.append(ending)
        self._stir.set()

    def pause(self, host: str, seconds: float) -> None:
        """Have nothing of a host leased for a while."""
        self._pauses[host] = max(self._pauses.get(host, 0.0), seconds)

    def is_held(self, lease: Lease) -> bool:
        """Whether a lease is still ours as far as is known."""
        return lease.token in self._held

    @property
    def is_current(self) -> bool:
        """Whether leases that wait can still be ours: not when this process slept past them."""
        return time.monotonic() - self._renewed < self.pace.term

    @property
    def counts(self) -> Counts:
        """Of its one task, as they were in the last round."""
        return self.outlook.counts

    @property
    def is_idle(self) -> bool:
        return not (self._links or self._endings or self._held)

    @property
    def is_done(self) -> bool:
        """Whether all has ended, here and everywhere."""
        return self.is_idle and not self._saying and self.outlook.is_done

    @property
    def is_short(self) -> bool:
        return self.ready.available <= self.pace.prefetch // 2 and len(self.ready) < MAX_AHEAD * self.pace.prefetch

    async def open(self) -> None:
        await self.outlook.look(False)
        self._renewed = time.monotonic()
        self._running = [asyncio.create_task(self._checked(work)) for work in (self._run, self._renew)]

    def stop(self) -> None:
        """Take no more work, and give back what was not begun."""
        self._stopped = True
        for lease in (*self.ready, *self.alone):
            self.end(Ending(lease, Kind.RELEASED))
        self.ready.keep(lambda lease: False)
        self.alone.clear()

    async def close(self) -> None:
        """Say what is left to say."""
        self.stop()
        self._closing = True
        self._stir.set()
        if self._running:
            running, renewing = self._running
            await running
            if not self._failed:
                await self._round()
            renewing.cancel()
            await asyncio.wait([renewing])

    async def _checked(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except Exception as error:
            if not self._failed:
                logger.error("the frontier fails: %s", error, exc_info=not isinstance(error, FrontierError))
                self._failed = True
                self.worker.failed(error)

    async def _run(self) -> None:
        try:
            while not (self._closing or self._failed):
                await self._round()
                if self._is_quiet():
                    await self._wait(self.outlook.poll)
                elif not self._wants_work():
                    await asyncio.sleep(self.pace.flush)
        finally:
            _tell(self._unsaid.values(), False)

    def _is_quiet(self) -> bool:
        return not (self._links or self._adding or self._endings or self._begun)

    def _wants_work(self) -> bool:
        return not self.ready and bool(self._links or self._endings)

    async def _wait(self, seconds: float) -> None:
        self._stir.clear()
        try:
            await asyncio.wait_for(self._stir.wait(), seconds)
        except TimeoutError:
            return
        if not self._wants_work():
            await asyncio.sleep(self.pace.flush)

    async def _round(self) -> None:
        if self.frontier.breaks != self._breaks:
            self._breaks = self.frontier.breaks
            self.worker.broken()
        links, self._links = self._links, []
        adding, self._adding = self._adding, []
        begun, self._begun = self._begun, []
        endings, self._endings = self._endings, []
        self._saying = bool(links or endings)
        if links:
            await self.hold(lambda: self._add(links))
            self.worker.accepted(links)
        _tell(adding, True)
        if begun:
            await self._begin(begun)
        if self._pauses:  # before its entries come back
            pauses, self._pauses = self._pauses, {}
            await self.hold(lambda: self.frontier.pause(pauses))
        if endings:
            await self._settle(endings)
        if not self._stopped:
            await self._lease()
        self._saying = False

    async def _add(self, links: list[Link]) -> None:
        try:
            await self.frontier.add(self.task, links)
        except LookupError:  # not started, or forgotten since
            await self.frontier.start(self.task, self.limits)
            await self.frontier.add(self.task, links)

    async def _begin(self, leases: list[Lease]) -> None:
        await self.hold(lambda: self.frontier.begin(leases))
        _tell([self._unsaid.pop(lease.token) for lease in leases], True)

    async def _settle(self, endings: list[Ending]) -> None:
        held = await self.hold(lambda: self.frontier.settle(endings))
        for ending, was_held in zip(endings, held, strict=True):
            self._held.pop(ending.lease.token, None)
            if was_held:
                self.worker.accepted(ending.links, ending.lease)
            else:
                logger.info("%s was another worker's in the end", ending.lease.url)

    async def _lease(self) -> None:
        """Fetch work ahead, and look whether any is left: that decides when the worker is done."""
        if self.is_short:
            wanted = self.pace.prefetch - self.ready.available
            leases = await self.hold(lambda: self.frontier.lease(wanted, per_host=self.pace.per_host))
            self._held |= {lease.token: (lease, False) for lease in leases}
            for lease in leases:
                (self.alone.append if lease.alone else self.ready.put)(lease)
            if self._stopped:
                self.stop()
        self._trim()
        await self.hold(lambda: self.outlook.look(self.is_idle))
        self._saying = False
        if self.ready or self.alone or self.is_done:
            self.worker.wake()

    def _trim(self) -> None:
        """Give back what is not needed soon: meanwhile nobody is to lease of its hosts."""
        surplus, pauses = self.ready.trim()
        for host, seconds in pauses.items():
            self.pause(host, seconds)
        for lease in surplus:
            self.end(Ending(lease, Kind.RELEASED))

    async def _renew(self) -> None:
        """Time and again, whatever else is held: a full backend takes no links for a while, but renews."""
        while True:
            now = time.monotonic()
            if leases := [lease for lease, _ in self._held.values()]:
                for lost in await self.hold(partial(self.frontier.renew, leases), self.pace.term / 3):
                    self._held.pop(lost.token, None)
                self.ready.keep(self.is_held)
                self.alone = deque(lease for lease in self.alone if self.is_held(lease))
            self._renewed = now
            await asyncio.sleep(self.pace.term / 3)


def _tell(waiting: Iterable[asyncio.Future[bool]], answer: bool) -> None:
    for told in set(waiting):  # one for many
        if not told.done():
            told.set_result(answer)
