"""robots.txt (RFC 9309): no page of an origin is asked for before the origin's verdict is known.

Scrapy 2.19's own middleware lets requests through: all that wait for a robots.txt await one Deferred, and awaiting a
Deferred replaces its result by None, which the next one reads as "no rules". Here they await one task an origin.
"""

from __future__ import annotations

import asyncio
import logging
import re
from typing import TYPE_CHECKING, Self
from urllib.parse import urljoin

from scrapy import Request, signals
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadTimeoutError,
    IgnoreRequest,
    NotConfigured,
    ResponseDataLossError,
)
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.misc import build_from_crawler, load_object
from w3lib.url import safe_url_string

from scraping_ai.frontier.engine import is_closing
from scraping_ai.frontier.politeness import Politeness
from scraping_ai.frontier.scope import login_of
from scraping_ai.frontier.visit import NotSent
from scraping_ai.middlewares.guard.guard import GuardError
from scraping_ai.middlewares.verdicts import MAX_RULES, Verdict, VerdictCache, count_rules, interval_of, parsed_part

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.robotstxt import RobotParser

logger = logging.getLogger(__name__)

MAX_REDIRECTS = 5  # RFC 9309, 2.3.1.2
TIMEOUT = 15.0  # seconds a fetch may take: every page of the origin waits for it, and so does a spider that closes
RETRIES = 1

REDIRECTS = frozenset({301, 302, 303, 307, 308})
DEFAULT_PORTS = {"http": 80, "https": 443}
# The page would meet the same error, and says it better than "robots.txt could not be read".
SITE_DOWN = (CannotResolveHostError, DownloadConnectionRefusedError, GuardError)
UNREADABLE: tuple[tuple[type[Exception], str], ...] = (
    (CannotResolveHostError, "host not found"),
    (DownloadConnectionRefusedError, "connection refused"),
    (DownloadTimeoutError, "no answer in time"),
    (DownloadCancelledError, "body too large"),
    (ResponseDataLossError, "answer cut off"),
    (UnicodeError, "not a valid host name"),
)

COMPATIBLE = re.compile(r"Mozilla/\S+ \(compatible; *([^\s/;()]+)")
PRODUCT = re.compile(r"\s*([^\s/;()]+)")


class RobotsTxtError(IgnoreRequest):
    """A page that robots.txt keeps us from; its text is the reason in words for the user."""


