"""One request's way through its host's gate."""

from __future__ import annotations

import asyncio
import time
from types import TracebackType
from typing import Self

from scrapy.exceptions import IgnoreRequest

from scraping_ai.frontier.gates import LATE, Shown
from scraping_ai.frontier.politeness import Politeness

SOON = 5.0  # seconds that a request waits here at most when it can be given back
LOOK = 0.5  # seconds after which who waits looks whether it is still worth it
MOMENT = 0.005  # seconds; what is waited for takes about that


class NotSent(IgnoreRequest):
    """A request was given up before anything of it was sent: it may be made later, in `after` seconds."""

    def __init__(self, reason: str, after: float = 0.0) -> None:
        super().__init__(reason)
        self.after = after


class Visit:
    """A context in which one request is made; its steps are called by whoever sends it.

    Raises NotSent where waiting is of no use: the spider is being closed, the host is to be left alone for longer than
    GATE_PATIENCE, or the wait would be long and the frontier can have the page tried later.
    """

    def __init__(self, politeness: Politeness, url: str) -> None:
        self.politeness, self.gate = politeness, politeness.gate_of(url)
        self.door = politeness.door(self.gate)
        self.waited = 0.0  # seconds at the gate with a connection at hand
        self._saying: asyncio.Task[None] | None = None  # that it is sent
        self._ticket: str | None = None  # of the entry that counts; a broken connection is tried again, with another

    async def __aenter__(self) -> Self:
        """Wait for the gate to open as far as this process knows, before a connection is made that could only idle."""
        if self.door.room is not None:
            await self.door.room.acquire()
        try:
            async with self.door.turn:
                while (wait := self.door.wait) > 0 or self.door.at_gate:
                    await self._wait(max(wait, MOMENT))
                self.door.opens = time.monotonic() + self.door.pace
        except BaseException:
            self._give_room()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._give_room()
        await self._leave()

    def _give_room(self) -> None:
        if self.door.room is not None:
            self.door.room.release()

    async def _leave(self) -> None:
        if self._saying is not None:
            await self._saying
            self._saying = None
        ticket, self._ticket = self._ticket, None
        if ticket is not None:
            await self.politeness.gates.leave(self.gate, ticket)

    async def enter(self) -> None:
        """Return when the request may be sent, and must be at once."""
        started = time.monotonic()
        await self._leave()  # what was sent on a connection that broke is no longer under way
        self._ticket = ticket = self.politeness.ticket()
        self.door.at_gate += 1
        try:
            async with self.door.desk:
                while wait := await self._asked(ticket):
                    await self._wait(wait)
        finally:
            self.door.at_gate -= 1
            self.waited += time.monotonic() - started

    async def _asked(self, ticket: str) -> float:
        """Seconds after which to ask again; 0.0: entered. An answer that this process slept over is none."""
        door, asked = self.door, time.monotonic()
        answer = await self.politeness.gates.enter(self.gate, ticket, door.interval, door.rule.at_once)
        door.learn(answer)
        is_late = answer.pace > 0 and time.monotonic() - asked > LATE
        return answer.wait or (MOMENT if is_late else 0.0)

    def set_out(self) -> None:
        """The request is handed to its connection. Nothing is waited for: a server may answer and close it at once."""
        self._saying = asyncio.create_task(self._say_when_sent())

    async def _say_when_sent(self) -> None:
        if self.door.pace:
            for _ in range(2):  # a body is written by the loop's next round, and uvloop writes at a round's end
                await asyncio.sleep(0)
        await self.sent()

    async def sent(self) -> None:
        """The request is out."""
        if self._ticket is not None:
            await self.politeness.gates.sent(self.gate, self._ticket)

    async def answered(self, latency: float, shown: Shown) -> None:
        """The host took `latency` seconds to answer, or to fail."""
        self.door.latency = latency if self.door.latency is None else (self.door.latency + latency) / 2
        await self.politeness.gates.observe(self.gate, latency, shown)

    async def _wait(self, seconds: float) -> None:
        if self.politeness.is_closing:
            raise NotSent("the job is ending")
        held, patience = self.door.held, self.politeness.patience
        if held > (min(SOON, patience) if self.politeness.gives_back else patience):
            raise NotSent(f"the host asks to be left alone for {held:.0f} s", held)
        if seconds > SOON and self.politeness.gives_back:
            raise NotSent(f"the host gets its next request in {seconds:.0f} s", seconds)
        await asyncio.sleep(min(seconds, LOOK))
