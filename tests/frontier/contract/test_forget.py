"""A task of which nothing is to be left."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing

import pytest
import redis
from servers.frontiers import OnRedis, Opener, Sqlite, eventually, filled, link, links

from scraping_ai.frontier.protocol import Counts, Ending, Frontier, FrontierError, Kind, Limits
from scraping_ai.frontier.redis import scripts
from scraping_ai.frontier.sqlite import forgetting

pytestmark = pytest.mark.anyio


async def work_done(frontier: Frontier, task: str, hosts: int = 3, **limits: int) -> None:
    """A task that has something in every state but leased."""
    offered = [link(f"http://{n}.{task}.example/{i}", depth=i) for n in range(hosts) for i in range(6)]
    await filled(frontier, *offered, task=task, **limits)
    leases = [lease for lease in await frontier.lease(5 * hosts) if lease.task == task]
    await frontier.claim(leases[0], 5)
    kinds = [Kind.STORED, Kind.DEAD, Kind.RETRY, Kind.SKIPPED, Kind.RELEASED]
    ends = [Ending(lease, kinds[i % 5], "x", after=9, page="p", records=["r"]) for i, lease in enumerate(leases)]
    await frontier.settle(ends)
    await frontier.start(task, Limits(**limits), "{}")


async def test_nothing_of_it_is_known_any_more(frontier: Frontier) -> None:
    await work_done(frontier, "t")
    assert len(await frontier.results("t")) == 9
    await frontier.forget("t")
    assert await frontier.tasks() == await frontier.unfinished() == []
    assert (await frontier.counts("t"), await frontier.options("t")) == (Counts(), None)
    assert await frontier.lease(9) == []
    for asked in (frontier.forget("t"), frontier.results("t"), frontier.add("t", links(1))):
        with pytest.raises(LookupError):
            await asked


async def test_a_task_of_its_name_begins_anew(frontier: Frontier) -> None:
    await work_done(frontier, "t", max_pages=9)
    numbers = [result.number for result in await frontier.results("t")]
    await frontier.forget("t")
    await filled(frontier, *links(5))
    assert await frontier.counts("t") == Counts(added=5, queued=5)
    leases = await frontier.lease(9)
    assert len(leases) == 5
    await frontier.settle([Ending(lease, Kind.STORED, page="new") for lease in leases])
    results = await frontier.results("t", after=numbers[-1])
    assert [result.page for result in results] == ["new"] * 5


async def test_ids_and_numbers_of_what_was_forgotten_are_nobody_else_s(frontier: Frontier) -> None:
    """A worker may still have them: of addresses that a task knows, and of results that it has read."""
    ids, numbers = set(), [0]
    for task in ("t", "other", "t", "third"):
        await filled(frontier, *links(2), task=task)
        leases = await frontier.lease(2)
        ids.add(leases[0].task_id)
        await frontier.settle([Ending(lease, Kind.STORED, page="p") for lease in leases])
        numbers += [result.number for result in await frontier.results(task)]
        await frontier.forget(task)
    assert len(ids) == 4
    assert numbers == sorted(set(numbers))


async def test_other_tasks_keep_all_of_theirs(frontier: Frontier) -> None:
    await work_done(frontier, "other")
    before = (await frontier.counts("other"), await frontier.results("other"), await frontier.options("other"))
    offered = [link(f"http://{n}.other.example/{i}") for n in range(3) for i in range(9)]
    await filled(frontier, *offered, *links(3))
    await frontier.forget("t")
    after = (await frontier.counts("other"), await frontier.results("other"), await frontier.options("other"))
    assert after == before
    assert len(await frontier.lease(99)) == before[0].queued


async def test_not_while_pages_of_it_are_under_way_unless_it_was_cancelled(frontier: Frontier) -> None:
    await filled(frontier, *links(3))
    one, two = await frontier.lease(2)
    await frontier.settle([Ending(one, Kind.STORED)])
    with pytest.raises(FrontierError, match="'t' are under way"):
        await frontier.forget("t")
    assert (await frontier.counts("t")).leased == 1
    await frontier.cancel("t")
    await frontier.forget("t")
    await filled(frontier, *links(3))
    assert await frontier.settle([Ending(two, Kind.STORED, links=links(9, "b.example"))]) == [False]
    assert await frontier.renew([two]) == [two]
    assert await frontier.counts("t") == Counts(added=3, queued=3)


async def test_only_when_it_is_done_where_that_is_asked(frontier: Frontier) -> None:
    await filled(frontier, *links(2))
    one, two = await frontier.lease(2)
    await frontier.settle([Ending(one, Kind.STORED)])
    with pytest.raises(FrontierError, match="'t' are under way"):
        await frontier.forget("t", only_done=True)
    for kind, after in ((Kind.RETRY, 0.0), (Kind.RETRY, 99.0)):
        await frontier.settle([Ending(two, kind, after=after)])
        with pytest.raises(FrontierError, match="'t' are pending"):
            await frontier.forget("t", only_done=True)
        if not after:
            (two,) = await eventually(lambda: frontier.lease(1))
    counts = await frontier.counts("t")
    assert (counts.stored, counts.pending) == (1, 1)
    await frontier.cancel("t")
    await frontier.forget("t", only_done=True)
    assert await frontier.tasks() == []


async def test_a_lost_worker_s_pages_can_be_forgotten_too(opened: Opener) -> None:
    async with opened(term=0.0) as frontier:
        await filled(frontier, *links(2))
        for _ in range(2):
            await frontier.begin(await eventually(lambda: frontier.lease(1)))
        await frontier.cancel("t")
        await frontier.forget("t")
        assert await frontier.lease(9) == []
        assert await frontier.tasks() == []


async def test_a_big_one_goes_in_steps_and_whoever_comes_next_goes_on(
    opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when who began is killed in between."""
    shorten_steps(monkeypatch)
    async with opened() as frontier:
        await work_done(frontier, "t", hosts=30)
        with monkeypatch.context() as killed:
            killed.setattr("scraping_ai.frontier.sqlite.backend.go_on", lambda db: False)
            killed.setattr("scraping_ai.frontier.redis.backend.RedisFrontier._sweep", nothing)
            await frontier.forget("t")
        assert left_of_it(opened)
        assert (await frontier.tasks(), await frontier.counts("t")) == ([], Counts())
        await filled(frontier, *links(1), task="t")
        await filled(frontier, task="none")
        await frontier.forget("none")
        assert await frontier.counts("t") == Counts(added=1, queued=1)
        assert [lease.url for lease in await frontier.lease(9)] == [links(1)[0].url]
        await frontier.cancel("t")
        await frontier.forget("t")
    assert left_of_it(opened) == []


