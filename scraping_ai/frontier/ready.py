"""Leases fetched ahead, handed out when their host's gate is open: what could only wait takes no place of others."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from heapq import heapify, heappop, heappush
from typing import Protocol

from scraping_ai.frontier.politeness import Door, Rule
from scraping_ai.frontier.protocol import Lease

HORIZON = 4.0  # seconds of work on a host that are held here
LEAD = 0.02  # seconds before its gate opens the next request sets out
UNTRIED = 16  # leases that are held of a host that has not answered yet,
LATER = 0.25  # and after so many seconds is looked at again


class Doors(Protocol):
    """What is known of gates: Politeness."""

    def gate_of(self, url: str) -> str: ...

    def door(self, gate: str) -> Door: ...


class NoDoors:
    """For crawls whose requests pass no gates."""

    def __init__(self) -> None:
        self._door = Door(Rule(0.0, None), None, met=True)

    def gate_of(self, url: str) -> str:
        return ""

    def door(self, gate: str) -> Door:
        return self._door


class Place(Enum):
    """Where a line is looked for."""

    NOWHERE = "nowhere"  # nobody waits in it
    OPEN = "open"  # as far as was known when it was last looked at
    CLOSED = "closed"  # until a known time
    FULL = "full"  # until one under way has left


@dataclass(slots=True)
class Line:
    """Who waits for one gate, and is on the way to it."""

    leases: deque[Lease] = field(default_factory=deque)
    under_way: int = 0
    due: float = 0.0  # when the next may set out
    place: Place = Place.NOWHERE


class Ready:
    """Lines by gate, which take turns."""

    def __init__(self, doors: Doors | None = None) -> None:
        self._doors = doors or NoDoors()
        self._lines: dict[str, Line] = {}
        self._open: deque[str] = deque()
        self._closed: list[tuple[float, str]] = []
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Lease]:
        for line in self._lines.values():
            yield from line.leases

    @property
    def available(self) -> int:
        """How many there are that wait for no gate, as far as is known."""
        return sum(len(self._lines[gate].leases) for gate in self._open)

    @property
    def opens_in(self) -> float | None:
        """Seconds until the next gate opens for which somebody waits; None: it takes another's leaving."""
        return max(self._closed[0][0] - time.monotonic(), 0.0) if self._closed else None

    def put(self, lease: Lease) -> None:
        gate = self._doors.gate_of(lease.url)
        line = self._line(gate)
        line.leases.append(lease)
        self._size += 1
        if line.place is Place.NOWHERE:
            self._move(gate, line, Place.OPEN)

    def take(self) -> Lease | None:
        """One whose gate is open; it counts as under way until `done`."""
        now = time.monotonic()
        while self._closed and self._closed[0][0] <= now:
            gate = heappop(self._closed)[1]
            self._move(gate, self._lines[gate], Place.OPEN)
        for _ in range(len(self._open)):
            gate = self._open.popleft()
            line, door = self._lines[gate], self._doors.door(gate)
            if line.under_way >= _most(door):
                self._move(gate, line, Place.FULL)
            elif (opens := self._opens(line, door, now)) > now + LEAD:
                line.place = Place.CLOSED
                heappush(self._closed, (opens - LEAD, gate))
            else:
                return self._taken(gate, line, max(now, opens) + door.pace)
        return None

    def _opens(self, line: Line, door: Door, now: float) -> float:
        return max(line.due, now + door.wait, now)

    def _taken(self, gate: str, line: Line, due: float) -> Lease:
        lease = line.leases.popleft()
        line.under_way += 1
        line.due = due
        self._size -= 1
        self._move(gate, line, Place.OPEN if line.leases else Place.NOWHERE)
        return lease

    def set_out(self, url: str) -> str:
        """The gate of a request that is under way and was not taken from here; to be told when it is `done`."""
        gate = self._doors.gate_of(url)
        self._line(gate).under_way += 1
        return gate

    def done(self, gate: str) -> None:
        """A request has its answer, or needs none any more."""
        line = self._lines.get(gate)
        if line is None:
            return
        self._doors.door(gate).met = True
        line.under_way = max(line.under_way - 1, 0)
        if line.place is Place.FULL:
            self._move(gate, line, Place.OPEN)

    def gate_of(self, lease: Lease) -> str:
        return self._doors.gate_of(lease.url)

    def keep(self, wanted: Callable[[Lease], bool]) -> None:
        """Drop all others."""
        for line in self._lines.values():
            line.leases = deque(lease for lease in line.leases if wanted(lease))
        self._size = sum(len(line.leases) for line in self._lines.values())
        self._tidy()

    def _tidy(self) -> None:
        """Forget lines in which nobody waits, and which nobody needs to go by."""
        now = time.monotonic()
        for gate, line in [*self._lines.items()]:
            if line.leases:
                continue
            line.place = Place.NOWHERE
            if not line.under_way and line.due <= now:
                del self._lines[gate]
        self._open = deque(gate for gate in self._open if self._is_in(gate, Place.OPEN))
        self._closed = [(opens, gate) for opens, gate in self._closed if self._is_in(gate, Place.CLOSED)]
        heapify(self._closed)

    def _is_in(self, gate: str, place: Place) -> bool:
        line = self._lines.get(gate)
        return line is not None and line.place is place

    def trim(self) -> tuple[list[Lease], dict[str, float]]:
        """What is held here of hosts beyond what can be sent soon, taken out.

        With it the hosts of which nothing is wanted now, and for how many seconds.
        """
        surplus: list[Lease] = []
        pauses: dict[str, float] = {}
        for gate in [gate for gate, line in self._lines.items() if line.leases]:
            line = self._lines[gate]
            most, seconds = self._useful(gate, line)
            if len(line.leases) <= most:
                continue
            pauses |= dict.fromkeys((lease.host for lease in line.leases), seconds)
            surplus += [line.leases.pop() for _ in range(len(line.leases) - most)]
        self._size -= len(surplus)
        self._tidy()
        return surplus, pauses

    def _useful(self, gate: str, line: Line) -> tuple[int, float]:
        """How many leases of a line can be sent soon, and after how many seconds more of them are wanted."""
        door, now = self._doors.door(gate), time.monotonic()
        wait = self._opens(line, door, now) - now
        if wait > HORIZON:
            return 0, wait - HORIZON / 2
        if door.usual_pace:
            most = int((HORIZON - max(wait, 0.0)) / door.usual_pace) + 1
            return most, max(wait + most * door.usual_pace - HORIZON / 2, LATER)
        if not door.met and line.place is Place.FULL:
            return UNTRIED, LATER
        return len(line.leases), 0.0

    def _line(self, gate: str) -> Line:
        line = self._lines.get(gate)
        if line is None:
            line = self._lines[gate] = Line()
        return line

    def _move(self, gate: str, line: Line, place: Place) -> None:
        line.place = place
        if place is Place.OPEN:
            self._open.append(gate)


def _most(door: Door) -> float:
    """How many requests may be under way to a gate: until something came of the first, its robots.txt is not known."""
    if not door.met:
        return 1
    return math.inf if door.rule.at_once is None else door.rule.at_once
