"""Extraction in worker processes: whatever a page does to its worker costs that page alone."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from servers.shell import FAST, extract
from servers.stuck import StuckWork

from scraping_ai.extraction import Extractor
from scraping_ai.pipelines.pool import Killed, Pool
from scraping_ai.pipelines.workers import Asked, Work

PAGE = b"<html><body><h1>Teapot</h1><p>Price: $29.90</p></body></html>"
TESTS = Path(__file__).parent.parent

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="ends processes by signals")


def in_pool(steps: Callable[[Pool], Awaitable[Any]], processes: int = 1, timeout: float = 0.5) -> Any:
    """Run some calls in a pool whose pages may say how they misbehave."""

    async def run() -> Any:
        work = StuckWork(Extractor("title, price:number"), max_chars=1000)
        pool = Pool(work, processes, timeout, memory=2 * 2**30)
        try:
            await pool.open()
            return await steps(pool)
        finally:
            await pool.close()

    return asyncio.run(run())


def test_what_each_worker_has_to_say_is_logged_here_and_once(caplog: pytest.LogCaptureFixture) -> None:
    async def run() -> list[str]:
        work = Work(Extractor("title, price:number", parsers=["servers.straying.Straying"]))
        pool = Pool(work, processes=2, timeout=30, memory=0)
        try:
            return await asyncio.gather(*(title(pool) for _ in range(8)))
        finally:
            await pool.close()

    assert asyncio.run(run()) == ["Teapot"] * 8
    assert caplog.messages == ["parser Straying: price: '$1.00' does not stand there; dropped (https://shop.example/p)"]


NO_FILES = """
import asyncio, os, resource
from scraping_ai.extraction import Extractor
from scraping_ai.pipelines.pool import Pool
from scraping_ai.pipelines.workers import Work

HARD = resource.getrlimit(resource.RLIMIT_NOFILE)[1]

async def main():
    await asyncio.to_thread(int)
    pool = Pool(Work(Extractor("title")), 1, 0.5, 0)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/dev/fd")), HARD))
    await pool.open()
    await pool.close()

resource.setrlimit(resource.RLIMIT_NOFILE, (256, HARD))
asyncio.run(main())
"""


def test_workers_that_cannot_be_started_are_told_in_one_line() -> None:
    done = subprocess.run([sys.executable, "-c", NO_FILES], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0
    assert done.stderr == "no process for extraction can be started: [Errno 24] Too many open files\n"


async def title(pool: Pool, body: bytes = PAGE) -> str:
    result, _ = await pool.extract(Asked(body, "https://shop.example/p", None))
    return str(result.records[0]["title"])


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"sleep", "extraction took longer than 0.5 s"),
        (b"deaf", "extraction took longer than 0.5 s"),
        (b"crash", "extraction crashed: SIGSEGV"),
        (b"exit", "extraction crashed: exit status 3"),
        (b"hog", "extraction needed more than 2048 MB"),
    ],
)
def test_a_hostile_page_says_why_and_the_next_is_extracted(body: bytes, reason: str) -> None:
    async def steps(pool: Pool) -> str:
        with pytest.raises(Killed) as killed:
            await pool.extract(Asked(body, "https://shop.example/p", None))
        assert str(killed.value) == reason
        return await title(pool)

    assert in_pool(steps) == "Teapot"


def test_pages_beside_a_hostile_one_are_extracted_and_the_event_loop_goes_on() -> None:
    async def steps(pool: Pool) -> tuple[list[Any], float]:
        longest, last = 0.0, time.monotonic()

        async def tick() -> None:
            nonlocal longest, last
            while True:
                await asyncio.sleep(0.01)
                longest, last = max(longest, time.monotonic() - last), time.monotonic()

        ticking = asyncio.create_task(tick())
        bodies = [PAGE, b"sleep", PAGE, b"crash", *[PAGE] * 6]
        found = await asyncio.gather(*(title(pool, body) for body in bodies), return_exceptions=True)
        ticking.cancel()
        return found, longest

    found, longest = in_pool(steps, processes=2)
    assert [type(each) for each in found] == [str, Killed, str, Killed, *[str] * 6]
    assert longest < 0.4


def test_values_still_missing_come_with_the_text_for_a_model_and_its_answers_are_grounded() -> None:
    async def steps(pool: Pool) -> Any:
        page = b"<html><body><h1>Teapot</h1><p>It costs 29.90 and pours well.</p></body></html>"
        result, pruned = await pool.extract(Asked(page, "https://shop.example/p", None))
        assert pruned is not None
        assert "It costs 29.90" in pruned.text
        return (await pool.ground(result, {"price": 29.9}, page)).records

    assert in_pool(steps) == [{"title": "Teapot", "price": 29.9}]


def test_the_program_that_crawls_is_not_run_again_in_the_workers(tmp_path: Path) -> None:
    script = tmp_path / "crawl.py"  # as users write them: no guard around what it does
    script.write_text(
        "import asyncio\nfrom scraping_ai.extraction import Extractor\nfrom scraping_ai.pipelines.pool import Pool\n"
        "from scraping_ai.pipelines.workers import Asked, Work\nprint('started')\n"
        "async def main():\n"
        "    pool = Pool(Work(Extractor('title')), 2, 5, 0)\n"
        "    print((await pool.extract(Asked(b'<h1>Teapot</h1>', '', None)))[0].records)\n"
        "    await pool.close()\n"
        "asyncio.run(main())\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60)
    assert done.stdout == "started\n[{'title': 'Teapot'}]\n"
    assert done.stderr == ""


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_no_process_is_left_when_the_crawler_is_ended(end: signal.Signals) -> None:
    script = (
        "import asyncio\nfrom servers.stuck import StuckWork\nfrom scraping_ai.extraction import Extractor\n"
        "from scraping_ai.pipelines.pool import Pool\nfrom scraping_ai.pipelines.workers import Asked\n"
        "async def main():\n"
        "    pool = Pool(StuckWork(Extractor('title')), 2, 3, 0)\n"
        "    await pool.open()\n    print('ready', flush=True)\n"
        "    await asyncio.gather(*(pool.extract(Asked(body, '', None)) for body in (b'deaf', b'sleep')))\n"
        "asyncio.run(main())\n"
    )
    crawler = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, (str(TESTS), os.environ.get("PYTHONPATH"))))},
    )
    assert crawler.stdout is not None
    assert crawler.stdout.readline() == b"ready\n"
    time.sleep(0.5)
    crawler.send_signal(end)
    crawler.wait(timeout=30)
    assert group_gone(crawler.pid, seconds=15)


def group_gone(group: int, seconds: float) -> bool:
    """Whether all processes of a group are gone before some seconds have passed."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    os.killpg(group, signal.SIGKILL)
    return False


@pytest.mark.parametrize("processes", ["0", "2"])
def test_a_job_extracts_in_line_or_in_workers(tmp_path: Path, processes: str) -> None:
    (tmp_path / "page.html").write_bytes(PAGE)
    run = extract(
        str(tmp_path / "page.html"), "--fields", "title, price:number", "-s", f"EXTRACT_PROCESSES={processes}", *FAST
    )
    assert [(record["title"], record["price"]) for record in run.records] == [("Teapot", 29.9)]
    assert "Traceback" not in run.err
