"""The pages of a job's examples: found among the saved ones or fetched, before any other page is extracted."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path

from scraping_ai.examples import Lessons, Taught
from scraping_ai.frontier.scope import host_of
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
    """What is still to be fetched before `lessons` are complete."""

    def __init__(self, options: Options) -> None:
        self.options, self.lessons = options, Lessons()
        self._left = 0
        self._complete = asyncio.Event()

    def prepare(self, limit: int) -> list[Taught]:
        """Take the examples whose pages are saved; the others are returned, to be fetched. `limit`: bytes of a page."""
        rest = list(self.options.examples)
        for page in _saved(self.options, rest, limit) if rest else ():
            for example in [e for e in rest if e.is_of(page.url, page.id)]:
                rest.remove(example)
                self.learn(example, page.url, page.body, page.reason)
        if not self.options.urls:  # a job of saved pages never uses the network
            for example in rest:
                logger.warning("examples: no page %s among the saved ones; passed over", example.url or example.id)
            rest = []
        self._left = len(rest)
        return rest

    def learn(self, example: Taught, url: str, body: bytes, reason: str | None = None) -> None:
        if reason is None:
            self.lessons.add(body, url, example.values)
        else:
            logger.warning("examples: %s: %s; passed over", url, reason)

    def fetched(self) -> None:
        """One page less to wait for."""
        self._left -= 1
        if self._left <= 0:
            self._complete.set()

    async def complete(self) -> None:
        """Wait for the examples that are being fetched."""
        if self._left > 0:
            await self._complete.wait()


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
