"""How requests and addresses become links: each once, as far as one process knows."""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Iterable, Sequence

from scrapy import Request, Spider
from scrapy.settings import BaseSettings
from scrapy.statscollectors import StatsCollector

from scraping_ai.frontier.fingerprint import Fingerprinter
from scraping_ai.frontier.protocol import Lease, Link
from scraping_ai.frontier.requests import NotJson, to_json
from scraping_ai.frontier.scope import host_of

logger = logging.getLogger(__name__)

KNOWN = 100_000  # fingerprints remembered here, so that most links that are no news never reach the backend
NAMED = 10  # requests that only this process can hold, each in a line of the log
LARGEST = 2**31 - 1  # priority or depth


class Intake:
    """Fingerprints what is offered, and keeps what no JSON holds. FRONTIER_TRACKING_PARAMETERS."""

    def __init__(self, settings: BaseSettings, stats: StatsCollector) -> None:
        self.stats = stats
        self.fingerprints = Fingerprinter(settings.getlist("FRONTIER_TRACKING_PARAMETERS"))
        self.here: deque[Request] = deque()  # requests that only this process can hold,
        self.later = 0  # and so many more that wait for a gate
        self.tells_tasks_apart = False
        self._known: dict[int, dict[int, None]] = {}  # by task, the one last heard of last
        self._size = 0
        self._known_here: set[int] = set()
        self._seeds: Counter[int] = Counter()
        self._named = 0

    def task_of(self, lease: Lease | None) -> int:
        """By what the task of a lease is told from others here."""
        return lease.task_id if lease is not None and self.tells_tasks_apart else 0

    def learn(self, links: Iterable[Link], task: int = 0) -> None:
        """The frontier has these links."""
        known = self._known[task] = self._known.pop(task, {})
        before = len(known)
        known |= dict.fromkeys(link.fingerprint for link in links if link.fingerprint is not None)
        self._size += len(known) - before
        while self._size > KNOWN:
            oldest, numbers = next(iter(self._known.items()))
            if numbers:
                del numbers[next(iter(numbers))]
                self._size -= 1
            else:
                del self._known[oldest]

    def unlearn(self) -> None:
        """The frontier may have some of the links no more."""
        self._known.clear()
        self._size = 0

    def is_known(self, number: int, task: int = 0) -> bool:
        return number in self._known.get(task, ()) or number in self._known_here

    def number_of(self, request: Request) -> int:
        return self.fingerprints.of_request(request.url, request.method, request.body)

    def is_same(self, url: str, other: str) -> bool:
        return self.fingerprints.of_url(url) == self.fingerprints.of_url(other)

    def links_of(self, urls: Sequence[str], depth: int, task: int = 0) -> list[Link]:
        """Of addresses, those that may be news to a task."""
        numbers = ((url, self.fingerprints.of_url(url)) for url in urls)
        return [Link(url, number, host_of(url), depth) for url, number in numbers if not self.is_known(number, task)]

    def link_of(self, request: Request, spider: Spider, *, seed: bytes | None = None, task: int = 0) -> Link | None:
        """Of a request; None for one whose address is known. Raises NotJson.

        `seed` names a request that passes the filter, though only once; b"" stands for what the request says.
        """
        number = None
        if not request.dont_filter and self.is_known(number := self.number_of(request), task):
            return None
        depth = request.meta.get("depth", 0)
        if not (_is_within(depth, 0) and _is_within(request.priority, -LARGEST)):
            raise NotJson(f"priority {request.priority!r:.40} and depth {depth!r:.40} are no whole numbers of 32 bits")
        said = to_json(request, spider)
        if number is None and seed is not None:
            number = self._named_number(request, seed) if seed else self._seed_number(request, said)
        return Link(request.url, number, host_of(request.url), depth, request.priority, said)

    def _seed_number(self, request: Request, said: str | None) -> int:
        """Seeds pass the filter, but each only once: not again with each start, nor with each worker of a fleet.

        The n-th time that a spider gives the same seed is another each time, and links to its page are no duplicates.
        """
        name = b"\0".join((b"seed", (said or "").encode(), request.body))
        self._seeds[number := self._named_number(request, name)] += 1
        return self._named_number(request, name + b"\0%d" % self._seeds[number])

    def _named_number(self, request: Request, name: bytes) -> int:
        return self.fingerprints.of_request(request.url, request.method, name)

    def keep_here(self, request: Request, error: NotJson) -> None:
        """Keep a request in memory alone."""
        self.here.append(request)
        if not request.dont_filter:
            self._known_here.add(self.number_of(request))
        self.say(request, error, "kept in memory, and lost if this process ends")

    def say(self, request: Request, error: NotJson, what: str) -> None:
        """Count a request that no JSON holds, and name it in the log if it is one of the first."""
        self.stats.inc_value("scheduler/unserializable")
        self._named += 1
        if self._named <= NAMED:
            logger.warning("%s is %s: %s", request, what, error)
        if self._named == NAMED:
            logger.warning("further ones are counted only, as scheduler/unserializable")


def _is_within(value: object, least: int) -> bool:
    return isinstance(value, int) and least <= value <= LARGEST
