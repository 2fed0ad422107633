"""Counts of what was downloaded, under the names that Scrapy has for them.

Scrapy writes each request out once more to learn its size, which took a twentieth of a crawl's processor time.
"""

from __future__ import annotations

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response
from scrapy.statscollectors import StatsCollector
from scrapy.utils.python import global_object_name


class Counts:
    """Requests by method, responses by status, bytes of bodies as they arrived, errors by kind. DOWNLOADER_STATS."""

    def __init__(self, stats: StatsCollector) -> None:
        self.stats = stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Counts:
        if not crawler.settings.getbool("DOWNLOADER_STATS"):
            raise NotConfigured
        return cls(crawler.stats)

    def process_response(self, request: Request, response: Response) -> Response:
        self._count(request, "response_count", f"response_status_count/{response.status}")
        self.stats.inc_value("downloader/response_bytes", len(response.body))
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        kind = global_object_name(exception.__class__)
        self._count(request, "exception_count", f"exception_type_count/{kind}")

    def _count(self, request: Request, *came: str) -> None:
        for name in ("request_count", f"request_method_count/{request.method}", *came):
            self.stats.inc_value(f"downloader/{name}")
