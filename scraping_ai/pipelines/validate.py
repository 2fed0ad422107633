"""The validate stage: which of a page's records count, and what they lack."""

from __future__ import annotations

from typing import Any

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from scraping_ai.items import Page, Record
from scraping_ai.options import HasTasks
from scraping_ai.schema import FieldSchema, empty_record

TOO_FEW = "too few of the fields"  # the everyday end of a followed page


class ValidatePipeline:
    """Keeps a followed page's records only when they hold enough of the required fields.

    A crawl passes over front pages, categories and imprints that have a title and nothing else asked for. A page that
    the user named always gives a record, an empty one with the page's reason where nothing was found.
    """

    def __init__(self, crawler: Crawler) -> None:
        spider: Any = crawler.spider
        if not isinstance(spider, HasTasks):
            raise NotConfigured
        self.spider = spider
        self.least = crawler.settings.getfloat("RECORD_MIN_FILL")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ValidatePipeline:
        return cls(crawler)

    def process_item(self, page: Page) -> Page:
        schema = self.spider.options_of(page.task).schema
        if not page.named:
            required = required_of(schema)
            page.records = [record for record in page.records if self.counts(record, required)]
        if page.reason is None and not any(record.evidence for record in page.records):
            page.reason = why_none(page)
        if page.named and not page.records and schema.type == "object":
            page.records = [Record(values=empty_record(schema))]
        return page

    def counts(self, record: Record, required: list[str]) -> bool:
        held = sum(record.values.get(name) not in (None, []) for name in required)
        return held / len(required) > self.least


def required_of(schema: FieldSchema) -> list[str]:
    """The fields of a record that count: the required ones, or all."""
    fields = (schema.items or schema).fields
    return [field.name for field in fields if field.required] or [field.name for field in fields]


def why_none(page: Page) -> str:
    """Why a page that was had gave no record."""
    if page.outcome is not None and page.outcome.kind in ("js_shell", "empty"):
        return page.outcome.words
    return "nothing found" if page.named else TOO_FEW
