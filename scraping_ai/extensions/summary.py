"""What a job did, counted by page and field: in the stats while it runs, and a few lines at its end."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from scraping_ai.frontier.scope import NOT_INCLUDED
from scraping_ai.items import Outcome, Page
from scraping_ai.pipelines.validate import TOO_FEW
from scraping_ai.schema import FieldSchema
from scraping_ai.storage.jobs import Job

logger = logging.getLogger(__name__)

P = "scraping_ai/"  # of all counters here
SHOWN = 3  # pages of those with too few of the fields
MAX_URL = 200  # characters of one
OWN_WORDS = "in the site's own words"


class Summary:
    """Counts every page's outcome, and logs one line for each page that failed and the summary at the end."""

    def __init__(self, crawler: Crawler) -> None:
        schema = getattr(crawler.spider, "schema", None)
        if not isinstance(schema, FieldSchema):
            raise NotConfigured
        self.fields = dict(places(schema.items or schema))
        self.too_few: list[str] = []  # addresses
        self.job: Job | None = getattr(crawler.spider, "job", None)
        self.stats = crawler.stats
        crawler.signals.connect(self.opened, signals.spider_opened)
        crawler.signals.connect(self.page, signals.item_scraped)
        crawler.signals.connect(self.crashed, signals.item_error)
        crawler.signals.connect(self.closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Summary:
        return cls(crawler)

    def opened(self) -> None:
        self.stats.set_value(P + "started", time.time())
        for name in self.fields:  # one that is never filled is the one to tell of
            self.stats.set_value(f"{P}filled/{name}", 0)
        if self.job is None:
            return
        self.stats.set_value(P + "job", str(self.job))
        self.stats.set_value(P + "resumed", self.job.is_resumed)
        for _, page in self.job.pages():  # of before, when it goes on
            self.count(page)

    def page(self, item: Any) -> None:
        if not isinstance(item, Page):
            return
        self.count(item)
        if item.reason not in (None, TOO_FEW):  # that is counted, not told one by one
            logger.warning("%s: %s", printable(item.url), printable(item.reason or ""))

    def count(self, item: Page) -> None:
        self.stats.inc_value(P + "pages")
        if item.reason is not None:
            self.stats.inc_value(f"{P}reason/{general(item.reason)}")
        if item.outcome is not None:
            self.count_outcome(item.outcome)
        if item.reason == TOO_FEW and len(self.too_few) < SHOWN:
            self.too_few.append(printable(item.url)[:MAX_URL])
            self.stats.set_value(P + "too_few", list(self.too_few))
        for record in item.records:
            if record.evidence:
                self.stats.inc_value(P + "records")
            for name, way in self.fields.items():
                if value_at(record.values, way) not in (None, []):
                    self.stats.inc_value(f"{P}filled/{name}")

    def count_outcome(self, outcome: Outcome) -> None:
        self.stats.inc_value(f"{P}fetched/{outcome.rung}")
        self.stats.inc_value(f"{P}class/{outcome.kind}")
        if outcome.kind in ("blocked", "captcha"):
            captcha = "captcha: " if outcome.kind == "captcha" else ""
            by = OWN_WORDS if outcome.reason.startswith("the page says") else outcome.reason
            self.stats.inc_value(f"{P}blocked/{captcha}{by}")

    def crashed(self, item: Any) -> None:
        if isinstance(item, Page):
            self.stats.inc_value(P + "pages")
            self.stats.inc_value(f"{P}reason/internal error")

    def closed(self) -> None:
        for reason, pages in (self.job.passed_over() if self.job is not None else {}).items():
            self.stats.inc_value(f"{P}skipped/{general(reason)}", pages)
        self.stats.set_value(P + "seconds", round(time.time() - self.stats.get_value(P + "started", time.time()), 1))
        for line in summary(self.stats.get_stats()):
            logger.info("%s", line)


def places(schema: FieldSchema, way: tuple[str, ...] = ()) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What is counted of a record: its scalars and lists, those of its objects by dotted name, each with its way."""
    for field in schema.fields:
        here = (*way, field.name)
        if field.type == "object":
            yield from places(field, here)
        else:
            yield ".".join(here), here


def value_at(values: Any, way: Sequence[str]) -> Any:
    """A value in nested records, None where a record is absent."""
    for name in way:
        values = values.get(name) if isinstance(values, dict) else None
    return values


def printable(text: str) -> str:
    """Text from outside on one line, without what a terminal would obey."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def general(reason: str) -> str:
    """The part of a reason that many pages share: what follows a colon is one page's own."""
    return reason.partition(":")[0]


def summary(stats: Mapping[str, Any]) -> list[str]:
    """A few lines for people: pages, records, fill rate per field, reasons, model tokens, seconds."""
    records = stats.get(P + "records", 0)
    pages, seconds = stats.get(P + "pages", 0), stats.get(P + "seconds", 0)
    stopped = ", stopped before the end" if stats.get("finish_reason", "shutdown") == "shutdown" else ""
    if stopped and stats.get(P + "job"):
        stopped += ": the same command goes on"
    lines = [f"{count(pages, 'page')}, {count(records, 'record')} in {seconds} s{stopped}"]
    filled = under(stats, "filled/")
    if records:
        lines.append("filled: " + ", ".join(f"{name} {min(n / records, 1):.0%}" for name, n in filled.items()))
    reasons = under(stats, "reason/") | under(stats, "skipped/")
    if reasons:
        reasons = dict(sorted(reasons.items(), key=lambda entry: -entry[1]))
        lines.append("without a record: " + ", ".join(f"{n} {reason}" for reason, n in reasons.items()))
    if few := stats.get(P + "too_few"):
        more = reasons.get(TOO_FEW, 0) - len(few)
        lines.append(f"{TOO_FEW}: " + ", ".join(few) + (f" and {more:,} more" if more > 0 else ""))
    lines += had_by(under(stats, "fetched/"), under(stats, "blocked/"))
    lines += left_out(under(stats, "links/"), " in this start" if stats.get(P + "resumed") else "")
    if tokens := stats.get(P + "model_tokens"):
        dropped = stats.get(P + "ungrounded", 0)
        lines.append(f"model: {tokens:,} tokens, {dropped} answers not found on the page and dropped")
    if errors := stats.get(P + "model_errors"):
        lines.append(f"model: {count(errors, 'call')} failed")
    return lines


def had_by(rungs: Mapping[str, int], blocks: Mapping[str, int]) -> list[str]:
    """A line of how many pages each rung was the last for, where not all were had over HTTP, and one of who blocked."""
    lines = []
    if rungs.keys() - {"http"}:
        lines.append("pages by rung: " + ", ".join(f"{printable(rung)} {n:,}" for rung, n in sorted(rungs.items())))
    if blocks:
        often = sorted(blocks.items(), key=lambda entry: -entry[1])
        lines.append("blocked: " + ", ".join(f"{n:,} {printable(by)}" for by, n in often))
    return lines


def left_out(links: Mapping[str, int], when: str) -> list[str]:
    """A line of how many links were not followed and why, and one of what to do where a rule of the user's did that."""
    if not links:
        return []
    often = sorted(links.items(), key=lambda entry: -entry[1])
    lines = [f"links not followed{when}: " + ", ".join(f"{n:,} {reason}" for reason, n in often)]
    if NOT_INCLUDED in links:
        lines.append("include holds for every link, also those on the way: add a pattern for pages that lead to others")
    return lines


def under(stats: Mapping[str, Any], group: str) -> dict[str, int]:
    """The counters of a group, as they first came."""
    return {key.removeprefix(P + group): n for key, n in stats.items() if key.startswith(P + group)}


def count(n: int, noun: str) -> str:
    return f"{n:,} {noun}" + ("" if n == 1 else "s")
