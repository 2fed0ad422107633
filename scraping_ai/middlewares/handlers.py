"""The HTTP download handler: Scrapy's on aiohttp, a fifth cheaper a page than the one on Twisted.

It is the last point before a request is sent, so each passes the guard and its host's gate here: pages, redirects,
retries and robots.txt.
"""

from __future__ import annotations

import asyncio
import logging
import time
from contextvars import ContextVar
from typing import Any, ClassVar

import aiohttp
from scrapy import Request
from scrapy.core.downloader.handlers._aiohttp import AiohttpDownloadHandler
from scrapy.crawler import Crawler
from scrapy.exceptions import DownloadTimeoutError
from scrapy.http import Response
from scrapy.utils.httpobj import urlparse_cached

from scraping_ai.frontier.politeness import Politeness
from scraping_ai.frontier.visit import Visit
from scraping_ai.middlewares.guard.connector import GuardedConnector
from scraping_ai.middlewares.guard.guard import Guard, GuardError
from scraping_ai.middlewares.manners import TROUBLE, Manners

logger = logging.getLogger(__name__)

VISIT: ContextVar[tuple[Visit, asyncio.Timeout]] = ContextVar("visit")  # of the request that this task makes


class GatedRequest(aiohttp.ClientRequest):
    """Passes the gate once it has its connection: opening one takes longer for one request than for the next."""

    async def send(self, conn: Any) -> aiohttp.ClientResponse:
        visit, deadline = VISIT.get()
        waited, due = visit.waited, deadline.when()
        deadline.reschedule(None)
        await visit.enter()
        deadline.reschedule(None if due is None else due + visit.waited - waited)
        response = await super().send(conn)
        visit.set_out()
        return response


class HttpDownloadHandler(AiohttpDownloadHandler):
    """Scrapy calls it experimental at every start; the project tests it and pins Scrapy. RETRY_AFTER_MAX."""

    experimental: ClassVar[bool] = False

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._session._request_class = GatedRequest  # what ClientSession(request_class=...) sets
        self._session._connector._close()  # type: ignore[union-attr]  # has no connections yet
        self._session._connector = GuardedConnector(
            Guard.of(crawler),
            local_addr=self._bind_address,
            limit=self._pool_size_total,
            limit_per_host=self._pool_size_per_host,
        )
        self._has_told_of_guard = False
        self._politeness = Politeness.of(crawler)
        self._politeness.is_kept = True
        self._manners = Manners(crawler)

    async def close(self) -> None:
        await super().close()
        await self._politeness.gates.close()

    async def download_request(self, request: Request) -> Response:
        """The response, after its host's gate; waiting there counts neither as latency nor against a time-out."""
        async with Visit(self._politeness, request.url) as visit:
            began = time.monotonic()
            try:
                response = await self._download(request, visit)
            except TROUBLE:
                await self._manners.failed(visit, began)
                raise
            except GuardError as error:
                self._tell_of_guard(request, error)
                raise
            request.meta["download_latency"] -= visit.waited
            await self._manners.heed(request, response, visit)
            return response

    def _tell_of_guard(self, request: Request, error: GuardError) -> None:
        """Once: a spider of a user's own may have no errback that would."""
        if not self._has_told_of_guard:
            self._has_told_of_guard = True
            logger.warning(
                "%s is not asked: %s (ALLOWED_PRIVATE_HOSTS, docs/fetching.md)",
                *(urlparse_cached(request).hostname, error),
                extra={"spider": self.crawler.spider},
            )

    async def _download(self, request: Request, visit: Visit) -> Response:
        try:
            async with asyncio.timeout(None) as deadline:
                token = VISIT.set((visit, deadline))
                try:
                    return await super().download_request(request)
                finally:
                    VISIT.reset(token)
        except TimeoutError:
            timeout = request.meta.get("download_timeout", self._DEFAULT_CONNECT_TIMEOUT)
            raise DownloadTimeoutError(f"Getting {request.url} took longer than {timeout} seconds.") from None

    def _make_request(self, request: Request, timeout: float) -> Any:
        """As Scrapy's, but with a time-out that can be moved."""
        VISIT.get()[1].reschedule(asyncio.get_running_loop().time() + timeout if timeout else None)
        return super()._make_request(request, 0.0)  # 0.0: none
