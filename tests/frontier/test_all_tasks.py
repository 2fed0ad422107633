"""Workers that serve every task of a frontier, on a job's file and over Redis."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from signal import SIGKILL, SIGTERM
from typing import Any, TypeVar

import pytest
from redis.asyncio import Redis
from servers.frontiers import check_sum, filled, link
from servers.redis import RedisServer, binaries
from servers.site import Site
from servers.workers import Many, Worker, Workers, tree, until

from scraping_ai.frontier.protocol import Frontier
from scraping_ai.frontier.redis import RedisFrontier
from scraping_ai.frontier.redis.keys import DEFAULT, prefix
from scraping_ai.frontier.sqlite import SqliteFrontier

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("kills")]

T = TypeVar("T")

PAGES = 60
SOON = {"FRONTIER_LEASE": 0.6, "CONCURRENT_REQUESTS": 4, "FRONTIER_AT_ONCE": 4, "FRONTIER_MAX_ATTEMPTS": 99}


class Fleet:
    """A frontier and those who work on it; on a file one worker at a time."""

    def __init__(
        self, workers: Workers, settings: dict[str, Any], opener: Callable[[], Frontier], at_once: int
    ) -> None:
        self.workers, self.settings, self.opener, self.at_once = workers, settings, opener, at_once

    def worker(self, until: str = "", **settings: Any) -> Worker:
        return self.workers.start(until, SOON | self.settings | settings, spider=Many.name)

    def ask(self, work: Callable[[Frontier], Awaitable[T]]) -> T:
        """What somebody else than the workers learns from the frontier, or does there."""

        async def asked() -> T:
            async with self.opened() as frontier:
                return await work(frontier)

        return asyncio.run(asked())

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Frontier]:
        frontier = self.opener()
        await frontier.open()
        try:
            yield frontier
        finally:
            await frontier.close()

    def submit(self, task: str, url: str, **limits: Any) -> None:
        self.ask(lambda frontier: filled(frontier, link(url), task=task, **limits))

    def pages(self, task: str) -> Counter[str]:
        """Addresses of which results are kept; all are of the task."""
        results = self.ask(lambda frontier: frontier.results(task, 10_000))
        found = [json.loads(result.page) for result in results]
        assert {page["task"] for page in found} <= {task}
        assert [[json.loads(record) for record in result.records] for result in results] == [
            [{"url": page["url"]}] for page in found
        ]
        return Counter(page["url"] for page in found)

    def is_done(self, task: str) -> bool:
        counts = self.ask(lambda frontier: frontier.counts(task))
        check_sum(counts)
        return counts.added > 0 and not counts.pending


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    with Workers(tmp_path_factory.mktemp("workers")) as workers:
        yield workers


@pytest.fixture(params=["sqlite", *binaries()], ids=lambda param: getattr(param, "name", param))
def fleet(request: pytest.FixtureRequest, tmp_path: Path, workers: Workers) -> Iterator[Fleet]:
    if request.param == "sqlite":
        job = tmp_path / "job"
        job.mkdir()
        yield Fleet(workers, {"JOBDIR": str(job)}, lambda: SqliteFrontier(job / "frontier.sqlite"), at_once=1)
        return
    with RedisServer(tmp_path / "redis", request.param, "--appendfsync", "always") as server:
        opener = lambda: RedisFrontier(Redis.from_url(server.url), prefix(DEFAULT, Many.name))  # noqa: E731
        yield Fleet(workers, {"FRONTIER_URL": server.url}, opener, at_once=2)


@pytest.fixture
def site() -> Iterator[Site]:
    """Pages that link to four below them, and to what stands elsewhere."""
    with Site(tree(PAGES, delay=0.01)) as site:
        yield site


def test_pages_of_three_tasks_are_kept_once_whoever_is_killed(fleet: Fleet, site: Site) -> None:
    fleet.submit("one", site.url("/0"))
    fleet.submit("two", site.url("/0"))
    fleet.submit("few", site.url("/0"), max_pages=10)
    working = [fleet.worker("done") for _ in range(fleet.at_once)]
    until(lambda: len(site.hits) > 40)
    working[0].send(SIGKILL)
    assert working[0].wait() == -SIGKILL
    working[0] = fleet.worker("done")
    assert [worker.wait() for worker in working] == [0] * fleet.at_once
    whole = Counter(map(site.url, site.pages))
    assert (fleet.pages("one"), fleet.pages("two")) == (whole, whole)
    few = fleet.pages("few")
    assert (len(few), few.total()) == (10, 10)
    assert all(fleet.is_done(task) for task in ("one", "two", "few"))


def test_tasks_that_come_while_workers_wait_are_taken_up(fleet: Fleet, site: Site) -> None:
    fleet.submit("first", site.url("/0"), max_pages=5)
    working = [fleet.worker() for _ in range(fleet.at_once)]
    until(lambda: fleet.is_done("first"))
    fleet.submit("second", site.url("/0"), max_pages=7)
    until(lambda: fleet.is_done("second"))
    assert (fleet.pages("first").total(), fleet.pages("second").total()) == (5, 7)
    for worker in working:
        worker.send(SIGTERM)
        assert worker.wait() == 0
    assert fleet.ask(lambda frontier: frontier.tasks()) == ["first", "second"]


def test_a_worker_told_so_ends_when_there_is_nothing_to_do(fleet: Fleet) -> None:
    assert fleet.worker("done").wait() == 0
