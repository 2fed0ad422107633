"""The download handler of all rungs: plain HTTP, a browser, a fetch API. `request.meta["rung"]` says which is meant.

Each rung keeps its own best handler, made when it is first needed. Scrapy makes a handler for each scheme; those of one
crawl share theirs.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from importlib.util import find_spec
from typing import ClassVar, Protocol
from weakref import WeakKeyDictionary, ref

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http import Response
from scrapy.utils.misc import load_object

from scraping_ai.frontier.politeness import name_of
from scraping_ai.frontier.scope import host_of

logger = logging.getLogger(__name__)

HTTP, BROWSER, API = RUNGS = ("http", "browser", "api")  # cheap to dear
RUNG = "rung"  # the key of a request's meta
NO_BROWSER = "needs a browser: pip install 'scraping-ai[browser]'"


class Handler(Protocol):
    """Fetches a request by one way."""

    async def download_request(self, request: Request) -> Response: ...

    async def close(self) -> None: ...


class RungMissing(IgnoreRequest):
    """A request asks for a rung that cannot be had; its text is the reason in words for the user."""


class Ladder:
    """The rungs of a crawl. FETCH_RUNGS, by host FETCH_RUNGS_BY_HOST; FETCH_HANDLERS."""

    _of: ClassVar[WeakKeyDictionary[Crawler, Ladder]] = WeakKeyDictionary()

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self._crawler = ref(crawler)
        self._paths: dict[str, str] = settings.getdict("FETCH_HANDLERS")
        self._handlers: dict[str, Handler] = {}
        self._missing: dict[str, str] = {}  # rung: why it cannot be had
        self.usual = _checked(settings.getlist("FETCH_RUNGS", [HTTP]), "FETCH_RUNGS")
        self.special = {
            str(host).lower().removeprefix("www."): _checked(rungs, f"FETCH_RUNGS_BY_HOST: {host}")
            for host, rungs in settings.getdict("FETCH_RUNGS_BY_HOST").items()
        }
        if not settings.get("FETCH_API_URL"):
            self._missing[API] = "FETCH_API_URL is not set"

    @classmethod
    def of(cls, crawler: Crawler) -> Ladder:
        """The one of a crawl, which its handlers and middlewares share. Raises ValueError for a rung that is none."""
        if crawler not in cls._of:
            cls._of[crawler] = cls(crawler)
        return cls._of[crawler]

    def rungs(self, url: str) -> tuple[str, ...]:
        """What an address may be fetched by, cheap to dear."""
        if not self.special:
            return self.usual
        place = host_of(url)
        return self.special.get(place) or self.special.get(name_of(place)) or self.usual

    def why_missing(self, rung: str) -> str | None:
        """Why a rung cannot be had; None for one that can. It is made by then."""
        if rung not in self._missing and rung not in self._handlers:
            try:
                self.handler(rung)
            except RungMissing as error:
                logger.warning("%s", error)
        return self._missing.get(rung)

    def handler(self, rung: str) -> Handler:
        """Raises RungMissing."""
        if rung in self._handlers:
            return self._handlers[rung]
        if rung not in self._missing:
            try:
                handler = self._handlers[rung] = self._made(rung)
            except NotConfigured as error:
                self._missing[rung] = str(error)
            except ImportError as error:
                self._missing[rung] = f"{rung}: {error}"
            else:
                return handler
        raise RungMissing(self._missing[rung])

    def _made(self, rung: str) -> Handler:
        crawler = self._crawler()
        if crawler is None or not self._paths.get(rung):
            raise NotConfigured(f"FETCH_HANDLERS has none for {rung}")
        if rung == BROWSER and find_spec("playwright") is None:
            raise NotConfigured(NO_BROWSER)
        kind = load_object(self._paths[rung])
        handler: Handler = kind.from_crawler(crawler) if hasattr(kind, "from_crawler") else kind(crawler)
        return handler

    async def close(self) -> None:
        handlers, self._handlers = self._handlers, {}
        self._missing |= dict.fromkeys(RUNGS, "the crawl has ended")
        for handler in handlers.values():
            await handler.close()


class LadderDownloadHandler:
    """What Scrapy has for http and https."""

    lazy = False  # the scheduler has to know when it opens that requests pass gates

    def __init__(self, crawler: Crawler) -> None:
        self._ladder = Ladder.of(crawler)
        self._http = self._ladder.handler(HTTP)  # also when no page may be fetched by it: robots.txt is

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> LadderDownloadHandler:
        return cls(crawler)

    async def download_request(self, request: Request) -> Response:
        """Raises RungMissing beside what the rung's own handler raises."""
        rung = request.meta.get(RUNG, HTTP)
        if rung == HTTP:
            return await self._http.download_request(request)
        if rung not in RUNGS:
            raise RungMissing("no rung of that name")
        handler = self._ladder.handler(rung)
        request.meta.pop("download_latency", None)  # of the rung before
        began = time.monotonic()
        response = await handler.download_request(request)
        request.meta.setdefault("download_latency", time.monotonic() - began)
        return response

    async def close(self) -> None:
        await self._ladder.close()


def _checked(given: object, setting: str) -> tuple[str, ...]:
    """Rungs in their order. Raises ValueError."""
    named = given.split(",") if isinstance(given, str) else given
    rungs = [str(rung).strip() for rung in named] if isinstance(named, Iterable) else []
    if not rungs or not set(rungs) <= set(RUNGS):
        raise ValueError(f"{setting}: {given!r} names no rungs, or others than {', '.join(RUNGS)}")
    return tuple(rung for rung in RUNGS if rung in rungs)
