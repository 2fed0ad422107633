"""Workers to be killed: crawls in processes of their own, forked from one that has all modules loaded.

with Workers(tmp_path) as workers:
    worker = workers.start(url, settings)
    worker.send(SIGKILL)
    assert worker.wait() == -SIGKILL
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, cast

from scrapy import Request, Spider, signals
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import Response, TextResponse
from scrapy.settings import Settings
from servers.crawls import SETTINGS
from servers.site import Resource

from scraping_ai.frontier import scheduler
from scraping_ai.frontier.protocol import Frontier

QUIET = {"LOG_ENABLED": True, "REMOTE_CONTROL_ENABLED": False, "TELNETCONSOLE_ENABLED": False, "LOG_LEVEL": "INFO"}
PATIENCE = 60.0  # seconds until a worker must have ended


def tree(n: int, delay: float = 0.0) -> dict[str, Any]:
    """n pages that link to four below them, and to what stands elsewhere."""
    return {
        f"/{i}": Resource(" ".join(f"<a href=/{j % n}>" for j in (*range(4 * i + 1, 4 * i + 5), i * 7)), delay=delay)
        for i in range(n)
    }


def until(seen: Callable[[], Any], seconds: float = 30.0) -> Any:
    """What `seen` says as soon as it is anything."""
    end = time.monotonic() + seconds
    while not (answer := seen()):
        assert time.monotonic() < end, "it never came"
        time.sleep(0.01)
    return answer


class Walker(Spider):
    """Walks a site from its first page, and keeps a record of each page with the page's ending.

    A page may say in words what is to happen on it: `kill` or `sleep SECONDS`.
    """

    name = "walker"
    url: str

    async def start(self) -> Any:
        self.crawler.signals.connect(self.keep, signals.item_scraped)
        for url in self.url.split():
            yield Request(url)

    async def parse(self, response: Response) -> Any:
        words = response.css("b::text").get("").split()
        if words[:1] == ["kill"]:
            os.kill(os.getpid(), signal.SIGKILL)
        if words[:1] == ["sleep"]:
            await asyncio.sleep(float(words[1]))
        yield {"url": response.url}
        assert isinstance(response, TextResponse)
        for request in response.follow_all(css="a"):
            yield request

    def keep(self, item: Any, response: Response) -> None:
        """What pipelines and extensions do that keep records in the job's file."""
        cast(Any, self.crawler.engine).scheduler.keep(response, None, "{}", [json.dumps(item)])


class Many(Walker):
    """Serves every task; `url` says `done` if it is to end when nothing is pending. Results name task and address."""

    name = "many"
    serves_all = True

    @property
    def until_done(self) -> bool:
        return self.url == "done"

    async def start(self) -> Any:
        self.crawler.signals.connect(self.keep, signals.item_scraped)
        for _ in ():
            yield

    async def parse(self, response: Response) -> Any:
        scheduler = cast(Any, self.crawler.engine).scheduler
        async for output in super().parse(response):
            if isinstance(output, Request) and "?" not in response.url:  # as a batch, or one by one
                scheduler.offer_links(response, [output.url], response.meta.get("depth", 0) + 1)
            else:
                yield output

    def keep(self, item: Any, response: Response) -> None:
        scheduler = cast(Any, self.crawler.engine).scheduler
        page = {"task": scheduler.task_of_page(response), "url": response.url}
        scheduler.keep(response, None, json.dumps(page), [json.dumps(item)])


SPIDERS = {spider.name: spider for spider in (Walker, Many)}


class Deadly:
    """A frontier whose worker dies `before` or `after` the nth call of one of its methods."""

    def __init__(self, frontier: Frontier, method: str, when: str, nth: int) -> None:
        self._frontier, self._method, self._when, self._left = frontier, method, when, nth

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._frontier, name)
        return self._deadly(method) if name == self._method else method

    def _deadly(self, method: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def called(*args: Any, **kwargs: Any) -> Any:
            self._left -= 1
            self._die("before")
            result = await method(*args, **kwargs)
            self._die("after")
            return result

        return called

    def _die(self, when: str) -> None:
        if when == self._when and self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


def work(url: str, settings: dict[str, Any], dying: list[Any] | None, spider: str) -> None:
    """A worker's whole life."""
    if dying is not None:
        choose = scheduler.choose

        def deadly(*given: Any, **named: Any) -> Any:
            backend = choose(*given, **named)
            return backend._replace(frontier=Deadly(backend.frontier, *dying))

        scheduler.choose = deadly
    process = AsyncCrawlerProcess(Settings(SETTINGS | QUIET | settings))
    process.crawl(SPIDERS[spider], url=url)
    process.start()


@dataclass(frozen=True, slots=True)
class Worker:
    """A process that works."""

    pid: int
    _workers: Workers

    def send(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    def wait(self) -> int:
        """Its exit status, minus the signal's number when one ended it."""
        status = self._workers.ask({"wait": self.pid})
        assert status is not None, f"worker {self.pid} goes on and on:\n{self._workers.log}"
        return int(status)


class Workers:
    """Starts workers; those that are left at the end are killed."""

    def __init__(self, folder: Path) -> None:
        self._log = folder / "workers.log"
        self._pids: list[int] = []

    def __enter__(self) -> Workers:
        path = os.pathsep.join(sys.path)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "servers.workers", self._log],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": path},
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for pid in self._pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self._process.communicate()

    def start(
        self, url: str, settings: dict[str, Any], dying: list[Any] | None = None, spider: str = Walker.name
    ) -> Worker:
        """A worker on the site at `url`; `dying`: (method, before or after, nth call) as Deadly has them."""
        pid = int(self.ask({"start": [url, settings, dying, spider]}))
        self._pids.append(pid)
        return Worker(pid, self)

    def ask(self, what: dict[str, Any]) -> Any:
        stdin, stdout = cast("tuple[IO[str], IO[str]]", (self._process.stdin, self._process.stdout))
        print(json.dumps(what), file=stdin, flush=True)
        return json.loads(stdout.readline())

    @property
    def log(self) -> str:
        """What all workers logged."""
        return self._log.read_text() if self._log.exists() else ""


def serve(log: Path) -> None:
    for line in sys.stdin:
        asked = json.loads(line)
        answer = fork(log, *asked["start"]) if "start" in asked else wait(asked["wait"])
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def fork(log: Path, *given: Any) -> int:
    if pid := os.fork():
        return pid
    status = 1
    try:
        for target, flags in ((0, os.O_RDONLY), (1, os.O_WRONLY | os.O_CREAT | os.O_APPEND)):
            os.dup2(os.open(log if target else os.devnull, flags), target)
        os.dup2(1, 2)
        work(*given)
        status = 0
    finally:
        os._exit(status)


def wait(pid: int) -> int | None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    return None


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
