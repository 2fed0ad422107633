"""However a crawler ends, nothing of its browser is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from servers.browser import command, is_alive, needs_browser, processes
from servers.site import Resource, Site

pytestmark = [needs_browser, pytest.mark.slow, pytest.mark.xdist_group("browser")]

TESTS = Path(__file__).parent.parent
CRAWL = """
import asyncio, sys
import scrapy
from scrapy.crawler import AsyncCrawlerProcess
from servers.browser import SETTINGS

class Spider(scrapy.Spider):
    name = "killed"
    custom_settings = SETTINGS | {
        "ROBOTSTXT_OBEY": False, "FETCH_RUNGS": ["browser"], "LOG_ENABLED": False, "DOWNLOAD_TIMEOUT": 5
    }

    async def start(self):
        yield scrapy.Request(sys.argv[1], meta={"rung": "browser"})

from scrapy.settings import Settings
settings = Settings()
settings.setmodule("scraping_ai.settings")
process = AsyncCrawlerProcess(settings)
process.crawl(Spider)
process.start()
"""


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGKILL])
def test_no_process_is_left(by: signal.Signals, tmp_path: Path) -> None:
    with Site({"/": Resource("<p>a", delay=60)}, host="127.0.0.2") as site:
        env = os.environ | {"PYTHONPATH": os.pathsep.join([str(TESTS), *filter(None, sys.path)])}
        crawler = subprocess.Popen([sys.executable, "-c", CRAWL, site.url()], env=env, cwd=tmp_path)
        until = time.monotonic() + 40
        while "/" not in site.paths and time.monotonic() < until:
            time.sleep(0.05)
        started = processes("", crawler.pid)
        assert any("--type=" in command(pid) for pid in started)
        crawler.send_signal(by)
        crawler.wait(30)
        while (left := list(filter(is_alive, started))) and time.monotonic() < until:
            time.sleep(0.05)
        assert [command(pid) for pid in left] == []
