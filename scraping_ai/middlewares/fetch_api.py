"""The last rung: any HTTP API that is given an address and gives back its page."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import CannotResolveHostError, DownloadFailedError, DownloadTimeoutError, NotConfigured
from scrapy.http import HtmlResponse, Response
from scrapy.utils.httpobj import urlparse_cached

from scraping_ai.frontier.politeness import Politeness
from scraping_ai.frontier.visit import NotSent, Visit
from scraping_ai.middlewares.guard.guard import Guard
from scraping_ai.middlewares.ladder import HTTP, Ladder

# Not on to the API's address: what the page's request says is about the page.
PLACE = re.compile(r"\{url\}|\{key\}")
KEPT_META = ("download_timeout", "download_maxsize")


class FetchApiHandler:
    """FETCH_API_URL, FETCH_API_METHOD, FETCH_API_BODY: where `{url}` and `{key}` stand for the page's address and
    FETCH_API_KEY (without `{key}` the key is sent as `Authorization: Bearer`). FETCH_API_CONTENT: where the page stands
    in the JSON that comes back, `/data/html` or `data.html`; empty: what comes back is the page.

    Both the page's host and the API's are asked no faster than their gates let. The key is in no error and no log.
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self.url, self.key = settings.get("FETCH_API_URL") or "", settings.get("FETCH_API_KEY") or ""
        if not self.url:
            raise NotConfigured("FETCH_API_URL is not set")
        self.body = _template(settings.get("FETCH_API_BODY"))
        self.method = str(settings.get("FETCH_API_METHOD") or ("POST" if self.body is not None else "GET")).upper()
        self.content = _way(settings.get("FETCH_API_CONTENT") or "")
        self._politeness = Politeness.of(crawler)
        self._guard = Guard.of(crawler)
        self._http = Ladder.of(crawler).handler(HTTP)

    async def download_request(self, request: Request) -> Response:
        """The page as the API has it. Raises GuardError, DownloadFailedError and DownloadTimeoutError."""
        await self._check(request)
        asked = self.request_for(request)
        try:
            async with self._visit(request, asked):
                answer = await self._http.download_request(asked)
        except NotSent:
            raise
        except DownloadTimeoutError:
            raise DownloadTimeoutError("no answer of the fetch API in time") from None
        except Exception as error:  # noqa: BLE001  # its text may hold the key
            raise DownloadFailedError(f"the fetch API cannot be had: {type(error).__name__}") from None
        request.meta["download_latency"] = asked.meta.get("download_latency", 0.0)
        if not 200 <= answer.status < 300:
            raise DownloadFailedError(f"the fetch API answers HTTP {answer.status} {_phrase(answer.status)}".rstrip())
        return self.page_of(request, answer)

    async def _check(self, request: Request) -> None:
        """The API may stand in our own network; where it finds a name that is not known here is its business."""
        parts = urlparse_cached(request)
        with suppress(CannotResolveHostError):
            await self._guard.addresses(parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80))

    @asynccontextmanager
    async def _visit(self, request: Request, asked: Request) -> AsyncIterator[None]:
        """The page's host is visited, though by somebody else; the API's own gate is passed where it is sent."""
        if self._politeness.gate_of(request.url) == self._politeness.gate_of(asked.url):
            yield
            return
        async with Visit(self._politeness, request.url) as visit:
            await visit.enter()
            await visit.sent()
            yield

    def request_for(self, request: Request) -> Request:
        """What the API is asked for a page."""
        known = {"{url}": request.url, "{key}": self.key}
        body = b"" if self.body is None else json.dumps(_filled(self.body, known, str)).encode()
        headers = {"Accept-Encoding": "identity"}  # nothing on this way unpacks
        if body:
            headers["Content-Type"] = "application/json"
        if self.key and "{key}" not in self.url and "{key}" not in json.dumps(self.body):
            headers["Authorization"] = f"Bearer {self.key}"
        url = _filled(self.url, known, lambda text: quote(text, safe=""))
        meta = {name: request.meta[name] for name in KEPT_META if name in request.meta}
        return Request(url, method=self.method, body=body, headers=headers, meta=meta)

    def page_of(self, request: Request, answer: Response) -> Response:
        """The page in an answer."""
        if not self.content:
            kind = answer.headers.get(b"Content-Type") or b"text/html"
            return HtmlResponse(request.url, headers={"Content-Type": kind}, body=answer.body)
        try:
            found = json.loads(answer.body)
            for step in self.content:
                found = found[int(step)] if isinstance(found, list) else found[step]
        except (ValueError, LookupError, TypeError, RecursionError):
            found = None
        if not isinstance(found, str):
            raise DownloadFailedError(f"the fetch API's answer has no text at {'.'.join(self.content)}")
        headers = {"Content-Type": "text/html; charset=utf-8"}
        return HtmlResponse(request.url, headers=headers, body=found.encode("utf-8", "replace"), encoding="utf-8")

    async def close(self) -> None:
        """What it sends by is the ladder's."""


def _template(given: Any) -> Any:
    """FETCH_API_BODY as JSON; None for none. Raises NotConfigured."""
    if not given:
        return None
    try:
        return json.loads(given) if isinstance(given, str) else given
    except ValueError as error:
        raise NotConfigured(f"FETCH_API_BODY is no JSON: {error}") from None


def _filled(template: Any, known: dict[str, str], form: Callable[[str], str]) -> Any:
    if isinstance(template, dict):
        return {name: _filled(part, known, form) for name, part in template.items()}
    if isinstance(template, list):
        return [_filled(part, known, form) for part in template]
    if isinstance(template, str):
        return PLACE.sub(lambda place: form(known[place[0]]), template)
    return template


def _way(content: str) -> tuple[str, ...]:
    if content.startswith("/"):
        return tuple(step.replace("~1", "/").replace("~0", "~") for step in content[1:].split("/"))
    return tuple(content.split(".")) if content else ()


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""
