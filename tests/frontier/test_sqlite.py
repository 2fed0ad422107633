"""The embedded frontier."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from scraping_ai.frontier.fingerprint import Fingerprinter
from scraping_ai.frontier.protocol import Ending, Kind, Limits, Link
from scraping_ai.frontier.sqlite import SqliteFrontier
from scraping_ai.frontier.sqlite.statements import SCHEMA, Q

of_url = Fingerprinter().of_url


def links(n: int, host: str = "a.example") -> list[Link]:
    urls = [f"http://{host}/{i}" for i in range(n)]
    return [Link(url, of_url(url), host) for url in urls]


@asynccontextmanager
async def opened(path: Path, **given: float) -> AsyncIterator[SqliteFrontier]:
    frontier = SqliteFrontier(path / "job.sqlite", **given)  # type: ignore[arg-type]
    await frontier.open()
    await frontier.start("t", Limits())
    yield frontier
    await frontier.close()


def test_a_page_ends_together_with_its_links(tmp_path: Path) -> None:
    async def run() -> None:
        async with opened(tmp_path) as frontier:
            assert await frontier.add("t", links(1) * 2) == [True, False]
            (lease,) = await frontier.lease(5)
            assert await frontier.settle([Ending(lease, Kind.STORED, links=links(3))]) == [True]
            assert await frontier.settle([Ending(lease, Kind.STORED, links=links(9))]) == [False]
            counts = await frontier.counts("t")
            assert (counts.added, counts.stored, counts.pending) == (3, 1, 2)

    asyncio.run(run())


def test_what_was_leased_when_the_process_died_is_leased_again(tmp_path: Path) -> None:
    async def run() -> None:
        async with opened(tmp_path, term=0.0) as frontier:
            await frontier.add("t", links(2))
            first = await frontier.lease(2)
            await frontier.begin(first[:1])
        async with opened(tmp_path) as frontier:
            again = await frontier.lease(2)
            assert [(lease.url, lease.losses) for lease in again] == [(first[0].url, 1), (first[1].url, 0)]
            assert await frontier.settle([Ending(first[0], Kind.STORED)]) == [False]

    asyncio.run(run())


def test_an_address_that_several_redirect_to_is_one_lease_s(tmp_path: Path) -> None:
    async def run() -> None:
        async with opened(tmp_path, term=0.0) as frontier:
            await frontier.add("t", links(3))
            first, second, _ = await frontier.lease(3)
            target = of_url("http://a.example/target")
            assert await frontier.claim(first, target)
            assert await frontier.claim(first, target)
            assert not await frontier.claim(second, target)
            assert not await frontier.claim(second, links(3)[2].fingerprint or 0)
        async with opened(tmp_path) as frontier:
            again = {lease.url: lease for lease in await frontier.lease(3)}
            assert await frontier.claim(again[first.url], target)
            assert await frontier.add("t", [Link("http://a.example/target", target, "a.example")]) == [False]

    asyncio.run(run())


@pytest.mark.parametrize("name", Q)
def test_no_operation_reads_all_entries_to_find_some(name: str) -> None:
    db = sqlite3.connect(":memory:")
    db.executescript(SCHEMA)
    given = dict.fromkeys(re.findall(r":([a-z_]+)", Q[name]), 1) or (1,) * Q[name].count("?")
    plan = [step for *_, step in db.execute(f"EXPLAIN QUERY PLAN {Q[name]}", given)]
    scanned = [step for step in plan if step.startswith("SCAN ") and "json_each" not in step]
    assert scanned in ([], ["SCAN host USING INDEX host_open"])
    db.close()


def test_a_purged_dead_letter_is_a_page_skipped(tmp_path: Path) -> None:
    async def run() -> None:
        async with opened(tmp_path) as frontier:
            await frontier.add("t", links(2))
            bare, kept = await frontier.lease(2)
            await frontier.settle([Ending(bare, Kind.DEAD, "x", 500), Ending(kept, Kind.DEAD, "y", 500, page="{}")])
            assert await frontier.purge("t", [bare.id, kept.id]) == 2
            rows = frontier.db.execute("SELECT url, outcome, reason, status FROM page ORDER BY url").fetchall()
            assert rows == [(lease.url, "skipped", "purged", 500) for lease in (bare, kept)]

    asyncio.run(run())
