"""Calls that wait for a worker are sent to it together: what each call costs beside its work is paid once for all."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Generic, TypeVar, cast

T = TypeVar("T")
R = TypeVar("R")

MOST = 8  # together: a slow one holds up the others


class Batches(Generic[T, R]):
    """`together` answers several at once, `single` one; so many of them as there are `workers` run at a time.

    Where several fail together, whichever was to blame, each is tried again by itself.
    """

    def __init__(
        self, together: Callable[[list[T]], Awaitable[list[R]]], single: Callable[[T], Awaitable[R]], workers: int
    ) -> None:
        self._together, self._single, self._workers = together, single, workers
        self._waiting: deque[tuple[T, asyncio.Future[R]]] = deque()
        self._running: set[asyncio.Task[None]] = set()

    async def answer(self, asked: T) -> R:
        """The answer to one, or what `single` raises for it."""
        answer: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._waiting.append((asked, answer))
        if len(self._running) < self._workers:
            self._running.add(asyncio.create_task(self._run()))
        return await answer

    async def _run(self) -> None:
        try:
            while self._waiting:
                share = -(-len(self._waiting) // self._workers)
                await self._answer_all([self._waiting.popleft() for _ in range(min(share, MOST))])
        finally:  # in one step with the look for more: a callback would come after a call that relies on this
            self._running.discard(cast("asyncio.Task[None]", asyncio.current_task()))

    async def _answer_all(self, batch: list[tuple[T, asyncio.Future[R]]]) -> None:
        if len(batch) > 1:
            with suppress(Exception):
                answers = await self._together([asked for asked, _ in batch])
                for (_, future), answer in zip(batch, answers, strict=True):
                    if not future.done():  # cancelled
                        future.set_result(answer)
                return
        for asked, future in batch:
            try:
                answer = await self._single(asked)
            except Exception as error:  # noqa: BLE001  # whoever asked gets it
                if not future.done():
                    future.set_exception(error)
            else:
                if not future.done():
                    future.set_result(answer)
