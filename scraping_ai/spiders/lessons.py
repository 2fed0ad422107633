"""The pages of a job's examples: found among the saved ones or fetched, before any other page is extracted."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from scraping_ai.examples import Lessons, Taught
from scraping_ai.frontier.reasons import failure_reason, status_reason
from scraping_ai.frontier.scope import fingerprint, host_of
from scraping_ai.items import Page
from scraping_ai.lines import numbered
from scraping_ai.options import OptionError, Options, shown
from scraping_ai.spiders.saved import listed, load

logger = logging.getLogger(__name__)


def refuse_useless(options: Options) -> None:
    """Raise OptionError when there are examples, and none is of a saved page of the job or of a target's site."""
    wanted = list(options.examples)
    hosts = {host_of(url) for url in options.urls}
    if not wanted or any(example.url and host_of(example.url) in hosts for example in wanted):
        return
    if next(_saved(options, wanted, 0), None) is None:
        name = shown(str(wanted[0].url or wanted[0].id))
        where = 'the "url" or "id" of a line of pages' if options.pages else "an address of the targets' site"
        raise OptionError(f"none is of a page of this job, the first of {name!r}; write {where}", "examples")


class Course:
    """Fills `lessons`; what was fetched for them, and is a target too, waits here for its request."""

    def __init__(self, options: Options) -> None:
        self.options, self.lessons = options, Lessons()
        self._targets = {fingerprint(url) for url in options.urls} if options.examples else set()
        self._fetched: dict[str, Response] = {}

    async def complete(self, crawler: Crawler) -> None:
        """Take the examples whose pages are saved, and fetch the others. DOWNLOAD_MAXSIZE."""
        rest = self._take_saved(crawler.settings.getint("DOWNLOAD_MAXSIZE"))
        await asyncio.gather(*(self._fetch(crawler, example) for example in rest))
        self.lessons.complete.set()

    def take_fetched(self, url: str) -> Response | None:
        """What was fetched of an address already, once."""
        return self._fetched.pop(fingerprint(url), None) if self._fetched else None

    def _take_saved(self, limit: int) -> list[Taught]:
        """Those that are left are to be fetched. `limit`: bytes of a page."""
        rest = list(self.options.examples)
        for page in _saved(self.options, rest, limit) if rest else ():
            for example in [e for e in rest if e.is_of(page.url, page.id)]:
                rest.remove(example)
                self._learn(example, page.url, page.body, page.reason)
        if not self.options.urls:  # a job of saved pages never uses the network
            for example in rest:
                logger.warning("examples: no page %s among the saved ones; passed over", example.url or example.id)
            return []
        return rest

    async def _fetch(self, crawler: Crawler, example: Taught) -> None:
        request = Request(example.url, meta={"named": True})
        try:
            response = await crawler.engine.download_async(request)
        except Exception as error:  # noqa: BLE001  # whatever a download can end with is told, and the job goes on
            self._learn(example, example.url, b"", failure_reason(error))
            return
        self._learn(example, response.url, response.body, status_reason(response.status))
        if fingerprint(example.url) in self._targets:
            self._fetched[fingerprint(example.url)] = response

    def _learn(self, example: Taught, url: str, body: bytes, reason: str | None) -> None:
        if reason is None:
            self.lessons.add(body, url, example.values)
        else:
            logger.warning("examples: %s: %s; passed over", url, reason)


def _saved(options: Options, wanted: list[Taught], limit: int) -> Iterator[Page]:
    """The saved pages that are an example's; what is wrong with other lines is told when they are extracted."""
    for path in options.files:
        url = path.resolve().as_uri()
        if any(example.is_of(url, None) for example in wanted):
            yield load(Page(url), path, limit)
    if options.pages is not None:
        yield from _listed(options.pages, wanted, limit)


def _listed(file: Path, wanted: list[Taught], limit: int) -> Iterator[Page]:
    with file.open("rb") as lines:
        for _, line in numbered(lines):
            try:
                entry = listed(line)
            except ValueError:
                continue
            page = Page(url=entry["url"], id=entry.get("id"))
            if any(example.is_of(page.url, page.id) for example in wanted):
                yield load(page, file.parent / entry["path"], limit)
