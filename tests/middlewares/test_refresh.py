"""Redirects that stand in pages are followed as Scrapy follows them."""

from __future__ import annotations

import pytest
from scrapy import Request
from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware
from scrapy.http import HtmlResponse
from scrapy.utils.test import get_crawler

from scraping_ai.middlewares.refresh import QuickMetaRefreshMiddleware

TAG = '<meta http-equiv="{}" content="0; url=/other">'
PAGES = {
    "none": b"<h1>refresh</h1>",
    "lower": TAG.format("refresh").encode(),
    "mixed": TAG.format("ReFresh").encode(),
    "utf-16": TAG.format("refresh").encode("utf-16"),
    "late": ("é" * 4000 + TAG.format("refresh")).encode(),
    "too late": ("é" * 5000 + TAG.format("refresh")).encode(),
    "word alone": b"nothing here to see",
}


@pytest.mark.parametrize("body", PAGES.values(), ids=PAGES)
def test_pages_lead_where_scrapy_would_go(body: bytes) -> None:
    crawler = get_crawler()
    answers = []
    for kind in (MetaRefreshMiddleware, QuickMetaRefreshMiddleware):
        request = Request("http://a.example/")
        response = HtmlResponse(request.url, body=body, request=request, encoding=None if b"\0" in body else "utf-8")
        found = kind.from_crawler(crawler).process_response(request, response)
        answers.append((type(found), found.url))
    assert answers[0] == answers[1]
