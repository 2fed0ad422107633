"""Which backend a crawl has: Redis when one is named, else an SQLite file."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import NamedTuple

from scrapy.settings import BaseSettings

from scraping_ai.frontier.protocol import Frontier, FrontierAway
from scraping_ai.frontier.sqlite import SqliteFrontier

LEAST_LOSSES = 3  # an entry is convicted of the loss of workers only when it was leased alone: from the third on
FILE = "frontier.sqlite"  # in a job's folder


class Backend(NamedTuple):
    """A frontier that is not open yet, and the errors by which it says that it is away for a while."""

    frontier: Frontier
    away: tuple[type[Exception], ...] = ()
    folder: tempfile.TemporaryDirectory[str] | None = None  # removed at the end

    async def close(self) -> None:
        await self.frontier.close()
        if self.folder is not None:
            self.folder.cleanup()


def choose(settings: BaseSettings) -> Backend:
    """The backend of these settings: JOBDIR keeps the file, without it the file goes with the process."""
    folder = None if settings.get("JOBDIR") else tempfile.TemporaryDirectory(prefix="scraping-ai-")
    path = Path(folder.name if folder is not None else settings["JOBDIR"]) / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    frontier = SqliteFrontier(
        path,
        term=settings.getfloat("FRONTIER_LEASE", 60.0),
        max_losses=max(settings.getint("FRONTIER_MAX_ATTEMPTS", 3), LEAST_LOSSES),
        exclusive=True,
    )
    return Backend(frontier, (FrontierAway,), folder)
