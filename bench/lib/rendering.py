"""A shop that its scripts make, and the browser rung that renders it, for the benches of the browser."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import scrapy
from aiohttp import web
from scrapy.utils.test import get_crawler

from scraping_ai.middlewares.browser import BrowserDownloadHandler

CONTEXTS = 4
SHELL = '<!doctype html><title>Shop</title><div id="root"></div><script src="/app.js"></script>'
APP = """fetch("/api" + location.pathname).then(r => r.json()).then(d => {
  root.innerHTML = `<h1>${d.name}</h1><p>${d.text}</p>` + d.links.map(n => `<a href="/p/${n}">Teapot ${n}</a>`).join("")
})"""


async def answer(request: web.Request) -> web.Response:
    path = request.path
    if path == "/app.js":
        return web.Response(text=APP, content_type="text/javascript", headers={"Cache-Control": "max-age=3600"})
    if path.startswith("/api/"):
        number = int(path.rpartition("/")[2])
        data = {"name": f"Teapot {number}", "text": "made by hand of clay " * 60, "links": list(range(20))}
        return web.Response(text=json.dumps(data), content_type="application/json")
    return web.Response(text=SHELL, content_type="text/html")


@asynccontextmanager
async def shop() -> AsyncIterator[str]:
    """Its address, without the last `/`."""
    runner = web.AppRunner(web.Application())
    runner.app.router.add_get("/{path:.*}", answer)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.2", 0)
    await site.start()
    try:
        yield f"http://127.0.0.2:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def browser() -> AsyncIterator[BrowserDownloadHandler]:
    """The handler of the browser rung, without politeness."""
    settings = {
        "ALLOWED_PRIVATE_HOSTS": ["127.0.0.0/8"],
        "DOWNLOAD_DELAY": 0.0,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 0,
        "BROWSER_CONTEXTS": CONTEXTS,
        "BROWSER_CONTEXT_PAGES": 50,
    }
    crawler = get_crawler(scrapy.Spider, settings)
    crawler.spider = scrapy.Spider("bench")
    handler = BrowserDownloadHandler(crawler)
    try:
        yield handler
    finally:
        await handler.close()


async def render(handler: BrowserDownloadHandler, site: str, first: int, pages: int) -> None:
    """Render pages by their numbers, all contexts at once. Raises AssertionError for one that is not there."""
    numbers = iter(range(first, first + pages))

    async def work() -> None:
        for number in numbers:
            response = await handler.download_request(scrapy.Request(f"{site}/p/{number}"))
            assert f"<h1>Teapot {number}</h1>".encode() in response.body, number

    await asyncio.gather(*(work() for _ in range(CONTEXTS)))
