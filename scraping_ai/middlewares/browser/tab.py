"""One page of the browser: its document, its navigations and what its scripts fetch, by Chromium's own protocol.

Playwright's routes see no hop of a redirect and hold whole bodies without a limit; here each document is stopped when
its answer begins, so a redirect is handed back instead of followed, and a body is read up to a limit.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, NamedTuple
from urllib.parse import urldefrag, urljoin, urlsplit

from playwright.async_api import CDPSession, Error
from scrapy.exceptions import DownloadCancelledError, DownloadFailedError

from scraping_ai.middlewares.browser.options import Options
from scraping_ai.middlewares.browser.scripts import NO_WINDOWS
from scraping_ai.middlewares.browser.trackers import PATTERNS
from scraping_ai.middlewares.browser.traffic import Traffic
from scraping_ai.middlewares.guard.proxy import ForwardProxy

RESOURCE = {
    name.lower(): name
    for name in "Image Font Media Stylesheet Script XHR Fetch WebSocket Manifest TextTrack Other".split()
}
REDIRECTS = frozenset({301, 302, 303, 307, 308})
NO_BODY = frozenset({204, 205, 304})
CHUNK = 2**20
RELOADS = 2  # of the same address: pages that set a cookie and ask again
MARKUP = ("text/html", "application/xhtml+xml")
# Of the body as it came; what is handed on is unpacked.
PACKED = frozenset({"content-encoding", "content-length", "transfer-encoding"})

Headers = list[tuple[str, str]]


class Document(NamedTuple):
    """What the server answered for the page's address, or a redirect to another one."""

    status: int
    headers: Headers
    body: bytes

    @property
    def is_markup(self) -> bool:
        kind = next((value for name, value in self.headers if name.lower() == "content-type"), "text/html")
        return kind.partition(";")[0].strip().lower() in MARKUP and self.status not in NO_BODY and bool(self.body)


class Gate(NamedTuple):
    """What is done before and after a document is asked for."""

    enter: Callable[[], Awaitable[None]]
    sent: Callable[[], Awaitable[None]]


