"""What came of each page goes into the job's file: with its links, in one step with the page's end."""

from __future__ import annotations

from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response
from twisted.python.failure import Failure

from scraping_ai.frontier.scheduler import FrontierScheduler
from scraping_ai.items import Page
from scraping_ai.storage.jobs import Job, page_json, record_json


class Keep:
    """Hands pages to the scheduler once the pipelines are done with them, and notes a job that is done."""

    def __init__(self, crawler: Crawler) -> None:
        job = getattr(crawler.spider, "job", None)
        if not isinstance(job, Job):
            raise NotConfigured
        self.crawler, self.job = crawler, job
        crawler.signals.connect(self.page, signals.item_scraped)
        crawler.signals.connect(self.closed, signals.spider_closed)
        crawler.signals.connect(self.stopped, signals.engine_stopped)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Keep:
        return cls(crawler)

    def page(self, item: Any, response: Response | Failure | None) -> None:
        if isinstance(item, Page):
            scheduler: FrontierScheduler = self.crawler.engine._slot.scheduler  # type: ignore[assignment,union-attr]
            reason = item.reason if item.missed else None
            scheduler.keep(response, reason, page_json(item), [record_json(record) for record in item.records])

    def closed(self, reason: str) -> None:
        if reason == "finished":
            self.job.finish()

    def stopped(self) -> None:
        self.job.close()
