"""Which backend a crawl has: Redis when one is named, else an SQLite file."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import NamedTuple

from scrapy.settings import BaseSettings

from scraping_ai.frontier.protocol import Frontier, FrontierAway
from scraping_ai.frontier.sqlite import SqliteFrontier

FILE = "frontier.sqlite"  # in a job's folder


class Backend(NamedTuple):
    """A frontier that is not open yet, and the errors by which it says that it is away for a while."""

    frontier: Frontier
    away: tuple[type[Exception], ...] = ()
    folder: tempfile.TemporaryDirectory[str] | None = None  # removed at the end


def choose(settings: BaseSettings) -> Backend:
    """The backend of these settings: JOBDIR keeps the file, without it the file goes with the process."""
    folder = None if settings.get("JOBDIR") else tempfile.TemporaryDirectory(prefix="scraping-ai-")
    path = Path(folder.name if folder is not None else settings["JOBDIR"]) / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    frontier = SqliteFrontier(
        path,
        term=settings.getfloat("FRONTIER_LEASE", 60.0),
        max_losses=settings.getint("FRONTIER_MAX_ATTEMPTS", 3),
    )
    return Backend(frontier, (FrontierAway,), folder)
