"""Ctrl-C: a first one ends a job in order, a second one at once, always with one line and no traceback."""

from __future__ import annotations

import logging
import os
import threading
from contextlib import suppress
from typing import Any, NoReturn

from scrapy.crawler import AsyncCrawlerProcess

INTERRUPTED = 130  # the exit status by which shells tell Ctrl-C
PATIENCE = 1.0  # seconds after a second Ctrl-C in which the job may still close its outputs
LOST = "stopped; what was being read is lost, and files may not be written"

logger = logging.getLogger(__name__)


def stop_at_once(*_: object) -> NoReturn:
    """End the process with one line, wherever it is: a signal's handler for when there is no job to end."""
    _end("scrapy extract: stopped")


def _end(line: str, status: int = INTERRUPTED) -> NoReturn:
    """End the process, which may hold locks of its own streams."""
    with suppress(OSError):
        os.write(2, f"{line}\n".encode())
    os._exit(status)


class Process(AsyncCrawlerProcess):
    """Says at once that Ctrl-C was seen: Scrapy does at a level that the command does not show."""

    told = False
    status = 0  # the exit status of a job that was stopped, by its signal

    def _signal_shutdown(self, signum: int, _: Any) -> None:
        self.status = 128 + signum
        super()._signal_shutdown(signum, _)

    @staticmethod
    def _log_shutdown(signum: int) -> None:
        logger.warning("stopping after the pages being read; again to stop now")

    def _signal_kill(self, signum: int, _: Any) -> None:
        super()._signal_kill(signum, _)
        last = threading.Timer(PATIENCE, self.end)
        last.daemon = True
        last.start()

    def _log_kill(self, signum: int) -> None:  # type: ignore[override]
        self.told = True
        logger.warning("%s", self.lost)

    @property
    def lost(self) -> str:
        """The line for a job that is ended at once; the file of one without a name stays where it is."""
        jobs = [job for crawler in self.crawlers if (job := getattr(crawler.spider, "job", None)) is not None]
        if not jobs:
            return LOST
        return f"{LOST}: the same command " + ("goes on" if jobs[0].name else f"with --job {jobs[0].path} goes on")

    def end(self) -> None:
        """End the process although its event loop stands still, or a thread that starts workers is waited for."""
        if self.told:
            os._exit(self.status)
        _end(self.lost, self.status)
