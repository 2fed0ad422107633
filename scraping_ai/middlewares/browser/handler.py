"""The download handler of the browser rung."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Coroutine
from http.cookies import CookieError, SimpleCookie
from typing import Any, TypeVar
from urllib.parse import urlsplit

from playwright.async_api import BrowserContext, Error, Page
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import DownloadFailedError, DownloadTimeoutError
from scrapy.http import Headers, HtmlResponse, Response
from scrapy.responsetypes import responsetypes

from scraping_ai.frontier.politeness import Politeness
from scraping_ai.frontier.visit import Visit
from scraping_ai.middlewares.browser.chromium import Chromium, Crashed
from scraping_ai.middlewares.browser.content import Content
from scraping_ai.middlewares.browser.options import Options
from scraping_ai.middlewares.browser.pool import Pool
from scraping_ai.middlewares.browser.tab import PACKED, Document, Gate, Tab
from scraping_ai.middlewares.guard.guard import Guard
from scraping_ai.middlewares.manners import TROUBLE, Manners

logger = logging.getLogger(__name__)

TRIES = 2  # of a page whose browser crashed
PORTS = {"http": 80, "https": 443}
T = TypeVar("T")


class BrowserDownloadHandler:
    """Gives the page as its scripts made it. Its settings: `options.Options`; docs/fetching.md, "The browser"."""

    def __init__(self, crawler: Crawler) -> None:
        self.options = Options.of(crawler.settings)
        self._guard = Guard.of(crawler)
        self._politeness = Politeness.of(crawler)
        self._manners = Manners(crawler)
        self.pool = Pool(self.options, self._guard)

    async def download_request(self, request: Request) -> Response:
        """The rendered page; a document that is no HTML as it came, and a redirect to where the page leads.

        `request.meta`: `raw_body` is the document's body before its scripts ran, `captured` the JSON that they fetched.
        Raises GuardError, NotSent, DownloadTimeoutError and DownloadFailedError.
        """
        if request.method != "GET":
            raise DownloadFailedError("the browser is for GET requests")
        place = urlsplit(request.url)
        await self._guard.addresses(place.hostname or "", place.port or PORTS[place.scheme])
        async with Visit(self._politeness, request.url) as visit:
            began = time.monotonic()
            try:
                response = await self._tried(request, visit)
            except TROUBLE:
                await self._manners.failed(visit, began)
                raise
            await self._manners.heed(request, response, visit)
            return response

    async def _tried(self, request: Request, visit: Visit) -> Response:
        for _ in range(TRIES):
            try:
                return await self._rendered(request, visit)
            except Crashed as error:
                logger.info("%s: %s", request.url, error)
        raise DownloadFailedError(f"the browser crashed at it, {TRIES} times")

    async def _rendered(self, request: Request, visit: Visit) -> Response:
        seconds = request.meta.get("download_timeout") or self.options.timeout
        async with self.pool.context() as (browser, context):
            try:
                async with asyncio.timeout(seconds) as deadline:
                    gate = Gate(lambda: entered(visit, deadline), visit.sent)
                    waited = visit.waited
                    response = await either(self._page(request, browser, context, gate), browser.gone, "it crashed")
                    request.meta["download_latency"] -= visit.waited - waited
                    return response
            except TimeoutError:
                raise DownloadTimeoutError(f"Getting {request.url} took longer than {seconds} seconds.") from None

    async def _page(self, request: Request, browser: Chromium, context: BrowserContext, gate: Gate) -> Response:
        """Open a page, and close it whatever happens."""
        page: Page | None = None
        crashed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        try:
            await cookies(context, request)
            page = await context.new_page()
            page.on("crash", lambda _: end(crashed))
            page.on("popup", lambda popup: asyncio.ensure_future(browser.end(popup)))
            session = await context.new_cdp_session(page)
            tab = Tab(session, self.options, browser.proxy, request.url, gate)
            try:
                return await either(self._load(request, tab), crashed, "the page crashed")
            finally:
                await tab.close()
        except Error as error:
            if "has been closed" in error.message and not crashed.done():
                browser.lost()
            if browser.is_spent or crashed.done():
                raise Crashed("the browser crashed") from None
            raise DownloadFailedError(f"the browser says {error.message.splitlines()[0][:200]}") from None
        finally:
            if page is not None:
                await asyncio.shield(browser.end(page))

    async def _load(self, request: Request, tab: Tab) -> Response:
        began = time.monotonic()
        agent = (request.headers.get(b"User-Agent") or b"").decode("latin-1")
        language = (request.headers.get(b"Accept-Language") or b"").decode("latin-1")
        if (agent and agent != self.options.user_agent) or language:
            override = {"userAgent": agent or self.options.user_agent, "acceptLanguage": language}
            await tab.session.send("Emulation.setUserAgentOverride", override)
        await tab.open((request.headers.get(b"Referer") or b"").decode("latin-1"))
        document = await first(tab)
        request.meta["download_latency"] = time.monotonic() - began
        if tab.moved.done() or not document.is_markup:
            return plain(request, document)
        content = Content(tab)
        until = time.monotonic() + self.options.budget
        await content.settled(until)
        if tab.moved.done():
            return plain(request, tab.moved.result())
        if self.options.scrolls > 0:
            await content.unfold(until)
        markup = await content.markup()
        request.meta["raw_body"] = (tab.first or document).body
        if tab.traffic.captured:
            request.meta["captured"] = tab.traffic.captured
        if tab.document.done():  # it may have been loaded anew
            document = tab.document.result()
        headers = fields(document)
        headers[b"Content-Type"] = b"text/html; charset=utf-8"
        body = markup.encode("utf-8", "replace")
        return HtmlResponse(request.url, document.status, headers, body, encoding="utf-8")

    async def close(self) -> None:
        """End all processes of the browser."""
        await self.pool.close()


def end(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


async def entered(visit: Visit, deadline: asyncio.Timeout) -> None:
    """Pass the gate; waiting there counts against no time-out."""
    due, waited = deadline.when(), visit.waited
    deadline.reschedule(None)
    await visit.enter()
    deadline.reschedule(None if due is None else due + visit.waited - waited)


async def either(work: Coroutine[Any, Any, T], broken: asyncio.Future[None], words: str) -> T:
    """What the work gives, unless `broken` comes first: then Crashed is raised."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait((task, broken), return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise Crashed(words)
        return task.result()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def first(tab: Tab) -> Document:
    """The document, or the redirect that came in its place."""
    waits: tuple[Awaitable[Document], ...] = (tab.document, tab.moved)
    await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)  # type: ignore[type-var]
    return tab.moved.result() if tab.moved.done() else tab.document.result()


async def cookies(context: BrowserContext, request: Request) -> None:
    """The crawl's cookies for this page, and no others: who sets them is Scrapy's middleware."""
    await context.clear_cookies()
    given = (request.headers.get(b"Cookie") or b"").decode("utf-8", "replace")
    if given:
        jar: SimpleCookie = SimpleCookie()
        with contextlib.suppress(CookieError):
            jar.load(given)
        if jar:
            parts: Any = [{"name": one.key, "value": one.coded_value, "url": request.url} for one in jar.values()]
            await context.add_cookies(parts)


def fields(document: Document) -> Headers:
    headers = Headers()
    for name, value in document.headers:
        if name.lower() not in PACKED:
            for line in value.split("\n"):  # Chromium joins those of one name
                headers.appendlist(name, line)
    return headers


def plain(request: Request, document: Document) -> Response:
    """A document as it came."""
    headers = fields(document)
    kind = responsetypes.from_args(headers=headers, url=request.url, body=document.body)
    return kind(request.url, status=document.status, headers=headers, body=document.body)
