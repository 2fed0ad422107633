"""Calls of scripts: each has its effect once, however often a broken connection has it sent.

A client numbers its calls, and the server keeps the answer to its last call of each kind (scripts/parts/once.lua). A
call that ends in an error may have been made all the same: repeated with the same arguments it keeps its number.
"""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import (
    AuthenticationError,
    AuthorizationError,
    ClusterDownError,
    ConnectionError,  # noqa: A004
    MasterDownError,
    NoScriptError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisError,
    ResponseError,
    TimeoutError,  # noqa: A004
    TryAgainError,
)

from scraping_ai.frontier.protocol import FrontierAway, FrontierError
from scraping_ai.frontier.redis.entries import Argument
from scraping_ai.frontier.redis.scripts import Script, load

logger = logging.getLogger(__name__)

# What a server answers that cannot work now, but may later. redis-py makes classes of some of it, without the word; of
# what a script ended in, the word may stand in the middle.
PASSING_ERRORS = (ClusterDownError, MasterDownError, ReadOnlyError, TryAgainError)
PASSING = re.compile(r"\b(LOADING|BUSY|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|MISCONF|NOREPLICAS)\b")
FULL_CODE = re.compile(r"\bOOM\b")
FULL = "Redis is full (maxmemory reached, noeviction): nothing is added until it has room"

DAMAGED = "somebody deleted or replaced the key {} in Redis: what it counted is gone, begin a frontier anew"

PARTING = 1.0  # seconds: they go by themselves after a day
EVICTS = "Redis throws entries away when it is full (maxmemory-policy %s): have it noeviction, or pages are lost"


@dataclass(slots=True)
class Call:
    """One call of a script in batches, and how far it has come."""

    batches: Sequence[Sequence[Argument]]
    number: str
    replies: list[Any] = field(default_factory=list)


class Calls:
    """Speaks for one client with the keys that begin with `prefix`."""

    def __init__(self, client: Redis, prefix: str) -> None:
        self.client, self.prefix = client, prefix
        self._name = secrets.token_hex(8)
        self._scripts: dict[str, Script] = {}
        self._unanswered: dict[str, Call] = {}
        self._one = asyncio.Lock()

    async def once(self, name: str, batches: Sequence[Sequence[Argument]]) -> list[Any]:
        """Call a script with each batch of arguments, once: its replies. Raises FrontierAway."""
        async with self._one:
            call = self._unanswered.get(name)
            if call is None or call.batches != batches:
                call = self._unanswered[name] = Call(batches, secrets.token_hex(8))
            for index in range(len(call.replies), len(batches)):
                head = (f"{self._name}:{name}", f"{call.number}.{index}")
                call.replies.append(await self.plain(name, *head, *batches[index]))
            del self._unanswered[name]
            return call.replies

    async def plain(self, name: str, *arguments: Argument) -> Any:
        """Call a script that may as well be called twice. Raises FrontierAway."""
        script = self._scripts.get(name) or self._scripts.setdefault(name, load(name))
        with _in_words():
            try:
                return await self.client.evalsha(script.sha, 1, self.prefix, *arguments)
            except NoScriptError:
                return await self.client.eval(script.text, 1, self.prefix, *arguments)

    async def check(self) -> None:
        """Speak with the server, and say what would go wrong with it. Raises FrontierAway."""
        with _in_words():
            memory = await self.client.info("memory")
        if memory.get("maxmemory") and memory.get("maxmemory_policy") != "noeviction":
            logger.warning(EVICTS, memory.get("maxmemory_policy"))

    async def close(self) -> None:
        """Drop the kept answers, as no call will be repeated, and the connection."""
        with suppress(RedisError, OSError, asyncio.TimeoutError):
            async with asyncio.timeout(PARTING):
                await self.client.delete(*(f"{self.prefix}:call:{self._name}:{name}" for name in (*self._scripts, "")))
        await self.client.aclose()


@contextmanager
def _in_words() -> Iterator[None]:
    """Turns the client's errors into what they mean to a caller."""
    try:
        yield
    except (AuthenticationError, AuthorizationError) as error:
        raise FrontierError(f"Redis refuses this worker: {error}") from error
    except (ConnectionError, TimeoutError) as error:
        raise FrontierAway(f"Redis cannot be reached: {error or type(error).__name__}") from error
    except ResponseError as error:
        raise _meaning(error) from error


def _meaning(error: ResponseError) -> Exception:
    """What an error that a script ended in means to its caller."""
    text = str(error)
    if "NOTASK" in text:
        return LookupError(f"no task {text.partition('NOTASK ')[2]!r}: start it first")
    if "LEASED" in text:
        return FrontierError(f"pages of {text.partition('LEASED ')[2]!r} are under way: cancel it before")
    if "DAMAGED" in text:
        return FrontierError(DAMAGED.format(text.partition("DAMAGED ")[2]))
    if "PENDING" in text:
        return FrontierError(f"pages of {text.partition('PENDING ')[2]!r} are pending")
    if isinstance(error, OutOfMemoryError) or FULL_CODE.search(text):
        return FrontierAway(FULL)
    if isinstance(error, PASSING_ERRORS) or PASSING.search(text):
        return FrontierAway(f"Redis answers: {text}")
    return FrontierError(f"Redis refuses: {text}")
