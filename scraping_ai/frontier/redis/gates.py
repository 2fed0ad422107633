"""The gates of all hosts in Redis: one rate a host, however many workers and crawls there are.

A host from which nobody here wants an interval costs no round trip: its gate is this process's own. What hosts are on
hold is looked up for all of those together.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections import defaultdict

from redis.asyncio import Redis

from scraping_ai.frontier.gates import (
    FIRST_BACKOFF,
    FULL_WAIT,
    LATE,
    MARGIN,
    MAX_ORIGINS,
    SENDING,
    Answer,
    LocalGates,
    Shown,
    Throttle,
)
from scraping_ai.frontier.protocol import FrontierAway, FrontierError
from scraping_ai.frontier.redis.calls import Calls
from scraping_ai.frontier.redis.entries import Argument, encoded

logger = logging.getLogger(__name__)

AWAY_WAIT = 0.5  # seconds, about, until a server that is away is asked again
MAX_UNSAID = 1_000  # visits of one gate
LOOK = 0.3  # seconds between two looks at which hosts are on hold, and those for which a look is waited for
MAX_HELD = 10_000  # hosts on hold that one look finds


class RedisGates:
    """Gates under keys that begin with `prefix`; who has been inside for `gone` seconds was killed there."""

    def __init__(self, client: Redis, prefix: str, throttle: Throttle | None, *, gone: float) -> None:
        self.throttle, self.gone = throttle, gone
        self._calls = Calls(client, prefix)
        self._own = LocalGates(None)
        self._here: set[str] = set()  # visits at gates of this process's own
        self._unsaid: defaultdict[str, list[str]] = defaultdict(list)  # by gate: visits that left while it was away
        self._is_away = False
        self._looking: asyncio.Task[None] | None = None
        self._looked, self._holds = 0.0, b""  # when a look began, by time.monotonic(); as gate_held.lua has it

    async def enter(self, gate: str, visit: str, interval: float, at_once: int | None) -> Answer:
        if interval <= 0 and self.throttle is None:
            self._here.add(visit)
            await self._look()
            return await self._own.enter(gate, visit, interval, at_once)
        left = self._unsaid.pop(gate, [])
        rule = (visit, interval, "" if at_once is None else at_once, *self._bounds())
        said = await self._told("gate_enter", gate, *rule, MARGIN, SENDING, FULL_WAIT, self.gone, LATE, *left)
        if said is None:
            if left:
                self._unsaid[gate] = left
            return Answer(AWAY_WAIT * random.uniform(0.5, 1.5), interval)  # noqa: S311
        return Answer(*map(float, said))

    async def _look(self) -> None:
        """Learn of new holds now and then. A server that hangs is not waited for."""
        since = time.monotonic() - self._looked
        if since >= LOOK and (self._looking is None or self._looking.done()):
            self._looked, since = time.monotonic(), 0.0
            self._looking = asyncio.create_task(self._learn_holds())
        if self._looking is not None and not self._looking.done() and since < LOOK:
            await asyncio.wait([self._looking], timeout=LOOK - since)

    async def _learn_holds(self) -> None:
        try:
            holds, held = await self._calls.plain("gate_held", self._holds, MAX_HELD)
        except FrontierError:
            return
        for gate, seconds in zip(held[::2], held[1::2], strict=True):
            await self._own.hold(gate.decode("utf-8", "surrogatepass"), float(seconds))
        self._holds = holds

    def _bounds(self) -> tuple[Argument, Argument]:
        return ("", "") if self.throttle is None else (self.throttle.start, self.throttle.longest)

    async def sent(self, gate: str, visit: str) -> None:
        if visit in self._here:
            await self._own.sent(gate, visit)
        else:
            await self._told("gate_sent", gate, visit)

    async def leave(self, gate: str, visit: str) -> None:
        if visit in self._here:
            self._here.discard(visit)
            await self._own.leave(gate, visit)
        elif await self._told("gate_leave", gate, visit) is None and self._is_away:
            self._unsaid[gate] = [*self._unsaid[gate], visit][-MAX_UNSAID:]

    async def hold(self, gate: str, seconds: float) -> None:
        await self._own.hold(gate, seconds)
        await self._told("gate_hold", gate, seconds)

    async def ask(self, gate: str, origin: str, interval: float, seconds: float) -> None:
        await self._told("gate_ask", gate, origin, interval, seconds, MAX_ORIGINS)

    async def observe(self, gate: str, latency: float, shown: Shown) -> None:
        if self.throttle is None:
            return
        said = (encoded(gate), latency, shown.value, self.throttle.target, *self._bounds(), FIRST_BACKOFF)
        try:
            await self._calls.once("gate_observe", [said])
        except FrontierAway as error:
            self._note_away(error)

    async def remember(self, host: str, *arguments: Argument) -> dict[str, float]:
        """Add to what fetching from a host needed, and learn what that is now (scripts/fetch_memory.lua).

        Nothing while the server is away.
        """
        said = await self._told("fetch_memory", host, *arguments) or []
        return {name.decode("utf-8", "replace"): float(n) for name, n in zip(said[::2], said[1::2], strict=False)}

    async def close(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.wait([self._looking])
        await self._calls.close()

    async def _told(self, script: str, gate: str, *arguments: Argument) -> list[bytes] | None:
        """What the script answers; None while the server is away."""
        try:
            answer: list[bytes] | None = await self._calls.plain(script, encoded(gate), *arguments)
        except FrontierAway as error:
            self._note_away(error)
            return None
        if self._is_away:
            logger.warning("Redis is back: requests are sent again")
        self._is_away = False
        return answer

    def _note_away(self, error: FrontierAway) -> None:
        if not self._is_away:
            logger.warning("%s: nothing is sent until it is back, as it keeps the pace of hosts (REDIS_URL)", error)
        self._is_away = True
