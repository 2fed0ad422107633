"""`scrapy frontier` as an operator has it: real processes on job files, and on a Redis."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Protocol

import pytest
from redis.asyncio import Redis
from scrapy.cmdline import execute
from scrapy.settings import Settings
from servers.frontiers import Sqlite, filled, link, links
from servers.redis import binaries, shared
from servers.shell import Run, scrapy

from scraping_ai.frontier.protocol import Ending, Frontier, Kind
from scraping_ai.frontier.redis import RedisFrontier
from scraping_ai.frontier.sqlite import SqliteFrontier

pytestmark = pytest.mark.skipif(
    "frontier" not in entry_points(group="scrapy.commands").names,
    reason="installed before the command was there: pip install -e .",
)

NASTY = "http://a.example/[red]\x1b[31m\nx"


async def crawled(frontier: Frontier) -> None:
    """Two tasks; of one 3 dead letters, a retry, a page skipped, one leased, 2 stored, 30 queued."""
    await filled(frontier, link(NASTY, priority=9), *links(7), task="shop")
    one, two, three, retry, skipped, _, *stored = await frontier.lease(8)
    endings = [Ending(lease, Kind.DEAD, "HTTP 503: Service Unavailable", 503) for lease in (one, two)]
    endings += [Ending(three, Kind.DEAD, "Timeout: after \x1b[2J30 s [bold]")]
    endings += [Ending(retry, Kind.RETRY, after=3_600), Ending(skipped, Kind.SKIPPED, "robots.txt")]
    endings += [Ending(lease, Kind.STORED) for lease in stored]
    assert all(await frontier.settle(endings))
    await frontier.add("shop", links(30, "b.example"))
    await filled(frontier, link("http://c.example/"), task="news")


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """A job's folder, nobody at work on it."""

    async def make() -> None:
        async with Sqlite(tmp_path)() as frontier:
            await crawled(frontier)

    asyncio.run(make())
    (tmp_path / "job.sqlite").rename(tmp_path / "frontier.sqlite")
    return tmp_path


def frontier(*args: str | Path, status: int = 0, **given: Any) -> Run:
    run = scrapy("frontier", *map(str, args), **given)
    assert run.status == status, run
    assert "Traceback" not in run.err
    return run


def refusal(*args: str | Path, status: int = 2, **given: Any) -> str:
    run = frontier(*args, status=status, **given)
    assert run.out == ""
    assert run.err.startswith("scrapy frontier: ")
    assert run.err.count("\n") == 1
    return run.err


def test_stats_for_people_and_for_programs(job: Path) -> None:
    table = frontier("stats", job).out
    for shown in ("shop", "news", "HTTP 503", "Timeout", "robots.txt", "added = stored + skipped + dead + pending"):
        assert shown in table
    news, shop = frontier("stats", job / "frontier.sqlite", "--json").records
    assert (news["task"], news["added"], news["pending"]) == ("news", 1, 1)
    assert (shop.pop("task"), shop.pop("reasons")) == ("shop", {"HTTP 503": 2, "Timeout": 1, "robots.txt": 1})
    counted = (38, 0, 2, 1, 3, 30, 1, 1, 32)
    names = ("added", "duplicates", "stored", "skipped", "dead", "queued", "delayed", "leased", "pending")
    assert shop == dict(zip(names, counted, strict=True))
    assert frontier("stats", job, "--json", "--task", "news").records == [news]


def test_dead_letters_are_shown_with_their_reasons(job: Path) -> None:
    table = frontier("dead", job).out
    assert "HTTP 503: Service Unavailable" in table
    assert "\x1b" not in table
    assert "[bold]" in table
    letters = frontier("dead", job, "--json", "--reason", "http 503").records
    assert {letter["url"] for letter in letters} == {NASTY, "http://a.example/0"}
    assert {(letter["task"], letter["status"], letter["state"]) for letter in letters} == {("shop", 503, "dead")}
    assert "nothing is dead here with 'x'" in frontier("dead", job, "--reason", "x").out


