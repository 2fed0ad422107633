"""What robots.txt files say, kept within bounds: the files are the sites' own, and some are meant to hurt."""

from __future__ import annotations

import math
import re
from collections import OrderedDict
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy.robotstxt import RobotParser

MAX_BYTES = 500 * 1024  # of a robots.txt that are parsed: the least that RFC 9309, 2.5, allows
MAX_RULES = 250_000  # of one file, as `count_rules` counts: 28 KB can hold a million, which take seconds and 70 MB
MAX_CACHED_RULES = 500_000  # of all files together: about 200 MB at worst

AGENT_LINE = re.compile(r"\s*user[\s-]*agent", re.IGNORECASE)
RULE_LINE = re.compile(r"\s*(?:(?:dis)?allow|crawl-delay)\s*:", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of asking an origin for its robots.txt; as it stands here, everything is allowed."""

    parser: RobotParser | None = None
    rules: int = 0  # that `parser` holds, as `count_rules` counts
    unreadable: str | None = None  # why there is none: nothing may be fetched
    site_down: Exception | None = None  # no page can be fetched either: this is their error

    @property
    def final(self) -> bool:
        return self.unreadable is None and self.site_down is None


class VerdictCache:
    """Verdicts by origin until they expire, bounded in number and in rules; the least recently used go first."""

    def __init__(self, max_origins: int) -> None:
        self._max_origins = max_origins
        self._held: OrderedDict[str, tuple[Verdict, float]] = OrderedDict()
        self._rules = 0

    def get(self, origin: str) -> Verdict | None:
        verdict, expires = self._held.get(origin, (None, 0.0))
        if verdict is None or expires <= monotonic():
            return None
        self._held.move_to_end(origin)
        return verdict

    def put(self, origin: str, verdict: Verdict, ttl: float) -> None:
        """Keep a verdict for `ttl` seconds."""
        if origin in self._held:
            self._rules -= self._held.pop(origin)[0].rules
        self._held[origin] = verdict, monotonic() + ttl
        self._rules += verdict.rules
        while len(self._held) > self._max_origins or self._rules > MAX_CACHED_RULES:
            self._rules -= self._held.popitem(last=False)[1][0].rules


def interval_of(verdict: Verdict, agent: str) -> float:
    """Seconds between requests that a file asks for by Crawl-delay or Request-rate, the longer one; 0.0: none.

    Request-rate's time of day is not looked at: it holds all day.
    """
    if verdict.parser is None:
        return 0.0
    delay = verdict.parser.crawl_delay(agent) or 0.0
    rated = getattr(getattr(verdict.parser, "rp", None), "request_rate", None)  # Protego's; Scrapy does not pass it on
    rate = rated(agent) if rated is not None else None
    spread = rate.seconds / rate.requests if rate is not None and rate.requests else 0.0
    return max(0.0, *(wish for wish in (delay, spread) if not math.isnan(wish)))


def parsed_part(body: bytes) -> bytes:
    """The first `MAX_BYTES`, without a line cut in two, which could forbid more than it was meant to."""
    if len(body) <= MAX_BYTES:
        return body
    head = body[:MAX_BYTES]
    return head[: max(head.rfind(b"\n"), head.rfind(b"\r")) + 1]


def count_rules(text: str) -> int:
    """How many rules a parser holds at most, and so its time: a line counts once for each agent of its group."""
    rules = agents = 0
    in_rules = False
    for line in text.splitlines():
        if AGENT_LINE.match(line):
            agents = 1 if in_rules else agents + 1
            in_rules = False
        elif RULE_LINE.match(line):
            in_rules = True
        rules += agents
    return rules
