"""What hosts needed: by which rung a page is tried first, and whether the next one is worth its cost.

Counts rather than a flag, of each rung on each shape of address: it was enough (`good`), the page needed its scripts
(`js`), or somebody stood in the way (`hard`). They fade with time and are bounded, so a site that changes is soon
believed. The estimates are the means of Beta distributions; a shape's prior is what is known of its host.
"""

from __future__ import annotations

import re
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from urllib.parse import urlsplit

from scraping_ai.middlewares.classify import Kind

# A rung is passed over where its chance to fail is higher. With a rung that costs five times the one before, that is
# where trying the cheaper one first begins to cost more: p > 1 - 1 / 5.
LIKELY = 0.8
PRIOR = 0.1  # good and bad pages that a host is thought to have had: one page then decides until a second one does
FROM_HOST = 0.5  # pages that what is known of the host counts on one of its shapes
MOST = 20.0  # pages that count of a rung on a shape: more would take as many to unlearn
PROBE = 20  # pages by a dearer rung after which one is spent on the cheaper one
PROBED = 5.0  # pages that such a one counts: it stands for those that were not tried
MAX_HOSTS = 10_000
MAX_COUNTS = 600  # of one host; what further shapes show is the host's
MAX_SHAPE = 100  # characters

FAILED = {Kind.JS_SHELL: "js", Kind.BLOCKED: "hard", Kind.CAPTCHA: "hard"}
SLUG = re.compile(r"[^/]*[-_%.~+][^/]*|[^/]{25,}")
NUMBER = re.compile(r"[^/]*\d[^/]*")


