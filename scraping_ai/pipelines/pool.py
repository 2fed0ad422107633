"""Extraction that can be killed: worker processes with a deadline a page.

A hostile page could keep extraction busy for ever, or crash the C library under it. In a worker it costs one page: the
worker is ended and replaced, and the page says why. Workers are forked from a server that has imported extraction once,
never from the crawler: its threads and event loop would not survive in a child.
"""

from __future__ import annotations

import asyncio
import copy
import logging
import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from tempfile import gettempdir
from types import ModuleType
from typing import Any

from pebble import ProcessExpired, ProcessPool

from scraping_ai.extraction import Result
from scraping_ai.extraction.wrappers import Example, Wrapper
from scraping_ai.pipelines import workers
from scraping_ai.pipelines.batches import Batches
from scraping_ai.pipelines.workers import Asked, Extracted, Line, Work

MAX_TASKS = 1_000  # pages after which a worker is replaced, whatever memory the C heap has lost by then
ALARM = 1.0  # seconds after the deadline at which the kernel ends a worker that does not listen
GRACE = 10.0  # seconds after the deadline at which the whole pool counts as broken

MAX_SOCKET = 107  # bytes of a socket's address, which has the temporary folder in it,
NAMES = len("/pymp-12345678/listener-12345678")  # and below that these


def _has_forkserver() -> bool:
    """Whether there is one, and its socket can have a name."""
    is_there = "forkserver" in multiprocessing.get_all_start_methods()
    return is_there and len(os.fsencode(gettempdir())) + NAMES <= MAX_SOCKET


_METHOD: Any = multiprocessing.get_context("forkserver" if _has_forkserver() else "spawn")

logger = logging.getLogger(__name__)


class Killed(Exception):
    """Extraction of a page that was ended; the message is the page's reason."""


class InLine:
    """The same work in this process: the quickest for a page or two, and nothing stops it."""

    def __init__(self, work: Work) -> None:
        self.work = work

    async def open(self) -> None:
        """Nothing has to start."""

    async def close(self) -> None:
        """Nothing has to end."""

    async def extract(self, page: Asked) -> Extracted:
        return self.work.extract(page)

    async def learn(self, examples: Sequence[Example]) -> Wrapper:
        return self.work.learn(examples)

    async def ground(self, result: Result, answers: Any, body: bytes) -> Result:
        return self.work.ground(result, answers, body)


class Pool:
    """`Work` in worker processes. `timeout` in seconds a call, `memory` in bytes a worker (0: any).

    Its calls raise Killed when a page is to blame; whatever happens to a worker, the next call finds another.
    """

    def __init__(self, work: Work, processes: int, timeout: float, memory: int) -> None:
        self.work, self.processes, self.timeout, self.memory = work, processes, timeout, memory
        self._slots = asyncio.Semaphore(processes)
        self._starting = asyncio.Lock()
        self._pool: ProcessPool | None = None
        self._told: set[str] = set()
        self._pages: Batches[Asked, Extracted] = Batches(self._extract_all, self._extract, processes)

    async def open(self) -> None:
        """Start the workers; calls that come earlier wait for them, and those that come later try again."""
        try:
            await self._running()
        except (BrokenProcessPool, _Broken, OSError) as error:
            logger.error("no process for extraction can be started: %s", error.__cause__ or error)

    async def close(self) -> None:
        """End the workers and wait until they are gone."""
        async with self._starting:
            if self._pool is not None:
                await asyncio.to_thread(_end, self._pool)
                self._pool = None

    async def extract(self, page: Asked) -> Extracted:
        """As `Work.extract`. Raises Killed."""
        return await self._pages.answer(page)

    async def _extract(self, page: Asked) -> Extracted:
        found: Extracted = await self._call("extract", page)
        return found

    async def _extract_all(self, pages: list[Asked]) -> list[Extracted]:
        async with self._slots:
            found: list[Extracted] = await self._attempt("extract_all", pages)
        return found

    async def learn(self, examples: Sequence[Example]) -> Wrapper:
        """As `Work.learn`. Raises Killed and WrapperError."""
        wrapper: Wrapper = await self._call("learn", examples)
        return wrapper

    async def ground(self, result: Result, answers: Any, body: bytes) -> Result:
        """As `Work.ground`. Raises Killed."""
        grounded: Result = await self._call("ground", result, answers, body)
        return grounded

    async def _call(self, name: str, *args: Any) -> Any:
        async with self._slots:
            try:
                return await self._attempt(name, *args)
            except (BrokenProcessPool, _Broken):  # as likely another page's doing
                pass
            try:
                return await self._attempt(name, *args)
            except (BrokenProcessPool, _Broken):
                raise Killed("extraction crashed") from None

    async def _attempt(self, name: str, *args: Any) -> Any:
        pool = await self._running()
        try:
            future = pool.schedule(workers.call, args=(name, *args), timeout=self.timeout)
        except RuntimeError:
            await self._replace(pool)
            raise _Broken from None
        try:
            found, lines = await asyncio.wait_for(asyncio.wrap_future(future), self.timeout + GRACE)
        except ProcessExpired as error:
            raise Killed(self._ending(-error.exitcode)) from None
        except TimeoutError:
            if not future.done():
                await self._replace(pool)
            raise Killed(self._ending(signal.SIGTERM)) from None
        except MemoryError:
            raise Killed(f"extraction needed more than {self.memory // 2**20} MB") from None
        self._tell(lines)
        return found

    def _tell(self, lines: list[Line]) -> None:
        """Log what a worker had to say, what is to be said once also when each worker says it."""
        for line in lines:
            if line.once not in self._told:
                logger.log(line.level, "%s", line.text)
                self._told |= {line.once} - {""}

    def _ending(self, number: int) -> str:
        """The reason of a page whose worker was ended by a signal; 0 and less: it ended itself."""
        if number in (signal.SIGTERM, getattr(signal, "SIGALRM", None)):
            return f"extraction took longer than {self.timeout:g} s"
        try:
            return f"extraction crashed: {signal.Signals(number).name}"
        except ValueError:
            return f"extraction crashed: exit status {-number}"

    async def _running(self) -> ProcessPool:
        async with self._starting:
            if self._pool is None:
                self._pool = await asyncio.to_thread(self._start)
            return self._pool

    def _start(self) -> ProcessPool:
        """A pool whose workers are there. Takes the time of some imports."""
        pool = ProcessPool(
            max_workers=self.processes,
            max_tasks=MAX_TASKS,
            initializer=workers.start,
            initargs=(self.work, self.timeout + ALARM, self.memory),
            context=_context(),
        )
        if not pool.active:
            raise _Broken
        return pool

    async def _replace(self, broken: ProcessPool) -> None:
        async with self._starting:
            if self._pool is broken:
                self._pool = None
                await asyncio.to_thread(_end, broken)


class _Broken(Exception):
    """The pool, rather than a page, has failed."""


def _end(pool: ProcessPool) -> None:
    pool.stop()  # type: ignore[no-untyped-call]
    pool.join()


def _context() -> Any:
    """The multiprocessing context of workers that never run the main program again."""
    context = copy.copy(_METHOD)
    context.Process = _Process
    context.set_forkserver_preload([workers.__name__])
    return context


class _Process(_METHOD.Process):  # type: ignore[misc]  # a class that depends on the system
    """A process that does not import the parent's `__main__`: that is Scrapy, or a user's script that would crawl."""

    def start(self) -> None:
        with _main_hidden(), _interrupts_blocked():
            super().start()


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Ctrl-C is for the crawler alone, which ends its workers: what starts here never hears of it."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _main_hidden() -> Iterator[None]:
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