class Tab:
    """Loads one address; `document` is done when its answer is there, `moved` when the page wants to go elsewhere."""

    def __init__(self, session: CDPSession, options: Options, proxy: ForwardProxy, url: str, gate: Gate) -> None:
        self.session, self.options, self.proxy, self.gate = session, options, proxy, gate
        self.url = urldefrag(url).url
        loop = asyncio.get_running_loop()
        self.document: asyncio.Future[Document] = loop.create_future()
        self.moved: asyncio.Future[Document] = loop.create_future()
        self.first: Document | None = None
        self.traffic = Traffic(session, options)
        self.frame = ""
        self.is_touched = False  # what happens now may be our own doing: no navigation is a redirect
        self._asked = 0
        self._tasks: set[asyncio.Task[None]] = set()

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Have something done that ends with the page."""
        task = asyncio.ensure_future(self._quietly(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _quietly(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except Error:  # the page is gone, or what was asked for is
            pass
        except Exception as error:  # noqa: BLE001  # whoever waits for the document gets it
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        if not self.document.done():
            self.document.set_exception(error)

    async def open(self, referrer: str = "") -> None:
        """Ask for the address; returns when that is under way or has failed."""
        send = self.session.send
        self.session.on("Fetch.requestPaused", lambda event: self.spawn(self._paused(event)))
        self.session.on("Fetch.authRequired", lambda event: self.spawn(self._asked_who(event)))
        await asyncio.gather(
            send("Fetch.enable", {"patterns": list(self._patterns()), "handleAuthRequests": True}),
            self.traffic.start(self.spawn),
            send("Page.enable"),
            send("Page.addScriptToEvaluateOnNewDocument", {"source": NO_WINDOWS}),
        )
        self.spawn(self._navigate({"url": self.url, **({"referrer": referrer} if referrer else {})}))

    async def _navigate(self, what: dict[str, Any]) -> None:
        told = await self.session.send("Page.navigate", what)
        self.frame = self.frame or told["frameId"]
        if told.get("errorText") and told["errorText"] != "net::ERR_ABORTED":
            self._fail(DownloadFailedError(f"the browser says {told['errorText']}"))

    def _patterns(self) -> Any:
        for stage in ("Request", "Response"):
            yield {"urlPattern": "*", "resourceType": "Document", "requestStage": stage}
        for kind in self.options.abort & RESOURCE.keys():
            yield {"urlPattern": "*", "resourceType": RESOURCE[kind], "requestStage": "Request"}
        if "image" in self.options.abort:
            yield {"urlPattern": "*/favicon.ico", "requestStage": "Request"}
        if "tracker" in self.options.abort:
            for pattern in PATTERNS:
                yield {"urlPattern": pattern, "requestStage": "Request"}

    async def _paused(self, event: dict[str, Any]) -> None:
        if event["resourceType"] != "Document":
            await self._abort(event, "BlockedByClient")
            return
        self.frame = self.frame or event["frameId"]  # an empty page has no frames: the first is its own
        is_answer = "responseStatusCode" in event or "responseErrorReason" in event
        if event["frameId"] != self.frame:
            await self._subframe(event, is_answer)
        elif is_answer:
            await self._answered(event)
        else:
            await self._navigation(event)

    async def _asked_who(self, event: dict[str, Any]) -> None:
        """Only our own proxy is answered. Were Playwright to do it, it would have Chromium's cache off."""
        answer = {"response": "CancelAuth"}
        if event["authChallenge"].get("source") == "Proxy" and self.proxy.url.endswith("//" + event_host(event)):
            username, password = self.proxy.username, self.proxy.password
            answer = {"response": "ProvideCredentials", "username": username, "password": password}
        what = {"requestId": event["requestId"], "authChallengeResponse": answer}
        await self.session.send("Fetch.continueWithAuth", what)

    async def _subframe(self, event: dict[str, Any], is_answer: bool) -> None:
        url = urlsplit(event["request"]["url"])
        if not is_answer and "frame" in self.options.abort and url.hostname != urlsplit(self.url).hostname:
            await self._abort(event, "BlockedByClient")
        else:
            await self._continue(event)

    async def _navigation(self, event: dict[str, Any]) -> None:
        """A document is asked for: the page's own, the same again, or another that it wants to go to."""
        url, method = urldefrag(event["request"]["url"]).url, event["request"]["method"]
        is_same = self._asked == 0 or url == self.url
        if is_same and method == "GET" and self._asked <= RELOADS and not self.is_touched:
            self._asked += 1
            if self._asked == 1:
                self.url = url  # as Chromium spells it
            elif self.document.done():
                self.document = asyncio.get_running_loop().create_future()
            await self.gate.enter()
            await self._continue(event)
            await self.gate.sent()
            return
        if url.startswith(("http://", "https://")) and method == "GET" and not is_same and not self.is_touched:
            self._move(Document(302, [("Location", event["request"]["url"])], b""))
        await self._abort(event, "Aborted")

    def _move(self, document: Document) -> None:
        if not self.moved.done():
            self.moved.set_result(document)

    async def _answered(self, event: dict[str, Any]) -> None:
        if "responseErrorReason" in event:
            self._fail(DownloadFailedError(f"the browser says {event['responseErrorReason']}"))
            await self._continue(event)
            return
        status = event["responseStatusCode"]
        headers = [(field["name"], field["value"]) for field in event.get("responseHeaders", ())]
        if not any(name.lower() == "set-cookie" for name, _ in headers):
            headers += [("Set-Cookie", value) for value in await self.traffic.cookies(event.get("networkId", ""))]
        places = [value for name, value in headers if name.lower() == "location"]
        if status in REDIRECTS and places:
            target = urljoin(self.url, places[0])
            headers = [(name, target if name.lower() == "location" else value) for name, value in headers]
            self._move(Document(status, headers, b""))
            await self._abort(event, "Aborted")
            return
        body = b"" if status in NO_BODY else await self._body(event)
        document = Document(status, headers, body)
        self.first = self.first or document
        if document.is_markup:
            await self._fulfil(event, document)
        else:
            await self._abort(event, "Aborted")
        if not self.document.done():
            self.document.set_result(document)

    async def _body(self, event: dict[str, Any]) -> bytes:
        """The document's bytes, unpacked. Raises DownloadCancelledError for more than DOWNLOAD_MAXSIZE."""
        request = {"requestId": event["requestId"]}
        stream = (await self.session.send("Fetch.takeResponseBodyAsStream", request))["stream"]
        parts, size = [], 0
        while True:
            part = await self.session.send("IO.read", {"handle": stream, "size": CHUNK})
            data = base64.b64decode(part["data"]) if part.get("base64Encoded") else part["data"].encode()
            size += len(data)
            if size > self.options.max_size:
                raise DownloadCancelledError(f"{self.url} is larger than {self.options.max_size} bytes")
            parts.append(data)
            if part["eof"]:
                break
        await self.session.send("IO.close", {"handle": stream})
        return b"".join(parts)

    async def _fulfil(self, event: dict[str, Any], document: Document) -> None:
        fields = [{"name": n, "value": v} for n, v in document.headers if n.lower() not in PACKED]
        body = base64.b64encode(document.body).decode()
        what = {"responseCode": document.status, "responseHeaders": fields, "body": body}
        await self.session.send("Fetch.fulfillRequest", {"requestId": event["requestId"], **what})

    async def _abort(self, event: dict[str, Any], reason: str) -> None:
        await self.session.send("Fetch.failRequest", {"requestId": event["requestId"], "errorReason": reason})

    async def _continue(self, event: dict[str, Any]) -> None:
        await self.session.send("Fetch.continueRequest", {"requestId": event["requestId"]})

    async def close(self) -> None:
        """End what is under way; the page itself is closed by whoever opened it."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for future in (self.document, self.moved):
            if future.done() and not future.cancelled():
                future.exception()  # nobody may have waited for it
        with contextlib.suppress(Error):
            await self.traffic.stop()


def event_host(event: dict[str, Any]) -> str:
    """`127.0.0.1:PORT` of who asks for a password."""
    origin = str(event["authChallenge"].get("origin", ""))
    return origin.rpartition("//")[2].rstrip("/")
