"""What a project of scrapy-redis is told when it sets SCHEDULER (docs/frontier.md, "From scrapy-redis")."""

from __future__ import annotations

import logging
import re

from redis.exceptions import RedisError
from scrapy.settings import BaseSettings

from scraping_ai.frontier.protocol import FrontierAway, FrontierError
from scraping_ai.frontier.redis import RedisFrontier

logger = logging.getLogger(__name__)

QUEUES = ("scrapy_redis.queue.PriorityQueue", "scrapy_redis.queue.SpiderPriorityQueue")
FILTERS = ("scrapy_redis.dupefilter.RFPDupeFilter", "scrapy.dupefilters.RFPDupeFilter")
IGNORED = {
    "SCHEDULER_QUEUE_CLASS": (QUEUES, "pages come by priority, then depth, then first in"),
    "DUPEFILTER_CLASS": (FILTERS, "addresses are known by the frontier's fingerprints; dont_filter is heeded"),
    "SCHEDULER_DUPEFILTER_CLASS": (
        FILTERS,
        "addresses are known by the frontier's fingerprints; dont_filter is heeded",
    ),
    "SCHEDULER_SERIALIZER": ((), "requests are kept as JSON"),
}


async def move_in(frontier: RedisFrontier, settings: BaseSettings, task: str, reads_seeds: bool) -> None:
    """Say which settings have no effect, and begin anew where SCHEDULER_FLUSH_ON_START wants it.

    A crawl that finds nothing to do is told why. Raises FrontierError when scrapy-redis left requests behind.
    """
    for name, (usual, why) in IGNORED.items():
        value = settings.get(name)
        if isinstance(value, str) and value not in usual:
            logger.warning("%s is not used: %s", name, why)
    try:
        await _refuse_pickles(frontier, str(settings.get("SCHEDULER_QUEUE_KEY") or "%(spider)s:requests"), task)
        if settings.getbool("SCHEDULER_FLUSH_ON_START"):
            await _flush(frontier, task)
        if not reads_seeds:
            await _say_if_done(frontier, task)
    except RedisError as error:
        raise FrontierAway(f"{type(error).__name__}: {error}") from error


async def _refuse_pickles(frontier: RedisFrontier, pattern: str, task: str) -> None:
    key = pattern % {"spider": task}
    if await frontier.client.exists(key):
        raise FrontierError(
            f"requests of scrapy-redis wait under {key}: they are pickles, which are never read here. "
            "Let scrapy-redis's own scheduler work them off, or delete the key"
        )


async def _flush(frontier: RedisFrontier, task: str) -> None:
    """Forget all of a task, or of a frontier that is damaged: no other worker may be at work on it."""
    try:
        await frontier.cancel(task)
    except FrontierAway:
        raise
    except LookupError:
        return
    except FrontierError as error:
        logger.warning("all of the frontier is deleted: %s", error)
        pattern = re.sub(r"([*?\[\]\\])", r"\\\1", frontier.prefix) + ":*"
        async for key in frontier.client.scan_iter(match=pattern, count=1_000):
            await frontier.client.unlink(key)
    else:
        await frontier.forget(task)


async def move_out(frontier: RedisFrontier, settings: BaseSettings, task: str) -> None:
    """Forget a task that is done, where SCHEDULER_PERSIST=False says so."""
    if settings.get("SCHEDULER_PERSIST") is None or settings.getbool("SCHEDULER_PERSIST"):
        return
    try:
        await frontier.forget(task, only_done=True)
    except FrontierAway as error:
        logger.warning("task %r stays known: %s", task, error)
    except (FrontierError, LookupError):  # it goes on another time; or another worker has forgotten it
        return


async def _say_if_done(frontier: RedisFrontier, task: str) -> None:
    counts = await frontier.counts(task)
    if counts.added and not counts.pending:
        logger.warning(
            "task %r is done, and its %d addresses are known. SCHEDULER_FLUSH_ON_START=True begins anew, and so does "
            "another task: -a task=NAME",
            *(task, counts.added),
        )