def test_peek_shows_a_state_and_changes_nothing(job: Path) -> None:
    before = (job / "frontier.sqlite").read_bytes()
    table = frontier("peek", job, "--task", "shop").out
    assert "http://b.example/0" in table
    assert "there are more: -n 200 shows more of them" in table
    assert len(frontier("peek", job, "-n", "3", "--json").records) == 4
    assert len(frontier("peek", job, "--json", "--task", "shop").records) >= 30
    (delayed,) = frontier("peek", job, "--state", "delayed", "--json").records
    assert 3_000 < delayed["wait"] <= 3_600
    assert "nothing is suspect" in frontier("peek", job, "--state", "suspect").out
    assert (job / "frontier.sqlite").read_bytes() == before


def test_replay_and_purge(job: Path) -> None:
    first, *_ = (letter["id"] for letter in frontier("dead", job, "--json").records)
    said = frontier("replay", job, "--task", "shop", "--id", str(first), "--id", "999999")
    assert said.out == "shop: 1 dead letter replayed; the others of --id are no dead letters\n"
    assert (
        frontier("purge", job, "--reason", "timeout").out == "news: 0 dead letters purged\nshop: 1 dead letter purged\n"
    )
    assert frontier("replay", job, "--all", "--json").records[1] == {"task": "shop", "replayed": 1}
    assert frontier("dead", job, "--json").records == []
    assert frontier("stats", job, "--json").records[1]["reasons"] == {"robots.txt": 1, "purged": 1}


def test_many_dead_letters_are_replayed_in_batches(tmp_path: Path) -> None:
    async def make() -> None:
        async with Sqlite(tmp_path)() as frontier:
            await filled(frontier, *links(2_500))
            await frontier.settle([Ending(lease, Kind.DEAD, "x") for lease in await frontier.lease(2_500)])

    asyncio.run(make())
    assert frontier("replay", tmp_path / "job.sqlite", "--all").out == "t: 2,500 dead letters replayed\n"


def test_the_backend_of_the_settings(job: Path, tmp_path: Path) -> None:
    assert len(frontier("stats", "--json", "-s", f"JOBDIR={job}", cwd=tmp_path).records) == 2
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "shop").symlink_to(job)
    home = {"SCRAPING_AI_HOME": str(tmp_path)}
    assert len(frontier("stats", "shop", "--json", cwd=tmp_path, env=home).records) == 2
    project = tmp_path / "project"
    project.mkdir()
    (project / "scrapy.cfg").write_text("[settings]\ndefault = theirs\n")
    (project / "theirs.py").write_text(f"JOBDIR = {str(job)!r}\n")
    assert len(frontier("stats", "--json", cwd=project).records) == 2


@pytest.fixture
def url() -> Iterator[str]:
    for binary in binaries():
        yield shared(binary).url
        return


def test_a_frontier_in_redis(url: str, tmp_path: Path) -> None:
    async def make() -> None:
        redis = RedisFrontier(Redis.from_url(url), "{frontier:operated}")
        await redis.open()
        await crawled(redis)
        await redis.close()

    asyncio.run(make())
    where = ("-s", f"REDIS_URL={url}")
    assert "say with --task" in refusal("stats", *where, status=1, cwd=tmp_path)
    name = ("-s", "FRONTIER_KEY=frontier:operated")
    assert [task["task"] for task in frontier("stats", "--json", *where, *name, cwd=tmp_path).records] == [
        "news",
        "shop",
    ]
    letters = frontier("dead", "--json", *where, *name, cwd=tmp_path).records
    assert len(letters) == 3
    replayed = frontier("replay", "--id", str(letters[0]["id"]), "--task", "shop", *where, *name, cwd=tmp_path)
    assert replayed.out == "shop: 1 dead letter replayed\n"
    assert len(frontier("dead", "--json", *where, *name, cwd=tmp_path).records) == 2


