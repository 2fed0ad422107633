"""Where what hosts needed is kept: for all workers in Redis where one is named, else in the job's process and file."""

from __future__ import annotations

import asyncio
import json
import logging
import math
import time
from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

from scraping_ai.frontier.protocol import FrontierError
from scraping_ai.middlewares.classify import Kind
from scraping_ai.middlewares.memory import MAX_COUNTS, MAX_HOSTS, MOST, Memory

logger = logging.getLogger(__name__)

HEARD = 30.0  # seconds after which others are asked again about a host
KEPT = 10  # half-lives that a host's counts are kept in Redis
NOTE = "fetch memory"  # of a job's file


@runtime_checkable
class Shares(Protocol):
    """Gates that workers share, and so what they know of hosts (RedisGates)."""

    async def remember(self, host: str, *arguments: str | bytes | int | float) -> dict[str, float]: ...


class SharedMemory(Memory):
    """One that workers share: what is noted here is told to all at once, what others know is heard now and then."""

    is_shared = True

    def __init__(self, half_life: float, shares: Shares, clock: Callable[[], float] = time.time) -> None:
        super().__init__(half_life, clock)
        self._shares = shares
        self._heard: dict[str, float] = {}  # when others were last asked
        self._telling: dict[str, asyncio.Task[None]] = {}
        self._untold: dict[str, dict[str, float]] = {}

    async def heed(self, host: str) -> None:
        if self._heard.get(host, -math.inf) + HEARD > time.monotonic():
            return
        self._say(host)
        await asyncio.shield(self._telling[host])

    def note(self, host: str, url: str, rung: str, kind: Kind, *, probe: bool = False) -> list[tuple[str, float]]:
        grown = super().note(host, url, rung, kind, probe=probe)
        if grown:
            untold = self._untold.setdefault(host, {})
            for name, more in grown:
                untold[name] = untold.get(name, 0.0) + more
            self._say(host)
        return grown

    async def close(self) -> None:
        while self._telling:
            await asyncio.gather(*self._telling.values())

    def _say(self, host: str) -> None:
        if host not in self._telling:
            self._telling[host] = asyncio.get_running_loop().create_task(self._tell(host))

    async def _tell(self, host: str) -> None:
        try:
            while True:
                pairs = [part for pair in self._untold.pop(host, {}).items() for part in pair]
                bounds = (self.half_life, math.ceil(KEPT * self.half_life), MOST, MAX_COUNTS)
                counts = await self._shares.remember(host, *bounds, *pairs)
                if host not in self._untold:  # else what was noted meanwhile is in no answer yet
                    self.learn(host, counts)
                    break
        except FrontierError as error:
            logger.warning("what %s needed is not shared: %s", host, error)
        finally:
            self._heard[host] = time.monotonic()
            if len(self._heard) > MAX_HOSTS:
                del self._heard[next(iter(self._heard))]
            del self._telling[host]


def dumped(memory: Memory) -> str:
    """What a memory holds, for a job's file."""
    return json.dumps({host: [known.at, known.counts] for host, known in memory.hosts.items()})


def load(memory: Memory, text: str | None) -> None:
    """Take over what a job's file holds; whatever else stands there is passed over."""
    try:
        held: Any = json.loads(text or "{}")
        for host, (at, counts) in list(held.items())[:MAX_HOSTS]:
            memory.learn(str(host), {str(name): float(n) for name, n in counts.items()})
            if host in memory.hosts and math.isfinite(at):
                memory.hosts[host].at = min(at, memory.clock())
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
        logger.warning("the job's file says nothing sound of what its hosts needed")


def memory_for(gates: object, half_life: float) -> Memory:
    """One that is shared as the gates are."""
    return SharedMemory(half_life, gates) if isinstance(gates, Shares) else Memory(half_life)
