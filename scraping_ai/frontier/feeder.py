"""Spiders that read their seeds from Redis, as scrapy-redis's do: seeds are taken in as they come, without idling.

Such a spider has a `redis_key`. Its `make_request_from_data` makes requests of a seed; one that has none takes an
address, or a JSON object with `url`, `priority` and what else `frontier/requests.py` says of a request.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Iterable, Iterator
from typing import Any

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DontCloseSpider
from scrapy.settings import BaseSettings

from scraping_ai.frontier.intake import Intake
from scraping_ai.frontier.protocol import FrontierError, Link
from scraping_ai.frontier.redis import connection
from scraping_ai.frontier.redis.seeds import Form, SeedSource, seed_of
from scraping_ai.frontier.requests import NotJson, NotRequest, from_json
from scraping_ai.frontier.session import Session

logger = logging.getLogger(__name__)

POLL = 0.25  # seconds between two looks at a source that was empty
ROOM = 1_000  # entries queued from which on seeds are left where others may take them
BATCH = 64
FOR_CODE = ("dont_obey_robotstxt", "proxy")  # keys of meta that whoever writes seeds has no say in


class Feeder:
    """Feeds one spider's frontier. REDIS_START_URLS_KEY, REDIS_START_URLS_AS_SET, REDIS_START_URLS_AS_ZSET,
    MAX_IDLE_TIME_BEFORE_CLOSE.
    """

    def __init__(self, crawler: Crawler, spider: Spider, intake: Intake, session: Session) -> None:
        self.crawler, self.spider, self.intake, self.session = crawler, spider, intake, session
        self.source = SeedSource(connection.connect(crawler.settings), key_of(self.spider), form_of(crawler.settings))
        self.longest = crawler.settings.getfloat("MAX_IDLE_TIME_BEFORE_CLOSE", 0.0)
        self._news = 0  # seeds that came since the spider was asked whether it is idle
        self._is_empty = False  # as far as is known
        self._idle_since = time.monotonic()
        self._running: asyncio.Task[None] | None = None

    def start(self) -> None:
        if hasattr(self.spider, "fetch_data"):  # reads when idle, blocks, and loses what it has read with its process
            self.spider.fetch_data = lambda key, n: []
            self.spider.count_size = lambda key: self._take_news()  # type: ignore[attr-defined]
        else:
            self.crawler.signals.connect(self.stay_open, signals.spider_idle)
        self._running = asyncio.create_task(self._run())

    async def stop(self) -> None:
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)
            await self.source.close()

    def stay_open(self) -> None:
        """More seeds may come, though not for ever."""
        if self._take_news():
            self._idle_since = time.monotonic()
        if not self.longest or time.monotonic() - self._idle_since < self.longest:
            raise DontCloseSpider

    def _take_news(self) -> bool:
        """Whether seeds came lately, or may be there."""
        news, self._news = self._news, 0
        return bool(news) or not self._is_empty

    async def _run(self) -> None:
        try:
            while True:
                if self._has_room and (taken := await self.session.hold(lambda: self.source.take(BATCH))):
                    await self._take_in(taken)
                else:
                    self._is_empty = self._has_room
                    await asyncio.sleep(POLL)
        except FrontierError as error:
            logger.error("%s", error)
            self.session.worker.failed(error)

    @property
    def _has_room(self) -> bool:
        return self.session.counts.queued < ROOM

    async def _take_in(self, taken: list[bytes]) -> None:
        self._is_empty = False
        links: list[Link] = []
        refused: list[bytes] = []
        for one in taken:
            try:
                links += self._links_of(one)
            except Exception as error:  # noqa: BLE001  # whatever a spider's own code makes of what others wrote
                refused.append(one)
                logger.warning("no seed: %.200r: %s: %s", seed_of(one), type(error).__name__, error)
        await self.session.add(links)
        self._news += len(taken) - len(refused)
        self.crawler.stats.inc_value("frontier/seeds", len(taken) - len(refused))
        self.crawler.stats.inc_value("frontier/seeds_refused", len(refused))
        await self.session.hold(lambda: self.source.done(taken, refused))

    def _links_of(self, taken: bytes) -> Iterator[Link]:
        for index, request in enumerate(self._requests_of(seed_of(taken))):
            try:
                link = self.intake.link_of(request, self.spider, seed=b"%d %s" % (index, taken))
            except NotJson as error:
                self.intake.keep_here(request, error)
            else:
                if link is not None:
                    yield link

    def _requests_of(self, seed: bytes) -> Iterable[Request]:
        make = getattr(self.spider, "make_request_from_data", None)
        made: Any = request_of(seed, self.spider) if make is None else make(seed)
        if made is None or isinstance(made, Request):
            return [made] if made else []
        return made  # type: ignore[no-any-return]


def key_of(spider: Spider) -> str:
    key = getattr(spider, "redis_key", None) or spider.settings.get("REDIS_START_URLS_KEY") or "%(name)s:start_urls"
    return str(key % {"name": spider.name})


def form_of(settings: BaseSettings) -> Form:
    if settings.getbool("REDIS_START_URLS_AS_SET"):
        return Form.SET
    return Form.ZSET if settings.getbool("REDIS_START_URLS_AS_ZSET") else Form.LIST


def request_of(seed: bytes, spider: Spider) -> Request:
    """Of a seed for a spider that has no way of its own. Raises NotRequest."""
    text = seed.decode()
    if not text.lstrip().startswith("{"):
        return Request(text.strip(), dont_filter=True)
    said = json.loads(text)
    url, priority = said.pop("url", None), said.pop("priority", 0)
    if not isinstance(url, str) or not isinstance(priority, int):
        raise NotRequest("url is a text, priority a number")
    if isinstance(meta := said.get("meta"), dict):
        said["meta"] = {key: value for key, value in meta.items() if key not in FOR_CODE}
    return from_json(json.dumps({"dont_filter": True, **said}), url, priority, spider)