class RobotsMiddleware:
    """Drops requests that robots.txt disallows, with `RobotsTxtError`.

    Off without ROBOTSTXT_OBEY. ROBOTSTXT_USER_AGENT is the name looked for in robots.txt (default: the product token of
    the request's User-Agent), ROBOTSTXT_PARSER the parser; ROBOTSTXT_CACHE_TTL and ROBOTSTXT_ERROR_TTL are the seconds
    that a verdict and a failure are kept, ROBOTSTXT_CACHE_SIZE the most origins. Crawl-delay and Request-rate set the
    pace of the host's gate, up to ROBOTSTXT_MAX_CRAWL_DELAY seconds between requests.

    The meta key `dont_obey_robotstxt` exempts a request, as in Scrapy. It is for code alone: who builds requests from
    what came from outside must not take over its meta.
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        if not settings.getbool("ROBOTSTXT_OBEY"):
            raise NotConfigured
        self._crawler = crawler
        self._stats = crawler.stats
        self._parser: type[RobotParser] = load_object(settings["ROBOTSTXT_PARSER"])
        build_from_crawler(self._parser, crawler, b"")  # fails here when the parser's library is not installed
        self._agent: str | None = settings["ROBOTSTXT_USER_AGENT"]
        self._default_agent: str = settings["USER_AGENT"]
        self._ttl = settings.getfloat("ROBOTSTXT_CACHE_TTL", 86_400.0)
        self._error_ttl = settings.getfloat("ROBOTSTXT_ERROR_TTL", 300.0)
        self._longest_delay = settings.getfloat("ROBOTSTXT_MAX_CRAWL_DELAY", 300.0)
        self._politeness = Politeness.of(crawler)
        self._timeout = min(TIMEOUT, settings.getfloat("DOWNLOAD_TIMEOUT"))
        self._retries = min(RETRIES, settings.getint("RETRY_TIMES"))
        self._cache = VerdictCache(settings.getint("ROBOTSTXT_CACHE_SIZE", 1_000))
        self._asked: dict[str, asyncio.Task[Verdict]] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Wait for the verdict of the request's origin; raise when the page may not be fetched."""
        if request.meta.get("dont_obey_robotstxt") or urlparse_cached(request).scheme not in DEFAULT_PORTS:
            return
        verdict = await self._verdict(origin_of(request))
        if verdict.site_down is not None:
            raise verdict.site_down.with_traceback(None)  # one object for many requests: their traces would add up
        if verdict.unreadable is not None:
            self._stats.inc_value("robotstxt/unreadable")
            raise RobotsTxtError(f"robots.txt could not be read: {verdict.unreadable}")
        if verdict.parser is not None and not verdict.parser.allowed(request.url, self._agent_of(request)):
            self._stats.inc_value("robotstxt/forbidden")
            raise RobotsTxtError("robots.txt disallows")

    def _agent_of(self, request: Request) -> str:
        if self._agent:
            return self._agent
        header = request.headers.get(b"User-Agent")
        return product_token(self._default_agent if header is None else header.decode("latin-1"))

    async def _verdict(self, origin: str) -> Verdict:
        verdict = self._cache.get(origin)
        if verdict is not None:
            return verdict
        if origin not in self._asked:
            self._asked[origin] = asyncio.ensure_future(self._ask(origin))
        return await asyncio.shield(self._asked[origin])  # a request that is cancelled leaves the others waiting

    async def _ask(self, origin: str) -> Verdict:
        """Fetch an origin's robots.txt and keep what it says; whatever goes wrong is a verdict too."""
        try:
            verdict = await self._read(origin)
            if verdict.final:
                await self._set_pace(origin, verdict)
        except NotSent:
            raise  # the pages can be asked for later, and so can their robots.txt
        except Exception as error:  # noqa: BLE001  # the pages that wait need an answer
            self._stats.inc_value(f"robotstxt/exception_count/{type(error).__name__}")
            verdict = Verdict(unreadable=in_words(error))
        finally:
            del self._asked[origin]
        if verdict.unreadable is not None and not is_closing(self._crawler):
            logger.warning(
                "%s/robots.txt could not be read (%s): its pages are skipped for %g s",
                *(origin, verdict.unreadable, self._error_ttl),
                extra={"spider": self._crawler.spider},
            )
        self._cache.put(origin, verdict, self._ttl if verdict.final else self._error_ttl)
        return verdict

    async def _set_pace(self, origin: str, verdict: Verdict) -> None:
        """Hand on how long the origin wants us to wait between requests."""
        asked = interval_of(verdict, self._agent or product_token(self._default_agent))
        if asked > self._longest_delay:
            logger.warning(
                "%s/robots.txt asks for %g s between requests: it gets %g s (ROBOTSTXT_MAX_CRAWL_DELAY)",
                *(origin, asked, self._longest_delay),
                extra={"spider": self._crawler.spider},
            )
        await self._politeness.slow_down(origin, min(asked, self._longest_delay), self._ttl)

    async def _read(self, origin: str) -> Verdict:
        request = self._robots_request(f"{origin}/robots.txt")
        try:
            response = await self._download(request)
        except SITE_DOWN as error:
            return Verdict(site_down=error)
        response = await self._follow(response)
        if response.status == 429 or response.status >= 500:
            return Verdict(unreadable=str(response.status))
        if response.status >= 300:
            return Verdict()
        verdict = await asyncio.to_thread(self._parse, response.body)
        await self._crawler.signals.send_catch_log_async(
            signal=signals.robots_parsed, robotparser=verdict.parser, request=request
        )
        return verdict

    async def _follow(self, response: Response) -> Response:
        for _ in range(MAX_REDIRECTS):
            target = redirect_target(response)
            if target is None:
                break
            response = await self._download(self._robots_request(target))
        return response

    def _robots_request(self, url: str) -> Request:
        # Redirects are followed here, since RFC 9309 has a limit of its own and what is beyond it counts as no file.
        meta = {
            "dont_obey_robotstxt": True,
            "dont_redirect": True,
            "allow_offsite": True,
            "download_timeout": self._timeout,
            "max_retry_times": self._retries,
        }
        return Request(url, callback=NO_CALLBACK, meta=meta)

    async def _download(self, request: Request) -> Response:
        """Through the engine, so that every other middleware sees the request."""
        self._stats.inc_value("robotstxt/request_count")
        response = await self._crawler.engine.download_async(request)
        self._stats.inc_value("robotstxt/response_count")
        self._stats.inc_value(f"robotstxt/response_status_count/{response.status}")
        return response

    def _parse(self, body: bytes) -> Verdict:
        body = parsed_part(body)
        rules = count_rules(body.decode("utf-8-sig", errors="ignore"))
        if rules > MAX_RULES:
            return Verdict(unreadable="too many rules")
        return Verdict(build_from_crawler(self._parser, self._crawler, body), rules)


def origin_of(request: Request) -> str:
    """Scheme, host and port (RFC 6454), a default port left out: `http://example.com`."""
    parts = urlparse_cached(request)
    host, port = parts.hostname, parts.port
    if not host:
        raise RobotsTxtError("not a valid address")
    host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{host}" + ("" if port in (None, DEFAULT_PORTS[parts.scheme]) else f":{port}")


def redirect_target(response: Response) -> str | None:
    """The URL that a response points to, None unless it is http or https and has no password."""
    location = response.headers.get(b"Location")
    if response.status not in REDIRECTS or not location:
        return None
    try:
        target = urljoin(response.url, safe_url_string(location))
    except ValueError:
        return None
    return target if target.startswith(("http://", "https://")) and not login_of(target) else None


def product_token(user_agent: str) -> str:
    """The name that robots.txt knows a crawler by (RFC 9309, 2.2.1), `*` when the header has none.

    `ScrapingAI` of `ScrapingAI/1.0 (+https://...)`, `Foobot` of `Mozilla/5.0 (compatible; Foobot/1.0)`.
    """
    found = COMPATIBLE.match(user_agent) or PRODUCT.match(user_agent)
    return found[1] if found else "*"


def in_words(error: Exception) -> str:
    """One short line for an error."""
    for kind, words in UNREADABLE:
        if isinstance(error, kind):
            return words
    return (" ".join(str(error).split()) or type(error).__name__)[:200]
