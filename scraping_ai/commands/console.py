"""A job at a terminal: progress while it works, then a table of records and a summary."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.table import Table
from rich.text import Text
from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.settings import Settings

from scraping_ai.commands.interrupts import Process, stop_at_once
from scraping_ai.extensions.summary import P, count, printable, summary
from scraping_ai.frontier.scheduler import FAILED
from scraping_ai.items import Page, Record
from scraping_ai.options import OptionError, Options
from scraping_ai.schema import columns
from scraping_ai.spiders.extract import ExtractSpider
from scraping_ai.spiders.lessons import refuse_useless
from scraping_ai.storage.exports import flatten, refuse_unwritable

logger = logging.getLogger(__name__)

MAX_ROWS = 20
MAX_EVIDENCE = 5  # records whose evidence is shown
MAX_CELL = 60  # characters; columns give way down to the least
MIN_COLUMN, MIN_URL = 8, 20


def run_job(options: Options, settings: Settings) -> int:
    """Run the job to its end and return the exit status: 0, 1 when no record held a value, or 128 + a signal's number.

    Raises OptionError when an output file can't be written, no example can be used, or the job can't go on.
    """
    if not settings.getdict("FEEDS") and not sys.stdout.isatty():
        settings.set("FEEDS", {"stdout:": {"format": "jsonl"}}, priority="cmdline")
    refuse_unwritable(settings.getdict("FEEDS"), options)
    refuse_useless(options)
    process = Process(settings)
    crawler = process.create_crawler(ExtractSpider)
    report = Report(crawler, options)
    job = process.crawl(crawler, options=options)
    with report:
        process.start()
    if process.told and not job.done():
        sys.stdout.flush()
        os._exit(process.status)  # what would remove the job's file does not run
    signal.signal(signal.SIGINT, stop_at_once)  # once more: the job's own handlers are gone
    stats = crawler._stats.get_stats() if crawler._stats else {}
    if process.bootstrap_failed and stats.get("finish_reason") != FAILED:
        refuse_failed(job)
        return 1
    report.show()
    if P + "output_failed" in stats:  # what Python flushes at its end has nowhere to go
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    lost = (
        P + "output_failed" in stats
        or stats.get("finish_reason") == FAILED
        or any(name.startswith("feedexport/failed_count") for name in stats)
    )
    return process.status or (1 if lost or not stats.get(P + "records") else 0)


def refuse_failed(job: asyncio.Task[None]) -> None:
    """One line for a job that could not start: a class that a setting names and nothing has, for the most part.

    Raises OptionError where it is the job's options.
    """
    if job.done() and not job.cancelled() and (error := job.exception()) is not None:
        if isinstance(error, OptionError):
            raise error
        logger.error("the job could not start: %s: %s", type(error).__name__, " ".join(str(error).split()))
        logger.debug("where", exc_info=error)


class Report:
    """Follows a crawler's pages; a context in which progress is shown on standard error."""

    def __init__(self, crawler: Crawler, options: Options) -> None:
        self.crawler, self.options = crawler, options
        self.records: list[tuple[str, Record]] = []  # with the page's address
        self.total = 0
        self.screen = Console(stderr=True)
        self.live = Live(console=self.screen, get_renderable=self.progress, transient=True, refresh_per_second=4)
        crawler.signals.connect(self.opened, signals.spider_opened)
        crawler.signals.connect(self.page, signals.item_scraped)

    def __enter__(self) -> Report:
        if self.screen.is_terminal:
            self.live.start()
            log_to_stderr()  # which Live has replaced: lines go above the progress, not through it
        return self

    def __exit__(self, *_: object) -> None:
        self.live.stop()
        log_to_stderr()

    def opened(self, spider: ExtractSpider) -> None:
        """Start with what the job has already."""
        for _, page in spider.job.pages():
            self.page(page)
            if len(self.records) >= MAX_ROWS:
                break
        _, self.total, _ = spider.job.total()

    def page(self, item: Any) -> None:
        if isinstance(item, Page):
            self.records += [(item.url, record) for record in item.records[: MAX_ROWS - len(self.records)]]
            self.total += len(item.records)

    def progress(self) -> Text:
        stats = self.crawler._stats
        pages = stats.get_value(P + "pages", 0) if stats else 0
        return Text(f"{count(pages, 'page')}, {count(self.total, 'record')} ...")

    def show(self) -> None:
        """The table on a terminal's standard output, the summary on standard error."""
        if sys.stdout.isatty() and self.records:
            out = Console()
            out.print(self.table() if self.fits(out.width) else self.listing())
            if self.options.evidence:
                out.print(self.evidence())
        for line in summary(self.crawler.stats.get_stats()):
            self.screen.print(line, markup=False, highlight=False, soft_wrap=True)

    def table(self) -> Table:
        names = [*columns(self.options.schema), "_url"]
        table = Table(caption=self.more())
        for name in names:
            table.add_column(name, no_wrap=True, min_width=MIN_URL if name == "_url" else min(len(name), MIN_COLUMN))
        for url, record in self.records:
            cells: dict[str, Any] = {"_url": url}
            flatten(record.values, "", cells)
            table.add_row(*(cell(cells.get(name)) for name in names))
        return table

    def fits(self, width: int) -> bool:
        """Whether a terminal of that width shows something in every column."""
        return sum(min(len(name), MIN_COLUMN) + 3 for name in columns(self.options.schema)) + MIN_URL + 4 <= width

    def listing(self) -> Table:
        """A line a value, for records of many fields."""
        table = Table("field", "value", caption=self.more())
        for url, record in self.records:
            cells: dict[str, Any] = {"_url": url}
            flatten(record.values, "", cells)
            for name in ("_url", *columns(self.options.schema)):
                table.add_row(escape(name), cell(cells.get(name)))
            table.add_section()
        return table

    def more(self) -> str | None:
        return f"and {self.total - len(self.records):,} more" if self.total > len(self.records) else None

    def evidence(self) -> Table:
        table = Table("field", "text on the page", "where", "method")
        for _, record in self.records[:MAX_EVIDENCE]:
            for path, found in record.evidence.items():
                where = found.xpath + (f" {found.pointer}" if found.pointer else "")
                table.add_row(escape(path), cell(found.text), escape(where), found.method)
            table.add_section()
        return table


def cell(value: Any) -> str:
    """A value as a table shows it: one line, cut."""
    line = printable(str("" if value is None else value))
    return escape(line if len(line) <= MAX_CELL else line[: MAX_CELL - 1] + "…")


def log_to_stderr() -> None:
    for handler in logging.root.handlers:
        if type(handler) is logging.StreamHandler:
            handler.setStream(sys.stderr)
