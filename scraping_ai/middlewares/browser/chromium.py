"""One Chromium with its contexts, from its start to its end."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import Any

from playwright.async_api import Browser, BrowserContext, CDPSession, Error, Page, Playwright, async_playwright

from scraping_ai.middlewares.browser import processes
from scraping_ai.middlewares.browser.options import Options
from scraping_ai.middlewares.guard.proxy import ForwardProxy

logger = logging.getLogger(__name__)

ENDING = 5.0  # seconds that a part of the browser may take to close before it is killed
LOOK = 2.0  # seconds between two looks at its memory
TOO_MUCH = 2  # times BROWSER_MEMORY: then its pages do not end first
SIZE = {"width": 1280, "height": 1600}


class Crashed(Exception):
    """The page or its browser is gone; the page may be tried in another."""


class Chromium:
    """Has a driver process of its own, so that nothing of it outlives `close`. A context has one page at a time."""

    def __init__(self, options: Options, proxy: ForwardProxy) -> None:
        self.options, self.proxy = options, proxy
        self.busy = 0
        self.is_spent = False  # it serves the pages that it has, and no more
        self.gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._free: list[tuple[BrowserContext, int]] = []
        self._playwright: Playwright
        self._browser: Browser
        self._control: CDPSession
        self._pid = self._driver = 0
        self._watch: asyncio.Task[None] | None = None
        self._closing: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Raises playwright's Error where it does not start."""
        manager: Any = async_playwright()
        self._playwright = await manager.start()
        # Playwright leaves it to asyncio, which logs a traceback when it is collected.
        manager._client._transport.on_error_future.add_done_callback(_heard)
        launch = self.options.launch
        args = [*launch["args"], *self.proxy.arguments]
        # Its password is given where it is asked for (Tab).
        proxy: Any = {name: self.proxy.launch_option[name] for name in ("server", "bypass")}
        try:
            self._browser = await self._playwright.chromium.launch(**launch | {"args": args, "proxy": proxy})
            self._browser.on("disconnected", lambda _: self.lost())
            self._control = await self._browser.new_browser_cdp_session()
            told = (await self._control.send("SystemInfo.getProcessInfo"))["processInfo"]
            self._pid = next((one["id"] for one in told if one["type"] == "browser"), 0)
            self._driver = processes.parent(self._pid)
        except BaseException:
            await self._playwright.stop()
            raise
        self._watch = asyncio.ensure_future(self._look())

    def lost(self) -> None:
        """It or its driver is gone, whoever noticed."""
        self.is_spent = True
        if not self.gone.done():
            self.gone.set_result(None)

    async def _look(self) -> None:
        """Whether it holds too much memory."""
        while True:
            await asyncio.sleep(LOOK)
            held = await self.memory()
            limit = self.options.memory
            if limit and held > limit and not self.is_spent:
                logger.info("the browser holds %d MiB and is started anew", held >> 20)
                self.is_spent = True
            if limit and held > TOO_MUCH * limit:
                processes.kill(self._pid)
                return

    async def memory(self) -> int:
        """Bytes of all its processes."""
        try:
            told = await self._control.send("SystemInfo.getProcessInfo")
        except Error:
            return 0
        return processes.memory(one["id"] for one in told["processInfo"])

    async def take(self) -> tuple[BrowserContext, int]:
        """A context, and how many pages it had. Raises Crashed."""
        if self._free:
            return self._free.pop()
        try:
            return await self._made(), 0
        except Error:  # that of a driver that ended is told by nothing else
            self.lost()
            raise Crashed("the browser is gone") from None

    async def _made(self) -> BrowserContext:
        return await self._browser.new_context(
            user_agent=self.options.user_agent or None,
            accept_downloads=False,
            service_workers="block",
            ignore_https_errors=not self.options.verify,
            reduced_motion="reduce",
            viewport=SIZE,  # type: ignore[arg-type]
        )

    async def give(self, context: BrowserContext, pages: int, *, is_good: bool) -> None:
        """Take a context back; one that is spent, or whose page ended badly, is closed."""
        if is_good and pages < self.options.context_pages and not self.is_spent:
            self._free.append((context, pages))
        else:
            await self.end(context)

    async def end(self, part: Page | BrowserContext) -> None:
        """Close a page or a context; a browser that cannot is killed."""
        try:
            async with asyncio.timeout(ENDING):
                await part.close()
        except Error:
            pass
        except TimeoutError:
            self.is_spent = True
            processes.kill(self._pid)

    async def close(self) -> None:
        """End all of its processes; once, whoever asks."""
        self.is_spent = True
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._close())
        await asyncio.shield(self._closing)

    async def _close(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
        try:
            async with asyncio.timeout(ENDING):
                with contextlib.suppress(Error):
                    await self._browser.close()
        except TimeoutError:
            processes.kill(self._pid)
        try:
            async with asyncio.timeout(ENDING):
                with contextlib.suppress(Exception):
                    await self._playwright.stop()
        except TimeoutError:
            processes.kill(self._driver)
        self.lost()


def _heard(ended: asyncio.Future[Any]) -> None:
    """That a driver is gone shows at the next page."""
    if not ended.cancelled():
        ended.exception()
