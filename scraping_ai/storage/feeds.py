"""Outputs of a job, written from its file when it ends: whole, however often it was killed on the way.

Scrapy's feeds lose what was not flushed, and know nothing of a former run. Standard output, devices and pipes alone are
written as pages come, after those that the job had before. A file that is replaced is written beside the old one, and
takes its place when it is whole; how one is appended to, storage/appends.py says.
"""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
from enum import Enum, auto
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.extensions.feedexport import FeedExporter, FeedSlot, FileFeedStorage, ItemFilter
from scrapy.utils.asyncio import run_in_thread
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.defer import Deferred

from scraping_ai.storage.appends import Append
from scraping_ai.storage.jobs import Job

logger = logging.getLogger(__name__)

STREAM = "stdout:"
PAUSE = 100  # pages


class Stage(Enum):
    """Where a job's pages come from while outputs are written."""

    BEFORE = auto()  # what the job had already
    NOW = auto()
    END = auto()  # all of them, from the job's file


class Due(ItemFilter):
    """Which pages an output is to have now, among those that it takes at all."""

    def __init__(self, wanted: ItemFilter, feeds: JobFeeds, *, is_stream: bool, after: int) -> None:
        super().__init__(wanted.feed_options)
        self.wanted, self.feeds, self.is_stream, self.after = wanted, feeds, is_stream, after

    def accepts(self, item: Any) -> bool:
        is_end = self.feeds.stage is Stage.END
        is_due = not is_end if self.is_stream else is_end and self.feeds.number > self.after
        return is_due and self.wanted.accepts(item)


class JobFeeds(FeedExporter):
    """Scrapy's feeds for spiders that have a job's file; for others, as they are."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.job: Job | None = getattr(crawler.spider, "job", None)
        self.stage, self.number = Stage.NOW, 0  # of the page that is exported

    def open_spider(self, spider: Spider) -> None:
        super().open_spider(spider)
        if self.job is None:
            return
        has_streams = False
        for slot in self.slots:
            file = slot.storage if isinstance(slot.storage, JobFileStorage) else None
            is_stream = slot.uri == STREAM if file is None else file.whole is None
            slot.filter = Due(slot.filter, self, is_stream=is_stream, after=file.pages() if file else 0)
            has_streams |= is_stream
        if has_streams and self.job.is_resumed:
            self.stage = Stage.BEFORE
            for _, page in self.job.pages():
                self.item_scraped(page, spider)
            self.stage = Stage.NOW

    async def close_spider(self, spider: Spider) -> None:
        if self.job is not None and not all(getattr(slot.filter, "is_stream", False) for slot in self.slots):
            self.stage = Stage.END
            for number, page in self.job.pages():
                self.number = number
                self.item_scraped(page, spider)
                if self.number % PAUSE == 0:
                    await asyncio.sleep(0)  # for a second Ctrl-C
        await super().close_spider(spider)

    async def _close_slot(self, slot: FeedSlot, spider: Spider) -> None:
        if isinstance(slot.storage, JobFileStorage):
            slot.storage.failed = getattr(slot.exporter, "failed", False)
        await super()._close_slot(slot, spider)


class JobFileStorage(FileFeedStorage):
    """A local file of a job; devices and pipes, and files of other spiders, are written as they are."""

    def __init__(self, uri: str, *, feed_options: dict[str, Any] | None = None) -> None:
        super().__init__(uri, feed_options=feed_options)
        self.crawler: Crawler | None = None
        self.whole: Append | Replace | None = None
        self.failed = False

    @classmethod
    def from_crawler(cls, crawler: Crawler, uri: str, *, feed_options: dict[str, Any] | None = None) -> JobFileStorage:
        storage = cls(uri, feed_options=feed_options)
        storage.crawler = crawler
        job, path = getattr(crawler.spider, "job", None), Path(storage.path).resolve()
        if isinstance(job, Job) and (path.is_file() or not path.exists()):
            storage.whole = Append(job, path) if storage.write_mode == "ab" else Replace(job, path)
        return storage

    def pages(self) -> int:
        """Up to which page all are there."""
        return self.whole.pages if isinstance(self.whole, Append) else 0

    def open(self, spider: Spider) -> IO[bytes]:
        return self.whole.open() if self.whole is not None else super().open(spider)

    def store(self, file: IO[bytes]) -> Deferred[None] | None:
        if self.whole is None:
            return super().store(file)
        return deferred_from_coro(run_in_thread(self._store, file))

    def _store(self, file: IO[bytes]) -> None:
        try:
            if self.whole is not None and not self.failed:
                self.whole.store(file)
        except OSError as error:
            logger.error("can't write %s: %s", self.path, error.strerror or error)
            if self.crawler is not None:
                self.crawler.stats.inc_value("scraping_ai/output_failed")


class Replace:
    """A file that takes the place of an old one when it is whole."""

    def __init__(self, job: Job, target: Path) -> None:
        mark = sha256(os.fsencode(job.path.resolve())).hexdigest()[:8]  # the next run replaces what a killed one left
        self.target, self.beside = target, target.with_name(f".{target.name}.{mark}")

    def open(self) -> IO[bytes]:
        self.target.parent.mkdir(parents=True, exist_ok=True)
        return self.beside.open("wb")

    def store(self, file: IO[bytes]) -> None:
        """Raises OSError."""
        file.flush()
        os.fsync(file.fileno())
        file.close()
        if self.target.exists():
            shutil.copymode(self.target, self.beside)
        self.beside.replace(self.target)
