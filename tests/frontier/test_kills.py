"""Workers that are killed, stopped and told to end, in processes of their own: nothing is lost, or stored twice."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from signal import SIGCONT, SIGKILL, SIGSTOP, SIGTERM
from typing import Any

import pytest
from servers.crawls import left
from servers.site import Resource, Site
from servers.workers import Walker, Workers, tree, until

from scraping_ai.frontier.protocol import Counts, Ending, Kind, Lease
from scraping_ai.frontier.sqlite import SqliteFrontier

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("kills")]

PAGES = 120


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    with Workers(tmp_path_factory.mktemp("workers")) as workers:
        yield workers


@pytest.fixture
def site() -> Iterator[Site]:
    with Site(tree(PAGES)) as site:
        yield site


class Job:
    """A job's folder, and what its file holds."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.settings = {"JOBDIR": str(folder)}

    def rows(self, query: str) -> list[Any]:
        """Nothing while there are no tables."""
        file = self.folder / "frontier.sqlite"
        if not file.exists():
            return []
        with closing(sqlite3.connect(file, timeout=10)) as db:
            made = db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'counter'").fetchone()
            return db.execute(query).fetchall() if made else []

    def counts(self) -> Counts:
        """The sum is checked."""
        return asyncio.run(left(self.folder, Walker.name)).counts

    def check_whole(self, *paths: str, base: str, dead: int = 0) -> None:
        """Each of these pages was stored once, with its record, and nothing else was but the dead."""
        counts = self.counts()
        assert (counts.stored, counts.pending, counts.skipped, counts.dead) == (len(paths), 0, 0, dead)
        stored = Counter(url.removeprefix(base) for (url,) in self.rows("SELECT url FROM page"))
        assert stored == Counter(paths)
        records = self.rows("SELECT page.url, count(*) FROM record JOIN page ON page.id = record.page GROUP BY page.id")
        assert dict(records) == {base + path: 1 for path in paths}


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return Job(tmp_path / "job")


CALLS = [(method, when) for method in ("add", "lease", "begin", "settle") for when in ("before", "after")]


@pytest.mark.parametrize(("method", "when"), CALLS)
def test_a_worker_is_killed_around_each_step(site: Site, job: Job, workers: Workers, method: str, when: str) -> None:
    """`lease` after: between lease and fetch; `settle` after: after the records' commit, before its answer."""
    for nth in (1,) if method == "add" else (1, 2):
        worker = workers.start(site.url("/0"), job.settings, [method, when, nth])
        assert worker.wait() == -SIGKILL
    assert workers.start(site.url("/0"), job.settings).wait() == 0
    job.check_whole(*site.pages, base=site.url(""))


@pytest.mark.parametrize("seed", range(3))
def test_a_worker_is_killed_at_random_moments(site: Site, job: Job, workers: Workers, seed: int) -> None:
    moments = random.Random(seed)
    settings = job.settings | {"CONCURRENT_REQUESTS": 8, "FRONTIER_AT_ONCE": 8, "FRONTIER_MAX_ATTEMPTS": 1_000}
    for _ in range(16):
        worker = workers.start(site.url("/0"), settings)
        time.sleep(moments.uniform(0.05, 0.4))
        worker.send(SIGKILL)
        assert worker.wait() in (-SIGKILL, 0)
    assert workers.start(site.url("/0"), settings).wait() == 0
    job.check_whole(*site.pages, base=site.url(""))


def test_a_page_that_kills_its_worker_each_time_is_convicted_alone(job: Job, workers: Workers) -> None:
    pages = {f"/{n}": "fine" for n in range(40)} | {"/killer": Resource("<b>kill</b>", delay=0.05)}
    with Site(pages) as site:
        urls = " ".join(site.url(path) for path in ("/killer", *pages))
        settings = job.settings | {"CONCURRENT_REQUESTS": 4, "FRONTIER_AT_ONCE": 4}
        assert workers.start(urls, settings).wait() == -SIGKILL
        losses_of_prefetched = job.rows("SELECT sum(losses) FROM entry WHERE begun = 0")
        assert losses_of_prefetched == [(0,)]
        assert workers.start(urls, settings).wait() == -SIGKILL
        assert job.rows("SELECT count(*) FROM entry WHERE losses + begun > 2 OR state = 3") == [(0,)]
        assert workers.start(urls, settings).wait() == -SIGKILL
        assert workers.start(urls, settings).wait() == 0
        job.check_whole(*(path for path in pages if path != "/killer"), base=site.url(""), dead=1)
        assert job.rows("SELECT url, reason FROM entry") == [(site.url("/killer"), "cost 3 workers")]
        assert site.paths.count("/killer") == 3


