"""What a page fetches beside its document: whether it still does, and the JSON that came."""

from __future__ import annotations

import asyncio
import base64
import json
import time
from collections.abc import Callable, Coroutine
from typing import Any

from playwright.async_api import CDPSession, Error

from scraping_ai.middlewares.browser.options import Options

ASKED_BY_SCRIPTS = frozenset({"XHR", "Fetch"})
UNENDING = frozenset({"EventSource", "WebSocket", "Ping", "Media"})
DOCUMENTS = 50  # answers whose cookies are kept: the page's own document is among the first
LATER = 0.25  # seconds
FOLLOWED = 5_000  # requests of a page


class Traffic:
    """Requests under way and JSON answers of one page; BROWSER_CAPTURED answers of BROWSER_CAPTURED_BYTES together.

    The limit is the browser's own: it keeps no body that is longer.
    """

    def __init__(self, session: CDPSession, options: Options) -> None:
        self.session, self.options = session, options
        self.captured: list[dict[str, str]] = []
        self.changed = time.monotonic()  # when a request began or ended
        self._under_way: set[str] = set()
        self._seen = 0
        self._json: dict[str, str] = {}  # request: address
        self._left = options.captured_bytes
        self._reading = 0
        self._set: dict[str, asyncio.Future[list[str]]] = {}  # request: the cookies that its answer sets
        self._spawn: Callable[[Coroutine[Any, Any, None]], None] = lambda work: work.close()

    @property
    def is_quiet(self) -> bool:
        return not self._under_way and not self._reading

    async def start(self, spawn: Callable[[Coroutine[Any, Any, None]], None]) -> None:
        self._spawn = spawn
        self.session.on("Network.requestWillBeSent", self._sent)
        self.session.on("Network.responseReceived", self._answered)
        self.session.on("Network.responseReceivedExtraInfo", self._heads)
        self.session.on("Network.loadingFinished", self._finished)
        self.session.on("Network.loadingFailed", self._failed)
        limit = self.options.captured_bytes
        await self.session.send("Network.enable", {"maxTotalBufferSize": 4 * limit, "maxResourceBufferSize": limit})

    async def stop(self) -> None:
        self._spawn = lambda work: work.close()

    def _sent(self, event: dict[str, Any]) -> None:
        self._seen += 1
        if event.get("type") not in UNENDING and self._seen <= FOLLOWED:
            self._under_way.add(event["requestId"])
            self.changed = time.monotonic()

    def _heads(self, event: dict[str, Any]) -> None:
        if event["requestId"] not in self._set and len(self._set) >= DOCUMENTS:
            return
        lines = [value for name, value in event["headers"].items() if name.lower() == "set-cookie"]
        future = self._cookies_of(event["requestId"])
        if not future.done():
            future.set_result([line for value in lines for line in value.split("\n")])

    def _cookies_of(self, request: str) -> asyncio.Future[list[str]]:
        return self._set.setdefault(request, asyncio.get_running_loop().create_future())

    async def cookies(self, request: str) -> list[str]:
        """The Set-Cookie fields of an answer: Chromium tells them apart from the others, and maybe a little later."""
        try:
            async with asyncio.timeout(LATER):
                return await self._cookies_of(request)
        except TimeoutError:
            return []

    def _answered(self, event: dict[str, Any]) -> None:
        answer = event["response"]
        is_json = "json" in answer.get("mimeType", "").lower()
        if event.get("type") in ASKED_BY_SCRIPTS and is_json and 200 <= answer["status"] < 300:
            self._json[event["requestId"]] = answer["url"]
        if answer.get("mimeType") == "text/event-stream":
            self._end(event)

    def _finished(self, event: dict[str, Any]) -> None:
        url = self._json.pop(event["requestId"], None)
        if url is not None and len(self.captured) + self._reading < self.options.captured and self._left > 0:
            self._reading += 1
            self._spawn(self._capture(event["requestId"], url))
        self._end(event)

    def _failed(self, event: dict[str, Any]) -> None:
        self._json.pop(event["requestId"], None)
        self._end(event)

    def _end(self, event: dict[str, Any]) -> None:
        if event["requestId"] in self._under_way:
            self._under_way.discard(event["requestId"])
            self.changed = time.monotonic()

    async def _capture(self, request: str, url: str) -> None:
        try:
            told = await self.session.send("Network.getResponseBody", {"requestId": request})
            raw = base64.b64decode(told["body"]) if told["base64Encoded"] else told["body"].encode("utf-8", "replace")
            if len(raw) > self._left:
                return
            body = raw.decode("utf-8-sig")
            json.loads(body)
            self._left -= len(raw)
            self.captured.append({"url": url, "body": body})
        except (Error, ValueError, RecursionError, asyncio.CancelledError):
            pass
        finally:
            self._reading -= 1
            self.changed = time.monotonic()