def shape_of(url: str) -> str:
    """What addresses of one template share: `/p/*?id` of `/p/red-shoe-7?id=3`."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    path = SLUG.sub("*", NUMBER.sub("*", parts.path[: 10 * MAX_SHAPE]))
    names = sorted({pair.partition("=")[0] for pair in parts.query[: 10 * MAX_SHAPE].split("&") if pair})
    return (path + ("?" + "&".join(names) if names else "")).replace(" ", "_")[:MAX_SHAPE]


@dataclass(slots=True)
class Host:
    """What is known of a host: `counts` by rung, what came and shape (the host as a whole: ""), as they were `at`."""

    counts: dict[str, float] = field(default_factory=dict)
    at: float = 0.0
    passed_over: dict[str, int] = field(default_factory=dict)  # pages since a rung was last tried on a shape


class Memory:
    """`half_life`: seconds after which a page counts half."""

    is_shared = False

    def __init__(self, half_life: float, clock: Callable[[], float] = time.time) -> None:
        self.half_life, self.clock = half_life, clock
        self.hosts: OrderedDict[str, Host] = OrderedDict()  # of which a page failed
        self._well: dict[str, int] = {}  # pages that were had by the cheapest way on other hosts

    def first(self, host: str, url: str, rungs: Sequence[str]) -> tuple[str, bool]:
        """The rung to begin with, and whether that is a probe of one that most likely fails."""
        known = self.hosts.get(host)
        if known is None:
            return rungs[0], False
        shape = shape_of(url)
        chosen = next((rung for rung in rungs if self._fails(known, rung, shape) <= LIKELY), rungs[0])
        for rung in rungs[: rungs.index(chosen)]:
            if not self._is_told(known, rung, shape) and self._is_due(known, rung, shape):
                return rung, True
        return chosen, False

    def is_worth(self, host: str, url: str, rung: str) -> bool:
        """Whether a page that another rung did not give is tried by this one."""
        known = self.hosts.get(host)
        if known is None:
            return True
        shape = shape_of(url)
        return self._fails(known, rung, shape) <= LIKELY or self._is_due(known, rung, shape)

    def note(self, host: str, url: str, rung: str, kind: Kind, *, probe: bool = False) -> list[tuple[str, float]]:
        """Count what came of a page by a rung; the counts that grew, with by how much."""
        came = FAILED.get(kind, "good")
        known = self.hosts.get(host)
        if known is None:
            if came == "good":
                self._note_well(host)
                return []
            known = self._met(host, rung)
        shape = shape_of(url)
        weight = PROBED if probe and came == "good" else 1.0
        shapes = ("",) if len(known.counts) >= MAX_COUNTS else ("", shape)
        grown = [(f"{rung} {came} {place}", weight) for place in shapes]
        self._fade(known)
        for name, more in grown:
            known.counts[name] = known.counts.get(name, 0.0) + more
            self._bound(known, name)
        self.hosts.move_to_end(host)
        return grown

    def note_raw(self, host: str, url: str, rung: str, kind: Kind) -> list[tuple[str, float]]:
        """Count what the document of a dearer rung shows of a cheaper one: whether that would have been enough.

        Not where the cheaper one was turned away: a browser that is let in shows nothing of it.
        """
        known = self.hosts.get(host)
        if kind == Kind.OK and known is not None and not self._is_told(known, rung, shape_of(url)):
            return []
        return self.note(host, url, rung, kind)

    def learn(self, host: str, counts: Mapping[str, float]) -> None:
        """Take over what others know of a host, as of now."""
        sound = {name: n for name, n in islice(counts.items(), MAX_COUNTS) if 0 <= n <= MOST and name.count(" ") >= 2}
        if sound:
            known = self.hosts.get(host) or self._met(host, "http")
            known.counts, known.at = sound, self.clock()

    async def heed(self, host: str) -> None:
        """Hear what others know of a host before it is asked for a page."""

    async def close(self) -> None:
        """Hand on what others are to know."""

    def _note_well(self, host: str) -> None:
        self._well[host] = self._well.get(host, 0) + 1
        if len(self._well) > MAX_HOSTS:
            del self._well[next(iter(self._well))]

    def _met(self, host: str, rung: str) -> Host:
        known = self.hosts[host] = Host(at=self.clock())
        if well := self._well.pop(host, 0):
            known.counts[f"{rung} good "] = min(float(well), MOST)
        if len(self.hosts) > MAX_HOSTS:
            self.hosts.popitem(last=False)
        return known

    def _faded(self, known: Host) -> float:
        return float(0.5 ** (max(self.clock() - known.at, 0.0) / self.half_life))

    def _fade(self, known: Host) -> None:
        by = self._faded(known)
        known.counts = {name: n * by for name, n in known.counts.items() if n * by > PRIOR / 10}
        known.at = self.clock()

    def _bound(self, known: Host, name: str) -> None:
        rung, _, shape = name.split(" ", 2)
        names = [f"{rung} {came} {shape}" for came in ("good", "js", "hard")]
        total = sum(known.counts.get(each, 0.0) for each in names)
        if total > MOST:
            for each in names:
                if each in known.counts:
                    known.counts[each] *= MOST / total

    def _seen(self, known: Host, rung: str, shape: str) -> tuple[float, float, float]:
        by = self._faded(known)
        get = known.counts.get
        return (
            by * get(f"{rung} good {shape}", 0.0),
            by * get(f"{rung} js {shape}", 0.0),
            by * get(f"{rung} hard {shape}", 0.0),
        )

    def _fails(self, known: Host, rung: str, shape: str) -> float:
        """The chance that a rung does not give a page of a shape."""
        good, js, hard = self._seen(known, rung, "")
        whole = (js + hard + PRIOR) / (good + js + hard + 2 * PRIOR)
        good, js, hard = self._seen(known, rung, shape)
        return (js + hard + FROM_HOST * whole) / (good + js + hard + FROM_HOST)

    def _is_told(self, known: Host, rung: str, shape: str) -> bool:
        """Whether the pages of the next rung tell, for nothing, when this one is enough again."""
        _, js, hard = self._seen(known, rung, shape)
        if not js + hard:
            _, js, hard = self._seen(known, rung, "")
        return rung == "http" and js >= hard

    def _is_due(self, known: Host, rung: str, shape: str) -> bool:
        """Whether a rung that is passed over is to be tried; counts that it was not."""
        name = f"{rung} {shape}"
        passed = known.passed_over.get(name, 0) + 1
        if passed <= PROBE:
            if name in known.passed_over or len(known.passed_over) < MAX_COUNTS:
                known.passed_over[name] = passed
            return False
        known.passed_over[name] = 0
        return True
