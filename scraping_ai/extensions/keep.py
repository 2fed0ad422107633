"""What came of each page goes into the frontier: with its links, in one step with the page's end."""

from __future__ import annotations

from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response
from twisted.python.failure import Failure

from scraping_ai.frontier.scheduler import FrontierScheduler, serves_all
from scraping_ai.items import Page
from scraping_ai.storage.jobs import Job, page_json, record_json


class Keep:
    """Hands pages to the scheduler once the pipelines are done with them, and notes a job that is done."""

    def __init__(self, crawler: Crawler) -> None:
        job = getattr(crawler.spider, "job", None)
        self.crawler, self.job = crawler, job if isinstance(job, Job) else None
        if self.job is None and (crawler.spider is None or not serves_all(crawler.spider)):
            raise NotConfigured
        crawler.signals.connect(self.page, signals.item_scraped)
        if self.job is not None:
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
        if reason == "finished" and self.job is not None:
            self.job.finish()

    def stopped(self) -> None:
        if self.job is not None:
            self.job.close()
