"""A dearer rung without a browser: it fetches as HTTP does, says so in a header, and unpacks what `shell` packed up."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Response, TextResponse

from scraping_ai.middlewares.ladder import HTTP, Ladder

PACKED = re.compile(rb'data-page="([^"]*)"')
HEADER = "x-rendered"  # of the requests that it sends


def shell(page: str) -> str:
    """A page of which plain HTTP sees nothing."""
    packed = b64encode(page.encode()).decode()
    return f'<html><body><div id="root"></div><script src="/app.js" data-page="{packed}"></script></body></html>'


class Renderer:
    """What FETCH_HANDLERS takes for the rung `browser`."""

    def __init__(self, crawler: Crawler) -> None:
        self._http = Ladder.of(crawler).handler(HTTP)

    async def download_request(self, request: Request) -> Response:
        sent = request.replace(headers={**request.headers, HEADER: "1"})
        response = await self._http.download_request(sent)
        request.meta["raw_body"] = response.body
        packed = PACKED.search(response.body)
        if packed is None or not isinstance(response, TextResponse):
            return response
        kept: Any = response.headers
        return HtmlResponse(response.url, 200, kept, b64decode(packed[1]), encoding="utf-8")

    async def close(self) -> None:
        """Nothing is held."""
