"""Scrapy's downloader without delays of its own: each request waits at its host's gate, right before it is sent."""

from __future__ import annotations

import sys

from scrapy.core.downloader import Downloader
from scrapy.crawler import Crawler


class GatedDownloader(Downloader):
    """Slots of Scrapy's vary a delay by half and know one process: one host got five requests a second instead of four.

    DOWNLOAD_DELAY, CONCURRENT_REQUESTS_PER_DOMAIN and DOWNLOAD_SLOTS are the gates' (scraping_ai.frontier.politeness).
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._delay = self._jitter = 0.0
        self.ip_concurrency = 0
        self.domain_concurrency = sys.maxsize
        self.per_slot_settings = {}
