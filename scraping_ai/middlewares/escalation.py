"""Climbs the fetch ladder: a page goes on to the next rung when what came shows that this one is not enough for it.

What came is classified by its content; shells that need their scripts, blocks and captchas are evidence, an error or a
login is none. Nothing is solved and nobody logs in: a page that is blocked on the last rung is reported so.
"""

from __future__ import annotations

import logging
from typing import Any

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import Response, TextResponse
from scrapy.http.request import NO_CALLBACK

from scraping_ai.frontier.politeness import Politeness
from scraping_ai.middlewares.classify import OK, Kind, Verdict, classify
from scraping_ai.middlewares.ladder import BROWSER, HTTP, RUNG, Ladder
from scraping_ai.middlewares.memory import FAILED
from scraping_ai.middlewares.shared_memory import NOTE, dumped, load, memory_for

logger = logging.getLogger(__name__)

TRIED = "rungs"  # of a request's meta: those that its page was tried by
FILTER = "rung_filter"  # whether the request passed the filter before it climbed
PROBE = "rung_probe"  # the page was sent by a rung that most likely fails
VERDICT = "verdict"  # of a response's meta: class and reason
RAW = "raw_body"  # the document as HTTP had it, of a page that was rendered
DEPENDS = frozenset({Kind.OK, *FAILED})  # classes that tell of a rung


class Escalation:
    """FETCH_RUNGS, FETCH_RUNGS_BY_HOST, FETCH_MEMORY_HALF_LIFE. Comes after redirects, and before what is retried."""

    def __init__(self, crawler: Crawler) -> None:
        self.stats = crawler.stats
        self.ladder = Ladder.of(crawler)
        self.politeness = Politeness.of(crawler)
        self.memory = memory_for(self.politeness.gates, crawler.settings.getfloat("FETCH_MEMORY_HALF_LIFE", 21_600.0))
        self.is_plain = self.ladder.usual[0] == HTTP and not self.ladder.special
        self.job: Any = getattr(crawler.spider, "job", None)
        crawler.signals.connect(self.opened, signals.spider_opened)
        crawler.signals.connect(self.closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Escalation:
        try:
            return cls(crawler)
        except ValueError as error:
            logger.error("%s", error)
            raise SystemExit(2) from None

    def opened(self) -> None:
        if self.job is not None and not self.memory.is_shared:
            load(self.memory, self.job.note(NOTE))

    async def closed(self) -> None:
        await self.memory.close()
        if self.job is not None and self.memory.hosts and not self.memory.is_shared:
            self.job.put_note(NOTE, dumped(self.memory))

    async def process_request(self, request: Request) -> None:
        """Choose the rung that a page begins with."""
        meta = request.meta
        if RUNG in meta:
            request.dont_filter = meta.pop(FILTER, request.dont_filter)
            if meta[RUNG] not in self.ladder.rungs(request.url):  # a redirect led to a host that is capped
                meta[RUNG] = self._available(request.url)[0]
            return
        if request.callback is NO_CALLBACK:
            return
        host = self.politeness.gate_of(request.url)
        if self.memory.is_shared:
            await self.memory.heed(host)
        if self.is_plain and host not in self.memory.hosts:
            return
        rungs = self._available(request.url)
        rung, probe = self.memory.first(host, request.url, rungs)
        if rung != HTTP or probe:
            meta[RUNG] = rung
            meta[PROBE] = probe

    def _available(self, url: str) -> list[str]:
        allowed = self.ladder.rungs(url)
        return [rung for rung in allowed if self.ladder.why_missing(rung) is None] or [allowed[0]]

    def process_response(self, request: Request, response: Response) -> Request | Response:
        if request.callback is NO_CALLBACK:
            return response
        meta = request.meta
        rung = meta.get(RUNG, HTTP)
        verdict = verdict_of(response, rendered=rung != HTTP)
        raw = meta.pop(RAW, None)
        if "download_latency" not in meta:  # it was sent to nobody
            meta[VERDICT] = [verdict.kind.value, verdict.reason]
            return response
        if verdict.kind in DEPENDS:
            self._note(request, response, rung, verdict, raw)
        may_climb = verdict.kind in FAILED and request.method == "GET"
        if may_climb and (following := self._following(request, rung)) is not None:
            return following
        meta[VERDICT] = [verdict.kind.value, verdict.reason]
        return response

    def _note(self, request: Request, response: Response, rung: str, verdict: Verdict, raw: Any) -> None:
        host = self.politeness.gate_of(response.url)
        probe = bool(request.meta.pop(PROBE, False))
        self.memory.note(host, response.url, rung, verdict.kind, probe=probe)
        if rung == BROWSER and isinstance(raw, bytes) and HTTP not in request.meta.get(TRIED, ()):
            shown = classify(raw, response.status, {b"Content-Type": b"text/html"}, encoding_of(response))
            if shown.kind in DEPENDS:
                self.memory.note_raw(host, response.url, HTTP, shown.kind)

    def _following(self, request: Request, rung: str) -> Request | None:
        """The request that a page goes on as."""
        before = request.meta.get(TRIED)
        tried = [*(before if isinstance(before, list) else ()), rung]
        host = self.politeness.gate_of(request.url)
        for higher in self._higher(request.url, rung, tried):
            if self.ladder.why_missing(higher) is None and self.memory.is_worth(host, request.url, higher):
                self.stats.inc_value(f"scraping_ai/climbed/{rung} to {higher}")
                meta = request.meta | {RUNG: higher, TRIED: tried, FILTER: request.dont_filter}
                return request.replace(meta=meta, dont_filter=True)
        return None

    def _higher(self, url: str, rung: str, tried: list[str]) -> list[str]:
        rungs = self.ladder.rungs(url)
        above = rungs[rungs.index(rung) + 1 :] if rung in rungs else ()
        return [higher for higher in above if higher not in tried]


def verdict_of(response: Response, *, rendered: bool) -> Verdict:
    """The class of a response."""
    if isinstance(response, TextResponse) or not 200 <= response.status < 300:
        headers, encoding = response.headers, encoding_of(response)
        return classify(response.body, response.status, headers, encoding, rendered=rendered)
    return OK if response.body else classify(b"", response.status, response.headers)


def encoding_of(response: Response) -> str:
    return response.encoding if isinstance(response, TextResponse) else "utf-8"
