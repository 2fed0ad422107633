"""Both backends of the frontier, as tests open them."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast

from redis.asyncio import Redis
from servers.redis import binaries, shared

from scraping_ai.frontier.fingerprint import Fingerprinter
from scraping_ai.frontier.protocol import Counts, Frontier, Lease, Limits, Link
from scraping_ai.frontier.redis import RedisFrontier
from scraping_ai.frontier.sqlite import SqliteFrontier

T = TypeVar("T")

fingerprint = Fingerprinter().of_url


class Opener(Protocol):
    """Opens one and the same frontier, time and again. Leases end after `term` seconds.

    `advance` moves the frontier's clock by seconds, where tests can do that.
    """

    advance: Callable[[float], None] | None

    def __call__(self, *, term: float = 60.0, max_losses: int = 3) -> AbstractAsyncContextManager[Frontier]: ...


class Sqlite:
    """Opens the job file in a folder."""

    def __init__(self, folder: Path) -> None:
        self.path, self.ahead = folder / "job.sqlite", 0.0
        self.advance: Callable[[float], None] | None = self._advance

    def _advance(self, seconds: float) -> None:
        self.ahead += seconds

    @asynccontextmanager
    async def __call__(self, *, term: float = 60.0, max_losses: int = 3) -> AsyncIterator[Frontier]:
        clock = lambda: time.time() + self.ahead  # noqa: E731
        frontier = SqliteFrontier(self.path, term=term, max_losses=max_losses, clock=clock)
        await frontier.open()
        try:
            yield cast(Frontier, Audited(frontier))
        finally:
            await frontier.close()


class OnRedis:
    """Opens a frontier on a server of this process's own, which all its tests share: each has keys of its own."""

    advance: Callable[[float], None] | None = None

    def __init__(self, binary: Path, folder: Path) -> None:
        self.url, self.prefix = shared(binary).url, f"{{{next(_NUMBERS)}}}"

    @asynccontextmanager
    async def __call__(self, *, term: float = 60.0, max_losses: int = 3) -> AsyncIterator[Frontier]:
        frontier = RedisFrontier(Redis.from_url(self.url), self.prefix, term=term, max_losses=max_losses)
        await frontier.open()
        try:
            yield cast(Frontier, Audited(frontier))
        finally:
            await frontier.close()


_NUMBERS = itertools.count()

BACKENDS: dict[str, Callable[[Path], Opener]] = {
    "sqlite": Sqlite,
    **{binary.name: partial(OnRedis, binary) for binary in binaries()},
}


class Audited:
    """A frontier whose sums are checked after every operation."""

    def __init__(self, frontier: Frontier) -> None:
        self._frontier = frontier

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        method = getattr(self._frontier, name)

        async def audited(*args: Any, **kwargs: Any) -> Any:
            try:
                return await method(*args, **kwargs)
            finally:
                for task in await self._frontier.tasks():
                    check_sum(await self._frontier.counts(task))

        return audited


def check_sum(counts: Counts) -> None:
    """Nothing is lost, and nothing counted that is not there."""
    assert counts.added == counts.stored + counts.skipped + counts.dead + counts.pending, counts
    assert sum(counts.reasons.values()) == counts.skipped + counts.dead, counts
    assert min(counts.queued, counts.delayed, counts.leased, counts.stored, counts.skipped, counts.dead) >= 0, counts


def link(url: str, *, depth: int = 0, priority: int = 0, request: str | None = None) -> Link:
    return Link(url, fingerprint(url), url.split("/")[2], depth, priority, request)


def links(n: int, host: str = "a.example", first: int = 0) -> list[Link]:
    return [link(f"http://{host}/{number}") for number in range(first, first + n)]


def urls(leases: Sequence[Lease]) -> list[str]:
    return [lease.url for lease in leases]


async def filled(frontier: Frontier, *offered: Link, task: str = "t", **limits: Any) -> Frontier:
    """The frontier, its task started and the links in it."""
    await frontier.start(task, Limits(**limits))
    await frontier.add(task, offered)
    return frontier


async def eventually(ask: Callable[[], Awaitable[T]], seconds: float = 10.0) -> T:
    """What `ask` answers as soon as it is anything."""
    end = time.monotonic() + seconds
    while not (answer := await ask()):
        assert time.monotonic() < end, "it never came"
        await asyncio.sleep(0.005)
    return answer
