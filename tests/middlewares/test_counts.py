"""Downloads are counted under Scrapy's names, as often as Scrapy counts them."""

from __future__ import annotations

from scrapy import Request
from scrapy.downloadermiddlewares.stats import DownloaderStats
from scrapy.http import Response
from scrapy.utils.test import get_crawler

from scraping_ai.middlewares.counts import Counts

SIZES = ("downloader/request_bytes", "downloader/response_bytes")  # theirs hold headers


def test_counts_are_scrapy_s() -> None:
    found = []
    for kind in (DownloaderStats, Counts):
        crawler = get_crawler()
        counts = kind.from_crawler(crawler)
        for method, status in (("GET", 200), ("GET", 404), ("POST", None)):
            request = Request("http://a.example/", method=method)
            if isinstance(counts, DownloaderStats):
                counts.process_request(request)
            if status is None:
                counts.process_exception(request, TimeoutError())
            else:
                counts.process_response(request, Response(request.url, status=status, body=b"four"))
        found.append(crawler.stats.get_stats())
    theirs, ours = found
    assert {name: n for name, n in theirs.items() if name not in SIZES} == {
        name: n for name, n in ours.items() if name not in SIZES
    }
    assert ours["downloader/response_bytes"] == 8
