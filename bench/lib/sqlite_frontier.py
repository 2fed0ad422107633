"""How fast the SQLite frontier is, and how that changes as its file grows."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lib.figures import bar, links

from scraping_ai.frontier.protocol import Ending, Kind, Lease, Limits
from scraping_ai.frontier.sqlite import SqliteFrontier

HOSTS = 1_000
BATCH = 128  # pages of a round: what a crawl leases ahead
LINKS, NEW = 22, 2  # that each page offers; of them new
ROUNDS, TIMES = 24, 5  # the best of so many times counts: the machine has other work too
SIZES = (100_000, 1_000_000, 3_000_000)
FILL = 20_000  # addresses added at once, where time does not count


async def measured(folder: Path, sizes: Sequence[int], rounds: int) -> list[dict[str, Any]]:
    frontier = SqliteFrontier(folder / "job.sqlite")
    await frontier.open()
    await frontier.start("t", Limits())
    made, walls, costs = 0, [], []
    for size in sizes:
        while made < size:
            await frontier.add("t", links(made, FILL, HOSTS))
            made += FILL
        taken = []
        for _ in range(TIMES):
            taken.append(await rounds_of(frontier, made, rounds))
            made += rounds * BATCH * NEW
        walls.append(min(wall for wall, _ in taken) / (rounds * BATCH))
        costs.append(min(cpu for _, cpu in taken))
    counts = await frontier.counts("t")
    assert counts.stored == len(sizes) * TIMES * rounds * BATCH, counts
    await frontier.close()
    return [*speed(sizes, walls), growth(sizes, costs)]


async def rounds_of(frontier: SqliteFrontier, known: int, rounds: int) -> tuple[float, float]:
    """Seconds, and those of a CPU, in which pages are leased, begun and completed as a crawl does it: in batches."""
    wall = cpu = 0.0
    for _ in range(rounds):
        before = time.perf_counter(), time.process_time()
        leases = await frontier.lease(BATCH)
        await frontier.begin(leases)
        between = time.perf_counter(), time.process_time()
        ended = endings(leases, known)
        known += NEW * len(leases)
        again = time.perf_counter(), time.process_time()
        assert all(await frontier.settle(ended))
        wall += time.perf_counter() - again[0] + between[0] - before[0]
        cpu += time.process_time() - again[1] + between[1] - before[1]
    return wall, cpu


def endings(leases: Sequence[Lease], known: int) -> list[Ending]:
    """Each with its links, of which most are known from anywhere."""
    ended = []
    for n, lease in enumerate(leases):
        found = links(known + n * NEW, NEW, HOSTS)
        for i in range(LINKS - NEW):
            found += links((lease.token * 7_919 + i * 104_729) % known, 1, HOSTS)
        ended.append(Ending(lease, Kind.STORED, links=found))
    return ended


def speed(sizes: Sequence[int], walls: Sequence[float]) -> list[dict[str, Any]]:
    bars = []
    for size, wall in zip(sizes, walls, strict=True):
        pages, offered = round(1 / wall), round(LINKS / wall)
        bars.append(bar(f"SQLite of {size:,}: lease + complete", pages, "pages/s", 1_000, pages >= 1_000))
        bars.append(bar("  at the same time, links offered", offered, "links/s", 15_000, offered >= 15_000))
    return bars


def growth(sizes: Sequence[int], costs: Sequence[float]) -> dict[str, Any]:
    ratio = costs[-1] / costs[0]
    return bar(f"SQLite: CPU a page at {sizes[-1]:,} by {sizes[0]:,}", round(ratio, 2), "times", 1.6, ratio <= 1.6)


def bars(*, quick: bool = False) -> list[dict[str, Any]]:
    """The figures; quick ones are of few addresses, and say little."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(measured(Path(folder), *(((FILL, 2 * FILL), 1) if quick else (SIZES, ROUNDS))))
