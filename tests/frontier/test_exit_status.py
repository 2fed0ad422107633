"""`scrapy crawl` and `scrapy runspider` on a frontier that can't be used: one line says why, and they exit with 1."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import PIPE

import pytest
from servers.shell import Run, scrapy
from servers.site import Site

SPIDER = """
import scrapy

class Plain(scrapy.Spider):
    name = "plain"

    async def start(self):
        yield scrapy.Request(self.url)

    def parse(self, response):
        yield {"url": response.url}

class Failing(Plain):
    async def start(self):
        self.crawler.engine.scheduler.session.frontier.begin = None  # as if something were wrong with it
        yield scrapy.Request(self.url)
"""


@pytest.fixture
def site() -> Iterator[Site]:
    with Site({"/": "page"}) as site:
        yield site


def runspider(site: Site, tmp_path: Path, *args: str, cut: str = "class Failing") -> Run:
    (tmp_path / "plain.py").write_text(SPIDER.partition(cut)[0])
    settings = ["-s", "SCHEDULER=scraping_ai.frontier.scheduler.FrontierScheduler", "-s", "TELNETCONSOLE_ENABLED=0"]
    return scrapy("runspider", "plain.py", "-a", f"url={site.url('/')}", *settings, *args, cwd=tmp_path)


def check(run: Run, site: Site, line: str) -> None:
    errors = [text for text in run.err.splitlines() if " ERROR: " in text]
    assert (run.status, len(errors), site.paths) == (1, 1, [])
    assert errors[0].endswith(line)
    assert "Traceback" not in run.err


def test_a_job_that_another_process_works_on(site: Site, tmp_path: Path) -> None:
    file = tmp_path / "job" / "frontier.sqlite"
    file.parent.mkdir()
    hold = (
        "import sys; from scraping_ai.frontier.sqlite.owner import Owner, Path\n"
        "owner = Owner(Path(sys.argv[1])); print(); input()"
    )
    with subprocess.Popen([sys.executable, "-c", hold, file], stdin=PIPE, stdout=PIPE, text=True) as other:
        assert other.stdout is not None
        other.stdout.readline()
        run = runspider(site, tmp_path, "-s", f"JOBDIR={file.parent}")
        other.communicate("\n")
    check(run, site, f"{file} is in use by another process")


def test_no_redis(site: Site, tmp_path: Path) -> None:
    run = runspider(site, tmp_path, "-s", "FRONTIER_URL=redis://127.0.0.1:1/")
    assert run.status == 1
    check(run, site, run.err[run.err.index("ERROR: ") + 7 :].partition("\n")[0])
    assert "127.0.0.1:1" in run.err


def test_scrapy_crawl_of_the_project(site: Site, tmp_path: Path) -> None:
    (tmp_path / "frontier.sqlite").write_text("no database at all, but long enough to have a header of one " * 20)
    args = ["-a", f"url={site.url('/')}", "-s", f"JOBDIR={tmp_path}"]
    run = scrapy("crawl", "plain", *args, cwd=project(tmp_path))
    check(run, site, "")
    assert "frontier.sqlite" in run.err


def project(tmp_path: Path) -> Path:
    """A project of somebody's with the spider."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "spiders.py").write_text(SPIDER.partition("class Failing")[0])
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = own_settings\n")
    (folder / "own_settings.py").write_text(
        'SPIDER_MODULES = ["spiders"]\nSCHEDULER = "scraping_ai.frontier.scheduler.FrontierScheduler"\n'
    )
    return folder


def test_a_frontier_that_fails_on_the_way(site: Site, tmp_path: Path) -> None:
    run = runspider(site, tmp_path, "-s", f"JOBDIR={tmp_path / 'job'}", "-L", "ERROR", cut="\n\n\n")
    assert (run.status, "the frontier fails" in run.err) == (1, True)


def test_one_that_can_be_used(site: Site, tmp_path: Path) -> None:
    run = runspider(site, tmp_path, "-s", f"JOBDIR={tmp_path / 'job'}")
    assert (run.status, site.paths) == (0, ["/"])
