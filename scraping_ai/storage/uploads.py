"""Outputs that are sent away when a job ends: where that fails, the records stay here and one line says where."""

from __future__ import annotations

import logging
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, cast

from scrapy import Spider
from scrapy.extensions.feedexport import BlockingFeedStorage, FTPFeedStorage, GCSFeedStorage, S3FeedStorage
from scrapy.statscollectors import StatsCollector

logger = logging.getLogger(__name__)


class Kept(BlockingFeedStorage):
    """Mixed into Scrapy's storages, which drop the records with their temporary file."""

    stats: StatsCollector

    def open(self, spider: Spider) -> IO[bytes]:
        self.stats = spider.crawler.stats
        folder = spider.crawler.settings["FEED_TEMPDIR"]
        return cast(IO[bytes], NamedTemporaryFile(prefix="records-", dir=folder, delete=False))

    def _store_in_thread(self, file: IO[bytes]) -> None:
        path = Path(file.name)
        try:
            super()._store_in_thread(file)  # type: ignore[safe-super]  # of the class beside this one
        except Exception as error:  # noqa: BLE001 - each service's library has its own
            self.stats.inc_value("scraping_ai/output_failed")
            logger.error("can't send the records away: %s; they are kept in %s", " ".join(str(error).split()), path)
        else:
            path.unlink()


class FtpStorage(Kept, FTPFeedStorage):
    """ftp:// and ftps://."""


class S3Storage(Kept, S3FeedStorage):
    """s3://."""


class GcsStorage(Kept, GCSFeedStorage):
    """gs://."""
