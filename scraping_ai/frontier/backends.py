"""Which backend a crawl has: a job's SQLite file, or the Redis that is named, or a file that goes with the process."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from scrapy.settings import BaseSettings

from scraping_ai.frontier.gates import Gates, LocalGates, Throttle
from scraping_ai.frontier.protocol import Frontier, FrontierAway, FrontierError
from scraping_ai.frontier.sqlite import Access, SqliteFrontier
from scraping_ai.frontier.temporary import temporary_folder

logger = logging.getLogger(__name__)

LEAST_LOSSES = 3  # an entry is convicted of the loss of workers only when it was leased alone: from the third on
FILE = "frontier.sqlite"  # in a job's folder
LOOK = 3.0  # seconds that an operator waits for a file that somebody writes


class Backend(NamedTuple):
    """A frontier that is not open yet, and the errors by which it says that it is away for a while."""

    frontier: Frontier
    away: tuple[type[Exception], ...] = ()
    folder: TemporaryDirectory[str] | None = None  # removed at the end
    move_in: Callable[[], Awaitable[None]] | None = None  # once it is open: brings over what was there before
    move_out: Callable[[], Awaitable[None]] | None = None  # before it is closed: deletes what nobody wants to keep

    async def open(self) -> None:
        """Raises FrontierError."""
        await self.frontier.open()
        if self.move_in is not None:
            await self.move_in()

    async def close(self) -> None:
        try:
            if self.move_out is not None:
                await self.move_out()
        finally:
            await self.frontier.close()
        if self.folder is not None:
            self.folder.cleanup()


def choose(settings: BaseSettings, task: str = "", *, reads_seeds: bool = False) -> Backend:
    """The backend of these settings for a crawl that serves `task`. Raises FrontierError.

    With JOB_FILE that file, with JOBDIR the one in it; else Redis if FRONTIER_URL, REDIS_URL or REDIS_HOST names one,
    or this machine's if the crawl `reads_seeds` there; else a file that goes.
    """
    term = settings.getfloat("FRONTIER_LEASE", 60.0)
    max_losses = max(settings.getint("FRONTIER_MAX_ATTEMPTS", 3), LEAST_LOSSES)
    path, folder = file_of(settings), None
    if path is None and (reads_seeds or _names_redis(settings)):
        return _redis(settings, task, term, max_losses, reads_seeds)
    if path is None:
        folder = temporary_folder(FILE)
        path = Path(folder.name) / FILE
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FrontierError(f"can't make {path}: {error.strerror}; name another folder") from None
    return Backend(SqliteFrontier(path, term=term, max_losses=max_losses, exclusive=True), (FrontierAway,), folder)


def names_a_frontier(settings: BaseSettings) -> bool:
    """Whether a crawl would have one that others can have, too."""
    return file_of(settings) is not None or _names_redis(settings)


def file_of(settings: BaseSettings) -> Path | None:
    """The job's file that the settings name."""
    if settings.get("JOB_FILE"):
        return Path(settings["JOB_FILE"])
    return Path(settings["JOBDIR"]) / FILE if settings.get("JOBDIR") else None


def existing(settings: BaseSettings, job: str | None, *, access: Access, task: str | None = None) -> Frontier:
    """A frontier that is there, to be seen or operated on: a job's file, folder or name, else that of the settings.

    `task` is the spider whose frontier in Redis is meant, where each has its own. Raises FrontierError.
    """
    path = file_of(settings) if job is None else _file_named(settings, job)
    if path is not None:
        return SqliteFrontier(path, access=access, busy=LOOK)
    if not _names_redis(settings):
        raise FrontierError("name a job's file or folder: no setting says where the frontier is (JOBDIR, REDIS_URL)")
    if task is None and "%" in (settings.get("FRONTIER_KEY") or "%"):
        raise FrontierError(
            "each spider has its own frontier in Redis: say with --task which is meant (workers: --spider worker)"
        )
    return choose(settings, task or "").frontier


def _file_named(settings: BaseSettings, job: str) -> Path:
    path = Path(job)
    if not path.exists() and len(path.parts) == 1 and settings.get("JOBS_DIR"):
        kept = Path(settings["JOBS_DIR"], job, FILE)
        return kept if kept.exists() else path
    return path / FILE if path.is_dir() else path


def _names_redis(settings: BaseSettings) -> bool:
    named = any(settings.get(name) for name in ("FRONTIER_URL", "REDIS_URL", "REDIS_HOST"))
    return named or bool({"host", "url"} & settings.getdict("REDIS_PARAMS").keys())


def gates_of(settings: BaseSettings, throttle: Throttle | None) -> Gates:
    """The gates that a crawl passes: in Redis wherever one is named, also when the frontier is a file."""
    if not _names_redis(settings):
        return LocalGates(throttle)
    try:
        _need_client()
        from scraping_ai.frontier.redis import connection, gates, keys

        client, prefix = connection.connect(settings), keys.prefix(settings.get("GATE_KEY") or keys.GATES, "")
    except FrontierError as error:
        logger.error("hosts' gates are this process's own: %s", error)
        return LocalGates(throttle)
    return gates.RedisGates(client, prefix, throttle, gone=2 * settings.getfloat("DOWNLOAD_TIMEOUT"))


def _need_client() -> None:
    if find_spec("redis") is None or find_spec("hiredis") is None:
        raise FrontierError(
            "the settings name a Redis, but its client is not installed: pip install 'scraping-ai[redis]'"
        )


def _redis(settings: BaseSettings, task: str, term: float, max_losses: int, reads_seeds: bool) -> Backend:
    _need_client()
    from scraping_ai.frontier.moving import move_in, move_out
    from scraping_ai.frontier.redis import RedisFrontier, connection, keys

    prefix = keys.prefix(settings.get("FRONTIER_KEY") or keys.DEFAULT, task)
    frontier = RedisFrontier(connection.connect(settings), prefix, term=term, max_losses=max_losses)
    return Backend(
        frontier,
        (FrontierAway,),
        move_in=lambda: move_in(frontier, settings, task, reads_seeds),
        move_out=lambda: move_out(frontier, settings, task),
    )