async def nothing(self: object) -> int:
    return 0


def shorten_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forgetting, "AT_ONCE", 7)
    load = scripts.load

    def shortened(name: str) -> scripts.Script:
        script = load(name)
        text = script.text.replace("local STEP = 1000", "local STEP = 4")
        return scripts.Script(name, text, scripts.sha1(text.encode()).hexdigest())

    monkeypatch.setattr("scraping_ai.frontier.redis.calls.load", shortened)


def left_of_it(opened: Opener) -> list[str]:
    """Where something of tasks is left, when all of them were forgotten."""
    if isinstance(opened, Sqlite):
        with closing(sqlite3.connect(opened.path)) as db:
            tables = ("task", "seen", "lane", "entry", "record", "reason", "note", "forgotten")
            left = [table for table in tables if db.execute(f"SELECT 1 FROM {table}").fetchone()]
            pages = db.execute("SELECT count(*) FROM page WHERE task <> 0 OR url <> ''").fetchone()
            busy = db.execute("SELECT count(*) FROM host WHERE queued <> 0 OR leased <> 0").fetchone()
            return left + ["page"] * (pages != (0,)) + ["host"] * (busy != (0,))
    assert isinstance(opened, OnRedis)
    with redis.Redis.from_url(opened.url) as client:
        keys = [key.decode("utf-8", "replace").removeprefix(f"{opened.prefix}:") for key in client.keys("*")]
        mine = [key for key in keys if not key.startswith("{") and not key.startswith("call:")]
        return [key for key in mine if key not in ("counters", "paused")]


async def test_while_workers_work(opened: Opener) -> None:
    """Tasks are cancelled, forgotten and started again under the hands of workers: no sum is ever wrong."""
    async with opened() as one, opened() as two:
        await filled(one, *links(40))
        ended = asyncio.Event()

        async def work(frontier: Frontier) -> None:
            while not ended.is_set():
                leases = await frontier.lease(3)
                await frontier.begin(leases)
                await frontier.settle([Ending(lease, Kind.STORED, page="p") for lease in leases])

        async def forget() -> None:
            for _ in range(8):
                await asyncio.sleep(0.01)
                await two.cancel("t")
                await two.forget("t")
                await filled(two, *links(40))
            await eventually(lambda: done(two))
            ended.set()

        await asyncio.gather(work(one), forget())
        assert (await one.counts("t")).stored == len(await one.results("t")) == 40


async def done(frontier: Frontier) -> bool:
    return (await frontier.counts("t")).stored == 40