def test_rolling_restarts_cost_no_attempts(site: Site, job: Job, workers: Workers) -> None:
    for _ in range(5):
        worker = workers.start(site.url("/0"), job.settings | {"CONCURRENT_REQUESTS": 2, "FRONTIER_AT_ONCE": 2})
        before = len(site.hits)
        until(lambda before=before: len(site.hits) > before + 5)
        worker.send(SIGTERM)
        assert worker.wait() == 0
        assert job.rows("SELECT count(*) FROM entry WHERE losses OR tries OR state <> 0") == [(0,)]
    assert workers.start(site.url("/0"), job.settings).wait() == 0
    job.check_whole(*site.pages, base=site.url(""))
    assert len(site.hits) == PAGES


def test_what_the_network_keeps_waiting_is_given_back_within_the_grace(job: Job, workers: Workers) -> None:
    pages = {"/quick": "here", "/slow": Resource("at last", delay=120)}
    with Site(pages) as site:
        urls = f"{site.url('/quick')} {site.url('/slow')}"
        worker = workers.start(urls, job.settings | {"FRONTIER_GRACE": 0.2})
        until(lambda: len(site.hits) == 2 and job.rows("SELECT 1 FROM page"))
        worker.send(SIGTERM)
        assert worker.wait() == 0
        assert job.rows("SELECT url, state, losses, begun FROM entry") == [(site.url("/slow"), 0, 0, 0)]
        site.pages["/slow"] = "at once"
        assert workers.start(urls, job.settings).wait() == 0
        job.check_whole(*pages, base=site.url(""))


def test_a_worker_that_slept_past_its_leases_can_do_nothing_with_them(job: Job, workers: Workers) -> None:
    pages = {f"/{n}": "<b>sleep 0.1</b>" if n else "<b>sleep 0.5</b>" for n in range(30)}
    settings = job.settings | {"FRONTIER_LEASE": 1.0, "CONCURRENT_REQUESTS": 4, "FRONTIER_AT_ONCE": 4}
    with Site(pages) as site:
        urls = " ".join(map(site.url, pages))
        worker = workers.start(urls, settings)
        held = (
            "SELECT 1 FROM (SELECT count(*) n, sum(begun) b FROM entry WHERE state = 2) WHERE n > 4 AND b"  # some ahead
        )
        until(lambda: site.hits and job.rows(held))
        worker.send(SIGSTOP)
        taken = asyncio.run(take_over(job.folder / "frontier.sqlite", len(pages)))
        before = len(site.hits)
        worker.send(SIGCONT)
        assert worker.wait() == 0
        assert len(taken) > 4
        assert "another worker's in the end" in workers.log
        assert job.counts().stored == len(pages)
        assert Counter(url for (url,) in job.rows("SELECT url FROM page")) == Counter(map(site.url, pages))
        assert len(site.hits) - before + len(taken) <= len(pages) + 8  # of these it had begun some


async def take_over(file: Path, n: int) -> list[Lease]:
    """Lease what the worker held, once its leases have ended, and end it as stored."""
    frontier = SqliteFrontier(file)
    await frontier.open()
    try:
        taken: list[Lease] = []
        while (await frontier.counts(Walker.name)).leased > len(taken) or not taken:
            taken += await frontier.lease(n)
            await asyncio.sleep(0.05)
        assert all(await frontier.settle([Ending(lease, Kind.STORED) for lease in taken]))
    finally:
        await frontier.close()
    return taken


def test_a_callback_slower_than_its_lease_is_run_once(job: Job, workers: Workers) -> None:
    with Site({"/": "<b>sleep 1.5</b>"}) as site:
        worker = workers.start(site.url("/"), job.settings | {"FRONTIER_LEASE": 0.4})
        until(lambda: job.rows("SELECT 1 FROM task") and site.hits)
        assert asyncio.run(watch(job.folder / "frontier.sqlite")) == []
        assert worker.wait() == 0
        job.check_whole("/", base=site.url(""))
        assert site.paths == ["/"]


def test_a_worker_that_is_told_to_end_waits_for_no_callback_longer_than_the_grace(job: Job, workers: Workers) -> None:
    with Site({"/": "<b>sleep 600</b>", "/robots.txt": Resource("", delay=20)}) as site:
        worker = workers.start(site.url("/"), job.settings | {"FRONTIER_GRACE": 0.2})
        until(lambda: site.hits and job.rows("SELECT 1 FROM entry WHERE state = 2 AND begun"))
        worker.send(SIGTERM)
        assert worker.wait() == 0
        assert job.rows("SELECT state, losses, tries, begun FROM entry") == [(0, 0, 0, 0)]
        site.pages["/"] = "quick"
        assert workers.start(site.url("/"), job.settings).wait() == 0
        job.check_whole("/", base=site.url(""))


async def watch(file: Path) -> list[Lease]:
    """What another worker gets until all is done."""
    frontier = SqliteFrontier(file)
    await frontier.open()
    try:
        leases: list[Lease] = []
        while (await frontier.counts(Walker.name)).pending and not leases:
            leases += await frontier.lease(1)
            await asyncio.sleep(0.02)
    finally:
        await frontier.close()
    return leases
