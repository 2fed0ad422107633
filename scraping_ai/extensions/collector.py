"""Python's garbage collector, set for crawls: what is there at the start stays, and little of a page needs collecting.

Modules are most of what a crawler holds; looked through again and again, they took a tenth of its processor time.
"""

from __future__ import annotations

import gc

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured


class Collector:
    """GC_THRESHOLDS: as `gc.set_threshold` takes them; empty: all is left as it is."""

    def __init__(self, crawler: Crawler) -> None:
        self.thresholds = [int(number) for number in crawler.settings.getlist("GC_THRESHOLDS")]
        if not self.thresholds:
            raise NotConfigured
        crawler.signals.connect(self.settle, signals.engine_started)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Collector:
        return cls(crawler)

    def settle(self) -> None:
        gc.collect()
        gc.freeze()
        gc.set_threshold(*self.thresholds)
