"""A worker holds while its backend is away, and says so once."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

logger = logging.getLogger(__name__)

T = TypeVar("T")

FIRST, LONGEST = 0.1, 30.0  # seconds between two attempts


class Hold:
    """What all attempts of one worker share; `away` are the errors that pass."""

    def __init__(self, away: tuple[type[Exception], ...] = ()) -> None:
        self.away = away
        self._is_away = False

    async def __call__(self, work: Callable[[], Awaitable[T]], longest: float = LONGEST) -> T:
        """Do it; when the backend is away wait, `longest` seconds at most, and try again for as long as it takes."""
        wait = FIRST
        while True:
            try:
                result = await work()
            except self.away as error:
                if not self._is_away:
                    logger.warning("the frontier is away, work is held: %s", error)
                self._is_away = True
                await asyncio.sleep(wait * random.uniform(0.5, 1.0))  # noqa: S311
                wait = min(2 * wait, max(longest, FIRST))
            else:
                if wait > FIRST and self._is_away:
                    logger.warning("the frontier is back")
                    self._is_away = False
                return result
