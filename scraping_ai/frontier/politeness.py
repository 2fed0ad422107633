"""What one crawl owes to hosts: which gate a request passes, by which rule, and what is known of it here.

What is learned here of openings is also what the scheduler goes by, so that it hands out no request that could only
wait.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections import OrderedDict
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count
from typing import Any, ClassVar, NamedTuple
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary, ref

import tldextract
from scrapy.crawler import Crawler

from scraping_ai.frontier.backends import gates_of
from scraping_ai.frontier.engine import is_closing
from scraping_ai.frontier.gates import Answer, Gates, Throttle

MAX_DOORS = 10_000  # hosts of which a crawl remembers what it learned

# The list inside the package: nothing is fetched. Where anybody can have a name (a host of blogs), each is a site.
SITES = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)


class Rule(NamedTuple):
    """What a crawl keeps to on a host by itself."""

    interval: float  # seconds between two requests at least
    at_once: int | None  # requests under way at most


@dataclass(slots=True)
class Door:
    """What this crawl knows of a gate. Times are time.monotonic()'s."""

    rule: Rule
    room: asyncio.Semaphore | None  # for the requests that this crawl makes at once
    opens: float = 0.0
    held_until: float = 0.0  # at the host's own wish
    met: bool = False  # it has answered, and what its robots.txt asks for is known
    known_pace: float = 0.0  # of the gate, when it was last asked
    latency: float | None = None  # seconds until an answer, of late
    asked: dict[str, float] = field(default_factory=dict)  # seconds between requests, by the origins that want more
    at_gate: int = 0  # requests that wait with a connection at hand
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)  # who is next to make a connection,
    desk: asyncio.Lock = field(default_factory=asyncio.Lock)  # and to ask for all

    @property
    def interval(self) -> float:
        return max((self.rule.interval, *self.asked.values()))

    @property
    def pace(self) -> float:
        """Seconds between two requests, as far as is known."""
        return max(self.interval, self.known_pace)

    @property
    def usual_pace(self) -> float:
        """Seconds between two requests when as many are under way as may be; 0.0: not known."""
        at_once = self.rule.at_once
        return max(self.pace, self.latency / at_once if self.latency is not None and at_once else 0.0)

    @property
    def wait(self) -> float:
        """Seconds until the gate opens, as far as is known."""
        return max(self.opens, self.held_until) - time.monotonic()

    @property
    def held(self) -> float:
        """Seconds for which the host wants to be left alone."""
        return max(self.held_until - time.monotonic(), 0.0)

    @property
    def is_idle(self) -> bool:
        busy = self.turn.locked() or self.at_gate or (self.room is not None and self.room.locked())
        return not busy and self.wait <= 0

    def learn(self, answer: Answer) -> None:
        now = time.monotonic()
        self.known_pace = answer.pace
        self.opens = max(self.opens, now + (answer.wait or answer.pace))
        self.held_until = max(self.held_until, now + answer.held)


