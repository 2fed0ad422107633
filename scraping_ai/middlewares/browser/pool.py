"""The browser of a crawl: one at a time, started when it is needed and anew when it crashed or grew."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from playwright.async_api import BrowserContext, Error
from scrapy.exceptions import DownloadFailedError

from scraping_ai.middlewares.browser.chromium import Chromium
from scraping_ai.middlewares.browser.options import Options
from scraping_ai.middlewares.guard.guard import Guard
from scraping_ai.middlewares.guard.proxy import ForwardProxy


class Pool:
    """Lends contexts, BROWSER_CONTEXTS at once."""

    def __init__(self, options: Options, guard: Guard) -> None:
        self.options = options
        self.starts = 0
        self._proxy = ForwardProxy(guard)
        self._places = asyncio.Semaphore(options.contexts)
        self._turn = asyncio.Lock()
        self._current: Chromium | None = None
        self._all: set[Chromium] = set()
        self._closed = False

    @asynccontextmanager
    async def context(self) -> AsyncIterator[tuple[Chromium, BrowserContext]]:
        """A context of its own for one page; it is used again unless what happens in it raises."""
        async with self._places:
            browser = await self._browser()
            is_good = False
            try:
                context, pages = await browser.take()
                try:
                    yield browser, context
                    is_good = True
                finally:
                    await asyncio.shield(browser.give(context, pages + 1, is_good=is_good))
            finally:
                browser.busy -= 1
                await self._end_if_spent(browser)

    async def _browser(self) -> Chromium:
        async with self._turn:
            if self._closed:
                raise asyncio.CancelledError
            if self._current is None or self._current.is_spent:
                before, self._current = self._current, None
                if before is not None:
                    await self._end_if_spent(before)
                if not self._proxy.url:
                    await self._proxy.start()
                browser = Chromium(self.options, self._proxy)
                try:
                    await browser.start()
                except Error as error:
                    raise DownloadFailedError(f"the browser does not start: {error.message[:200]}") from None
                self.starts += 1
                self._all.add(browser)
                self._current = browser
            self._current.busy += 1
            return self._current

    async def _end_if_spent(self, browser: Chromium) -> None:
        if browser.is_spent and not browser.busy and browser in self._all:
            self._all.discard(browser)
            await asyncio.shield(browser.close())

    async def memory(self) -> int:
        """Bytes of all its browsers."""
        return sum([await browser.memory() for browser in self._all])

    async def close(self) -> None:
        """End all browsers and the proxy; pages under way fail."""
        self._closed = True
        with contextlib.suppress(asyncio.CancelledError):
            async with self._turn:
                browsers, self._all = self._all, set()
                await asyncio.gather(*(browser.close() for browser in browsers), return_exceptions=True)
                await self._proxy.close()
