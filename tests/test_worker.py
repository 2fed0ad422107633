"""`scrapy crawl worker` and `scrapy task`: real processes over a file and over Redis."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from signal import SIGKILL, SIGTERM
from typing import Any

import pytest
from redis import Redis as SyncRedis
from redis.asyncio import Redis
from servers.redis import RedisServer
from servers.shell import FAST, Run, scrapy
from servers.site import Resource, Site

from scraping_ai.frontier.protocol import Frontier, Limits, Link
from scraping_ai.frontier.redis import RedisFrontier
from scraping_ai.frontier.redis.keys import DEFAULT, prefix
from scraping_ai.frontier.sqlite import SqliteFrontier

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("kills")]

PAGES = 40


def product(i: int) -> Resource:
    below = "".join(f"<li><a href=/p/{j % PAGES}>Pot {j % PAGES}</a>" for j in range(3 * i + 1, 3 * i + 4))
    offer = {"@type": "Product", "name": f"Pot {i}", "offers": {"@type": "Offer", "price": f"{i + 1}.50"}}
    markup = f'<script type="application/ld+json">{json.dumps({"@context": "https://schema.org", **offer})}</script>'
    return Resource(f"<html><head><title>Pot {i}</title>{markup}</head><h1>Pot {i}</h1><ul>{below}</ul>", delay=0.01)


@pytest.fixture
def site() -> Iterator[Site]:
    with Site({f"/p/{i}": product(i) for i in range(PAGES)}) as site:
        yield site


class Fleet:
    """Workers, and who hands them tasks."""

    def __init__(self, settings: dict[str, str], opener: Callable[[], Frontier]) -> None:
        settings = {"ALLOWED_PRIVATE_HOSTS": "127.0.0.1"} | settings
        self.env = {f"SCRAPING_AI_{name}": value for name, value in settings.items()}
        self.opener = opener

    def task(self, *args: str) -> Run:
        return scrapy("task", *args, env=self.env)

    def submit(self, url: str, name: str, *args: str) -> None:
        done = self.task("submit", url, "--name", name, *args)
        assert (done.status, done.out) == (0, f"{name}\n"), done.err

    def worker(self, *args: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "scrapy", "crawl", "worker", *args, *FAST, "-s", "EXTRACT_PROCESSES=1"]
        return subprocess.Popen([*command, "-L", "ERROR"], env=os.environ | self.env)

    def ask(self, work: Callable[[Frontier], Any]) -> Any:
        async def asked() -> Any:
            frontier = self.opener()
            await frontier.open()
            try:
                return await work(frontier)
            finally:
                await frontier.close()

        return asyncio.run(asked())

    def until_done(self, task: str, stored: int) -> None:
        end = time.monotonic() + 60
        while (counts := self.ask(lambda frontier: frontier.counts(task))).stored < stored or counts.pending:
            assert time.monotonic() < end, counts
            time.sleep(0.1)


def on_file(folder: Path) -> Fleet:
    (job := folder / "job").mkdir()
    return Fleet({"JOBDIR": str(job)}, lambda: SqliteFrontier(job / "frontier.sqlite"))


def on_redis(server: RedisServer) -> Fleet:
    opener = lambda: RedisFrontier(Redis.from_url(server.url), prefix(DEFAULT, "worker"))  # noqa: E731
    return Fleet({"REDIS_URL": server.url, "FRONTIER_LEASE": "2"}, opener)


@pytest.fixture(params=["file", "redis"])
def fleet(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Fleet]:
    if request.param == "file":
        yield on_file(tmp_path)
        return
    with RedisServer(tmp_path / "redis") as server:
        yield on_redis(server)


def test_each_task_gets_what_it_asked_for(fleet: Fleet, site: Site, tmp_path: Path) -> None:
    fleet.submit(site.url("/p/0"), "shop", "--follow", "--max-pages", "9", "--fields", "name, price:number")
    fleet.submit(site.url("/p/3"), "one", "--fields", "title", "--evidence")
    for task, options in (("garbage", '["fields"]'), ("wrong", '{"fields": "price:money", "url": "http://x.example"}')):
        link = Link(site.url("/p/1"), 1, "127.0.0.1")
        fleet.ask(lambda frontier, task=task, said=options: frontier.start(task, Limits(), said))
        fleet.ask(lambda frontier, task=task, link=link: frontier.add(task, [link]))
    assert fleet.worker("-a", "until=done").wait(60) == 0
    shop = fleet.task("results", "shop").records
    assert len(shop) == 9
    numbers = {int(row["_url"].rpartition("/")[2]) for row in shop}
    assert sorted((row["name"], row["price"]) for row in shop) == sorted((f"Pot {i}", i + 1.5) for i in numbers)
    (one,) = fleet.task("results", "one").records
    assert (one["title"], one["_evidence"]["title"]["text"]) == ("Pot 3", "Pot 3")
    out = tmp_path / "shop.csv"
    assert fleet.task("results", "shop", "-O", str(out)).status == 0
    assert out.read_text().splitlines()[0] == "name,price,_url,_reason"
    assert len(out.read_text().splitlines()) == 10
    for task in ("garbage", "wrong"):
        counts = fleet.ask(lambda frontier, task=task: frontier.counts(task))
        assert (counts.skipped, list(counts.reasons)) == (1, ["its task's options can't be used"])


def test_a_worker_waits_for_tasks_until_it_is_told_to_end(fleet: Fleet, site: Site) -> None:
    worker = fleet.worker()
    fleet.submit(site.url("/p/1"), "first", "--fields", "name")
    fleet.until_done("first", 1)
    fleet.submit(site.url("/p/2"), "second", "--fields", "price:number")
    fleet.until_done("second", 1)
    worker.send_signal(SIGTERM)
    assert worker.wait(30) in (0, 143)
    assert [row["price"] for row in fleet.task("results", "second").records] == [3.5]


def test_a_worker_that_is_killed_costs_no_page_and_doubles_none(fleet: Fleet, site: Site) -> None:
    fleet.submit(site.url("/p/0"), "shop", "--follow", "--fields", "name, price:number")
    first = fleet.worker("-a", "until=done")
    others = [fleet.worker("-a", "until=done")] if "SCRAPING_AI_REDIS_URL" in fleet.env else []
    while len(site.hits) < 12:
        time.sleep(0.01)
    first.send_signal(SIGKILL)
    first.wait()
    for worker in [*others, fleet.worker("-a", "until=done")]:
        assert worker.wait(60) == 0
    names = [row["name"] for row in fleet.task("results", "shop").records]
    assert sorted(names) == sorted(f"Pot {i}" for i in range(PAGES))


def test_addresses_with_spaces_and_in_any_script_are_taken(tmp_path: Path) -> None:
    fleet = on_file(tmp_path)
    with Site({"/a%20b": "<title>A B</title>", "/%E8%AA%9E": "<title>語</title>"}) as site:
        fleet.submit(site.url("/a b"), "shop", "--fields", "title")
        assert fleet.task("submit", site.url("/語"), "--name", "shop", "--fields", "title").status == 0
        assert fleet.worker("-a", "until=done").wait(60) == 0
    assert {row["title"] for row in fleet.task("results", "shop").records} == {"A B", "語"}


def test_pages_of_a_server_that_closes_at_once_are_had(tmp_path: Path) -> None:
    pages = {f"/{i}": Resource(f"<title>{i}</title>", headers={"Connection": "close"}) for i in range(40)}
    with RedisServer(tmp_path / "redis") as server, Site(pages) as site:
        fleet = on_redis(server)
        fleet.submit(site.url("/0"), "all", *map(site.url, pages), "--fields", "title")
        slow = ("-s", "DOWNLOAD_DELAY=0.01", "-s", "AUTOTHROTTLE_ENABLED=true", "-s", "AUTOTHROTTLE_START_DELAY=0.01")
        assert fleet.worker("-a", "until=done", *slow).wait(60) == 0
        assert sorted(int(row["title"]) for row in fleet.task("results", "all").records) == list(range(40))


def test_a_job_of_another_spider_is_left_alone(tmp_path: Path, site: Site) -> None:
    fleet = on_file(tmp_path)
    fleet.ask(lambda frontier: frontier.start("extract", Limits()))
    fleet.ask(lambda frontier: frontier.add("extract", [Link(site.url("/p/1"), 1, "127.0.0.1")]))
    done = scrapy("crawl", "worker", "-a", "until=done", env=fleet.env | {"SCRAPING_AI_LOG_LEVEL": "ERROR"})
    assert (done.status, len(done.err.splitlines())) == (1, 1), done.err
    assert "'extract' is unfinished there" in done.err
    assert fleet.ask(lambda frontier: frontier.pending("extract")) == 1


def test_a_server_that_went_back_in_time_costs_no_page(tmp_path: Path) -> None:
    """It was started again from a snapshot: links that were taken in since are found again, and are news again."""
    tree = {i: "".join(f"<a href=/{j}>x</a>" for j in range(3 * i + 1, 3 * i + 4) if j < 30) for i in range(30)}
    pages = {f"/{i}": Resource(f"<title>{i}</title>{below}", delay=0.1) for i, below in tree.items()}
    with RedisServer(tmp_path / "redis", None, "--appendonly", "no") as server, Site(pages) as site:
        fleet = on_redis(server)
        fleet.submit(site.url("/0"), "shop", "--follow", "--fields", "title")
        SyncRedis.from_url(server.url).save()
        worker = fleet.worker("-a", "until=done")
        while len(site.hits) < 10:
            time.sleep(0.02)
        server.kill()
        server.start()
        assert worker.wait(60) == 0
        titles = [int(row["title"]) for row in fleet.task("results", "shop").records]
    assert sorted(titles) == list(range(30))


def test_results_that_somebody_forged_end(tmp_path: Path, site: Site) -> None:
    with RedisServer(tmp_path / "redis") as server:
        fleet, redis = on_redis(server), SyncRedis.from_url(server.url)
        fleet.submit(site.url("/p/1"), "shop", "--fields", "name")
        assert fleet.worker("-a", "until=done").wait(60) == 0
        (key,) = redis.keys("*:results:*")
        ((member, score),) = redis.zrange(key, 0, -1, withscores=True)
        redis.zadd(key, {b"5" + member: score + 0.5, b"6" + member: score + 0.25})
        assert {row["name"] for row in fleet.task("results", "shop").records} == {"Pot 1"}


def test_a_node_of_scrapyd_can_have_a_worker(tmp_path: Path) -> None:
    job = ["-a", "_job=1", "-a", "until=done", "-s", f"JOBDIR={tmp_path}", "-o", f"{tmp_path}/items.jl", "-L", "ERROR"]
    done = scrapy("crawl", "worker", *job)
    assert (done.status, done.err) == (0, "")


def test_what_a_task_is_can_be_seen_changed_and_deleted(tmp_path: Path, site: Site) -> None:
    fleet = on_file(tmp_path)
    fleet.submit(site.url("/p/1"), "shop", "--fields", "name")
    again = fleet.task("submit", site.url("/p/1"), site.url("/p/2"), "--name", "shop", "--fields", "name")
    assert (again.status, again.err) == (0, "1 of 2 pages are new\n")
    other = fleet.task("submit", site.url("/p/1"), "--name", "shop", "--fields", "price:number")
    assert (other.status, other.err.count("\n")) == (1, 1)
    assert "another --name" in other.err
    fleet.ask(lambda frontier: frontier.start("forged", Limits(), '{"url": 7}'))
    forged = fleet.task("submit", site.url("/p/1"), "--name", "forged", "--fields", "name")
    assert (forged.status, forged.err.count("\n")) == (1, 1)
    assert "pending: cancel it before" in fleet.task("forget", "shop").err
    assert fleet.task("cancel", "shop").out == "shop: 2 pages will not be fetched\n"
    assert fleet.task("forget", "shop").status == 0
    gone = fleet.task("results", "shop")
    assert (gone.status, gone.err) == (1, "scrapy task: there is no task 'shop' for workers here\n")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["task", "submit", "http://shop.example/"], "say what to extract"),
        (["task", "submit", "page.html", "--fields", "title"], "not an http:// or https:// URL"),
        (["task", "submit", "http://shop.example/", "--fields", "title", "--name", "a b"], "--name"),
        (["task", "results"], "NAME"),
        (["task"], "submit"),
        (["crawl", "worker", "-a", "until=never"], "until=done"),
        (["crawl", "worker", "-a", "url=http://shop.example/"], "scrapy task submit"),
        (["crawl", "worker", "-O", "out.jsonl"], "scrapy task results"),
        (["crawl", "worker", "-s", "JOBDIR="], "REDIS_URL"),
        (["crawl", "worker", "-s", "FRONTIER_LEASE=0"], "FRONTIER_LEASE"),
        (["task", "submit", "http://shop.example/", "--fields", "title", "-s", "MAX_HOST_PAGES=-1"], "MAX_HOST_PAGES"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(command: list[str], said: str, tmp_path: Path) -> None:
    done = scrapy(*command, env={"SCRAPING_AI_JOBDIR": str(tmp_path), "SCRAPING_AI_LOG_LEVEL": "WARNING"})
    assert (done.status, len(done.err.splitlines())) == (2, 1), done.err
    assert said in done.err