class Politeness:
    """The rules of one crawl, and its way to the gates.

    DOWNLOAD_DELAY and CONCURRENT_REQUESTS_PER_DOMAIN, by host DOWNLOAD_SLOTS (`delay`, `concurrency`); AUTOTHROTTLE_*;
    GATE_BY, GATE_PATIENCE.
    """

    _of: ClassVar[WeakKeyDictionary[Crawler, Politeness]] = WeakKeyDictionary()

    def __init__(self, crawler: Crawler, gates: Gates | None = None) -> None:
        settings = crawler.settings
        self._crawler = ref(crawler)
        at_once = settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN")
        self.usual = Rule(settings.getfloat("DOWNLOAD_DELAY"), at_once if at_once > 0 else None)
        self.special: dict[str, dict[str, Any]] = {
            host.removeprefix("www."): given for host, given in settings.getdict("DOWNLOAD_SLOTS").items()
        }
        self.patience = settings.getfloat("GATE_PATIENCE", 60.0)
        self.gates = gates or gates_of(settings, throttle_of(crawler))
        self._gate_at = lru_cache(MAX_DOORS)(site_of if settings.get("GATE_BY") == "site" else name_of)
        self.is_kept = False  # whether what sends the requests of this crawl passes gates,
        self.gives_back = False  # and whether one that would wait there for long is tried later by itself
        self._doors: OrderedDict[str, Door] = OrderedDict()
        self._worker, self._numbers = uuid.uuid4().hex, count()

    @classmethod
    def of(cls, crawler: Crawler) -> Politeness:
        """The one of a crawl, which its scheduler, middlewares and handlers share."""
        if crawler not in cls._of:
            cls._of[crawler] = cls(crawler)
        return cls._of[crawler]

    @property
    def is_closing(self) -> bool:
        """Whether the spider is being closed: nobody waits for requests that are not sent yet."""
        crawler = self._crawler()
        return crawler is None or is_closing(crawler)

    def gate_of(self, url: str) -> str:
        """The gate that requests to an address pass, "" for those that are sent to no host."""
        if not url.startswith(("http://", "https://")):
            return ""
        return self._gate_at(url.partition("://")[2].partition("/")[0])

    def ticket(self) -> str:
        """A name for an entry that no other has, in any process."""
        return f"{self._worker}:{next(self._numbers)}"

    def door(self, gate: str) -> Door:
        door = self._doors.get(gate)
        if door is None:
            door = self._doors[gate] = self._made(gate)
            if len(self._doors) > MAX_DOORS:
                self._forget_one()
        self._doors.move_to_end(gate)
        return door

    def _made(self, gate: str) -> Door:
        if not gate:
            return Door(Rule(0.0, None), None, met=True)
        given = self.special.get(gate, {})
        at_once = given.get("concurrency", self.usual.at_once)
        rule = Rule(float(given.get("delay", self.usual.interval)), int(at_once) if at_once else None)
        return Door(rule, asyncio.Semaphore(rule.at_once) if rule.at_once else None)

    def _forget_one(self) -> None:
        for _ in range(10):
            gate, door = next(iter(self._doors.items()))
            if door.is_idle:
                del self._doors[gate]
                return
            self._doors.move_to_end(gate)

    async def slow_down(self, origin: str, interval: float, seconds: float) -> None:
        """An origin's robots.txt asks for so many seconds between requests, from the one for it on; 0.0: for none.

        It counts for the next `seconds`, for all workers.
        """
        gate = self.gate_of(origin)
        door = self.door(gate)
        before = door.asked.pop(origin, 0.0)
        if interval > door.rule.interval:
            door.asked[origin] = interval
            door.opens = max(door.opens, time.monotonic() + interval)
        if interval or before:
            await self.gates.ask(gate, origin, interval, seconds)

    async def hold(self, gate: str, seconds: float) -> None:
        """A host asks to be left alone for so long."""
        door = self.door(gate)
        door.held_until = max(door.held_until, time.monotonic() + seconds)
        await self.gates.hold(gate, seconds)


def throttle_of(crawler: Crawler) -> Throttle | None:
    """Scrapy's settings of AutoThrottle."""
    settings = crawler.settings
    if not settings.getbool("AUTOTHROTTLE_ENABLED"):
        return None
    return Throttle(
        max(settings.getfloat("AUTOTHROTTLE_TARGET_CONCURRENCY"), 0.01),
        settings.getfloat("AUTOTHROTTLE_START_DELAY"),
        settings.getfloat("AUTOTHROTTLE_MAX_DELAY"),
    )


def name_of(place: str) -> str:
    """The host's name in `host:port`, without the port: a machine is spared as a whole. `www.` makes no other."""
    try:
        return (urlsplit(f"//{place}").hostname or "").rstrip(".").removeprefix("www.")
    except ValueError:
        return ""


def site_of(place: str) -> str:
    """The registered domain: `example.co.uk` of `shop.example.co.uk`; an address or a bare name stays as it is."""
    name = name_of(place)
    return SITES(name).top_domain_under_public_suffix or name
