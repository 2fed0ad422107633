"""A real browser for tests: the handler of the browser rung with a loop of its own, and a count of its processes."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest
import scrapy
from scrapy.http import Response
from scrapy.utils.test import get_crawler

SETTINGS: dict[str, Any] = {
    "ALLOWED_PRIVATE_HOSTS": ["127.0.0.0/8"],
    "DOWNLOAD_DELAY": 0.0,
    "DOWNLOAD_MAXSIZE": 2 * 2**20,
    "BROWSER_BUDGET": 6.0,
}


def chromium() -> str | None:
    """Why there is no browser for tests; None where there is one."""
    try:
        from scraping_ai.middlewares.browser.options import launch_options

        launch_options({})
    except ImportError:
        return "pip install 'scraping-ai[browser]'"
    except scrapy.exceptions.NotConfigured as error:
        return str(error)
    return None


needs_browser = pytest.mark.skipif(chromium() is not None, reason=str(chromium()))


class Rig:
    """`rig.get(url)` is a page as the browser rung gives it."""

    def __init__(self, **settings: Any) -> None:
        from scraping_ai.middlewares.browser import BrowserDownloadHandler

        class Spider(scrapy.Spider):
            name = "rig"

        crawler = get_crawler(Spider, SETTINGS | settings)
        crawler.spider = Spider()
        self.crawler = crawler
        self.runner = asyncio.Runner()
        self.handler = self.runner.run(_made(BrowserDownloadHandler, crawler))

    def __enter__(self) -> Rig:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.runner.run(self.handler.close())
        self.runner.close()

    def get(self, url: str, **given: Any) -> Response:
        return self.runner.run(asyncio.wait_for(self.fetch(url, **given), 60))

    async def fetch(self, url: str, **given: Any) -> Response:
        request = scrapy.Request(url, **given)
        response: Response = await self.handler.download_request(request)
        response.request = request
        return response


async def _made(kind: Any, crawler: Any) -> Any:
    return kind(crawler)


def processes(mark: str = "chrom", below: int | None = None) -> list[int]:
    """Living processes below one (this one) whose command line has that word."""
    found, level = [], [below or os.getpid()]
    while level:
        level = [child for pid in level for child in children(pid)]
        found += [pid for pid in level if mark in command(pid)]
    return found


def browsers() -> list[int]:
    """Chromium's first processes below this one."""
    return [pid for pid in processes() if "--type=" not in command(pid) and "crashpad" not in command(pid)]


def children(pid: int) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += map(int, task.read_text().split())
        except OSError:
            continue
    return found


def command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
