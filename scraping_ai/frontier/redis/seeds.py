"""Seeds that others put into Redis, as scrapy-redis reads them: a list, a set or a sorted set under a key of their own.

A seed that was taken stands beside them, under `KEY:taking`, until the frontier has it: a worker that is killed in
between loses none. What is no seed goes to the list `KEY:refused`, the last thousand of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from redis.asyncio import Redis
from redis.exceptions import RedisError, ResponseError

from scraping_ai.frontier.protocol import FrontierAway, FrontierError
from scraping_ai.frontier.redis.scripts import load

GONE = 60.0  # seconds until a worker that took a seed and said nothing counts as gone
REFUSED = 1_000  # that are kept


class Form(StrEnum):
    """How seeds are put there; of a list its head is read first, of a sorted set the highest score."""

    LIST = "list"
    SET = "set"
    ZSET = "zset"


class SeedSource:
    """Takes seeds from under `key`. Methods raise FrontierAway, to be called again, or FrontierError."""

    def __init__(self, client: Redis, key: str, form: Form, gone: float = GONE) -> None:
        self.client, self.key, self.form, self.gone = client, key, form, gone
        self._take = load("take_seeds")

    async def take(self, n: int) -> list[bytes]:
        """At most n seeds, each with a number in front that no other has."""
        keys = (self.key, f"{self.key}:taking")
        try:
            return list(await self.client.eval(self._take.text, 2, *keys, self.form.value, n, self.gone))
        except ResponseError as error:
            if "WRONGTYPE" in str(error):
                raise FrontierError(f"what stands under {self.key} in Redis is no {self.form}") from None
            raise FrontierAway(str(error)) from error
        except (RedisError, OSError) as error:
            raise FrontierAway(f"{type(error).__name__}: {error}") from error

    async def done(self, taken: Sequence[bytes], refused: Sequence[bytes]) -> None:
        """The frontier has these, or they are none."""
        try:
            async with self.client.pipeline(transaction=True) as pipe:
                if refused:
                    pipe.lpush(f"{self.key}:refused", *(seed_of(one) for one in refused))
                    pipe.ltrim(f"{self.key}:refused", 0, REFUSED - 1)
                pipe.zrem(f"{self.key}:taking", *taken)
                await pipe.execute()
        except (RedisError, OSError) as error:
            raise FrontierAway(f"{type(error).__name__}: {error}") from error

    async def close(self) -> None:
        await self.client.aclose()


def seed_of(taken: bytes) -> bytes:
    """What was put there."""
    return taken.partition(b":")[2]
