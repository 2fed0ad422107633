"""Redirects are followed as Scrapy follows them, but for those that would log in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from scrapy import Request, Spider
from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware
from scrapy.http import HtmlResponse, Response
from scrapy.utils.test import get_crawler
from servers.crawls import crawl
from servers.site import Resource, Site

from scraping_ai import settings
from scraping_ai.middlewares.redirects import QuickMetaRefreshMiddleware

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


class Visitor(Spider):
    """One of a user's own."""

    name = "visitor"
    url: str

    async def start(self) -> AsyncIterator[Request]:
        yield Request(self.url)

    def parse(self, response: Response) -> Iterator[dict[str, Any]]:
        yield {"url": response.url}


def visited(folder: Path, url: str) -> tuple[list[Any], list[str | None]]:
    """What came of an address, and the reasons why pages were not had."""
    done = crawl(Visitor, folder, {"url": url}, DOWNLOADER_MIDDLEWARES_BASE=settings.DOWNLOADER_MIDDLEWARES_BASE)
    return [item["url"] for item in done.items], [reason for _, reason, _ in done.endings.values()]


def test_every_spiders_redirects_lead_to_no_login(tmp_path: Path) -> None:
    with Site({"/": "here"}) as site:
        login = site.url("/").replace("://", "://user:secret@")
        site.pages["/moved"] = Resource(status=301, headers={"Location": login})
        site.pages["/near"] = Resource(status=301, headers={"Location": "/"})
        assert visited(tmp_path / "a", site.url("/moved")) == ([], ["redirects to an address with a password"])
        assert visited(tmp_path / "b", site.url("/near")) == ([site.url("/")], [None])
        # The spider's own code gave this one.
        assert visited(tmp_path / "c", f"{login}near") == ([login], [None])
