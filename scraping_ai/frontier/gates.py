"""A host's gate: how soon after one request the next may be sent, and how many may be under way at once.

The rule is the generic cell rate algorithm (ITU-T I.371, 1996) with no tolerance for bursts: who asks before the
interval is over is told how long to wait. It is counted from the sending, not from the grant: whoever has entered a
gate with an interval keeps it closed until the request is out.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple, Protocol

# Seconds added to every interval: requests do not all take equally long from the gate to the server, and the interval
# is a promise about the server's side.
MARGIN = 0.01
SENDING = 2.0  # seconds after which who entered and sent nothing is taken to be gone
LATE = SENDING / 4  # seconds after which whoever has entered, and not sent, has to ask again
FULL_WAIT = 0.05  # seconds until a host with the most at once under way is looked at again
FIRST_BACKOFF = 1.0  # seconds between requests to a host in trouble, at least
MAX_HOSTS = 100_000  # remembered by one process
MAX_ORIGINS = 100  # of one gate whose wishes are remembered: a site's subdomains may share it


class Answer(NamedTuple):
    """What a gate says."""

    wait: float  # 0.0: entered; else seconds after which to ask again
    pace: float  # seconds from one entry to the next, as things stand
    held: float = 0.0  # seconds for which a host has asked to be left alone


class Shown(Enum):
    """What an answer shows of a host."""

    WELL = "well"
    PLAIN = "plain"  # an error page or a redirect: quick to make, so it says nothing of how quick pages are
    TROUBLE = "trouble"  # the host may have more to do than it can


class Throttle(NamedTuple):
    """How the pace follows what a host shows (Scrapy's AutoThrottle): `target` requests are under way on average."""

    target: float
    start: float  # seconds between requests before anything is known
    longest: float  # seconds between requests at most

    def followed(self, delay: float, latency: float, shown: Shown) -> float:
        """The delay after an answer: a slower host is believed at once, a faster one by halves."""
        target = latency / self.target
        wanted = min(max(target, (delay + target) / 2), self.longest)
        return wanted if shown is Shown.WELL else max(wanted, delay)

    def backed_off(self, pace: float) -> float:
        """The delay after trouble."""
        return max(min(max(2 * pace, FIRST_BACKOFF), self.longest), pace)


class Gates(Protocol):
    """The gates of all hosts; times in seconds. `visit` names one request at a gate: a call made twice counts once."""

    async def enter(self, gate: str, visit: str, interval: float, at_once: int | None) -> Answer:
        """Ask to send one request now. Whoever has entered sends at once, says so by `sent`, and leaves.

        Who could not send within LATE seconds of asking asks again: others may have entered since.
        """
        ...

    async def sent(self, gate: str, visit: str) -> None:
        """The request is on its way: the interval begins."""
        ...

    async def leave(self, gate: str, visit: str) -> None:
        """The request has been answered, or given up. Who did not enter may leave, too."""
        ...

    async def hold(self, gate: str, seconds: float) -> None:
        """Let nobody in for so long: a host has asked for it."""
        ...

    async def ask(self, gate: str, origin: str, interval: float, seconds: float) -> None:
        """An origin wants `interval` seconds between requests from everybody, for the next `seconds`."""
        ...

    async def observe(self, gate: str, latency: float, shown: Shown) -> None:
        """A host answered after `latency`, or failed to."""
        ...

    async def close(self) -> None: ...


@dataclass(slots=True)
class State:
    """What is known of a gate; times are the clock's."""

    last: float = -math.inf  # somebody entered, or sent a request
    pace: float = 0.0  # seconds after it that are kept free
    held: float = -math.inf  # until then nobody enters
    inside: set[str] = field(default_factory=set)
    sending: str | None = None  # who has entered and not sent yet
    asked: dict[str, tuple[float, float]] = field(default_factory=dict)  # by origin: interval, and until when it holds
    delay: float | None = None  # that the throttle wants
    patient: float = -math.inf  # until then further trouble is the same one


PROCESS: OrderedDict[str, State] = OrderedDict()  # shared by all crawls of this process


class LocalGates:
    """Gates that all crawls of one process share."""

    def __init__(
        self,
        throttle: Throttle | None = None,
        states: OrderedDict[str, State] = PROCESS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.throttle, self.clock = throttle, clock
        self._states = states

    async def enter(self, gate: str, visit: str, interval: float, at_once: int | None) -> Answer:
        state, now = self._state(gate), self.clock()
        pace = max(interval, self._asked(state, now), self._delay(state))
        if visit in state.inside:
            return Answer(0.0, pace)
        wait = self._wait(state, now, pace, at_once)
        if wait <= 0:
            state.inside.add(visit)
            state.pace, state.sending, state.last = pace, visit if pace else None, now
        return Answer(max(wait, 0.0), pace, max(state.held - now, 0.0))

    def _wait(self, state: State, now: float, pace: float, at_once: int | None) -> float:
        if state.sending is not None and now < state.last + SENDING:
            return max(pace, state.pace, state.held - now) + MARGIN
        kept = max(pace, state.pace)  # those that ask for more than we do get it after their own requests, too
        wait = max(state.last + kept + MARGIN if kept else 0.0, state.held) - now
        return FULL_WAIT if wait <= 0 and at_once is not None and len(state.inside) >= at_once else wait

    async def sent(self, gate: str, visit: str) -> None:
        self._sent(self._state(gate), visit)

    def _sent(self, state: State, visit: str) -> None:
        if state.sending == visit:
            state.sending, state.last = None, self.clock()

    async def leave(self, gate: str, visit: str) -> None:
        state = self._state(gate)
        state.inside.discard(visit)
        self._sent(state, visit)  # when nobody has said so, some of it may be

    async def hold(self, gate: str, seconds: float) -> None:
        state = self._state(gate)
        state.held = max(state.held, self.clock() + seconds)

    async def ask(self, gate: str, origin: str, interval: float, seconds: float) -> None:
        state, now = self._state(gate), self.clock()
        state.asked.pop(origin, None)
        if interval > 0:
            state.asked[origin] = interval, now + seconds
        if len(state.asked) > MAX_ORIGINS:
            del state.asked[min(state.asked, key=state.asked.__getitem__)]

    async def observe(self, gate: str, latency: float, shown: Shown) -> None:
        if self.throttle is None:
            return
        state, now = self._state(gate), self.clock()
        if shown is not Shown.TROUBLE:
            state.delay = self.throttle.followed(self._delay(state), latency, shown)
        elif now >= state.patient:
            state.delay = self.throttle.backed_off(max(self._delay(state), state.pace))
            state.patient = now + state.delay

    async def close(self) -> None:
        """The states stay: other crawls of this process go by them."""

    def _asked(self, state: State, now: float) -> float:
        return max((interval for interval, until in state.asked.values() if until > now), default=0.0)

    def _delay(self, state: State) -> float:
        if self.throttle is None:
            return 0.0
        return self.throttle.start if state.delay is None else min(state.delay, self.throttle.longest)

    def _state(self, gate: str) -> State:
        state = self._states.get(gate)
        if state is None:
            state = self._states[gate] = State()
            if len(self._states) > MAX_HOSTS:
                self._forget_one()
        self._states.move_to_end(gate)
        return state

    def _forget_one(self) -> None:
        """Forget the gate that was not asked for longest and that nothing waits for."""
        now = self.clock()
        for _ in range(10):
            gate, state = next(iter(self._states.items()))
            if not state.inside and max(state.last + state.pace, state.held) <= now:
                del self._states[gate]
                return
            self._states.move_to_end(gate)