def test_a_redis_that_is_not_there(tmp_path: Path) -> None:
    refusal("stats", "--task", "x", "-s", "REDIS_URL=redis://127.0.0.1:1/0", status=1, cwd=tmp_path)


class Here(Protocol):
    def __call__(self, *args: str) -> tuple[int, str, str]: ...


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Here:
    """The command in this process, outside of all projects: exit status, output and errors."""
    monkeypatch.chdir(tmp_path)

    def run(*args: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as caught:
            execute(["scrapy", "frontier", *args], Settings())
        status = caught.value.code
        return (status if isinstance(status, int) else 0), *capsys.readouterr()

    return run


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ((), "say what to do: stats, peek, dead, replay, purge"),
        (("dance",), "invalid choice: 'dance'"),
        (("stats", "--dance"), "stats knows no --dance"),
        (("peek", "-n", "many"), "invalid whole value: 'many'"),
        (("peek", "-n", "-1"), "argument -n"),
        (("peek", "--state", "dead"), "invalid choice: 'dead'"),
        (("stats", "-s", "JOBDIR"), "-s NAME=VALUE"),
        (("replay", "x"), "say which dead letters to replay"),
        (("purge", "x", "--all", "--id", "1"), "say which dead letters to purge"),
    ],
)
def test_bad_usage_is_told_in_one_line(args: tuple[str, ...], said: str, here: Here) -> None:
    status, out, err = here(*args)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("scrapy frontier: ")
    assert said in err


def test_what_is_no_frontier_is_told_in_one_line(tmp_path: Path) -> None:
    assert "no setting says where" in refusal("stats", status=1, cwd=tmp_path)
    assert "there is no job file" in refusal("stats", "none.sqlite", status=1, cwd=tmp_path)
    (tmp_path / "page.html").write_text("<p>")
    assert "is no job file" in refusal("stats", "page.html", status=1, cwd=tmp_path)
    assert "there is no job file" in refusal("stats", tmp_path, status=1, cwd=tmp_path)


def test_a_task_that_is_not_there(job: Path) -> None:
    assert "no task 'x' here, but 'news', 'shop'" in refusal("dead", job, "--task", "x", status=1)
    assert "there are 2 tasks here" in refusal("replay", job, "--id", "1", status=1)


def test_a_file_in_use_can_be_looked_at_and_is_not_waited_for_long(job: Path) -> None:
    with closing(sqlite3.connect(job / "frontier.sqlite", isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        assert len(frontier("stats", job, "--json").records) == 2
        assert "is in use: another process holds it" in refusal("replay", job, "--all", status=1)


def test_beside_a_crawl_at_work(job: Path) -> None:
    async def work() -> None:
        crawl = SqliteFrontier(job / "frontier.sqlite", exclusive=True)
        await crawl.open()
        said = await asyncio.to_thread(frontier, "replay", job, "--all", "--json")
        assert said.records == [{"task": "news", "replayed": 0}, {"task": "shop", "replayed": 3}]
        leases = await crawl.lease(100)
        assert NASTY in {lease.url for lease in leases}
        await crawl.close()

    asyncio.run(work())


@pytest.mark.parametrize("operation", ["", "stats", "peek", "dead", "replay", "purge"])
def test_help_teaches(operation: str, here: Here) -> None:
    status, out, err = here(*filter(None, [operation]), "--help")
    assert (status, err) == (0, "")
    for word in ("FILE", "--json", f"scrapy frontier {operation} jobs/shop") if operation else ("Operations", "replay"):
        assert word in out


def test_an_output_that_nobody_reads_any_more(tmp_path: Path) -> None:
    async def make() -> None:
        async with Sqlite(tmp_path)() as frontier:
            await filled(frontier, *links(5_000))

    asyncio.run(make())
    command = [sys.executable, "-m", "scrapy", "frontier", "peek", str(tmp_path / "job.sqlite"), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        json.loads(process.stdout.readline())
        process.stdout.close()
        assert process.stderr.read() == ""
