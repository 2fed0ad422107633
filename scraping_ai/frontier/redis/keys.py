"""Where a frontier's keys are. docs/frontier.md, "Keys in Redis", says what each holds."""

from __future__ import annotations

from scraping_ai.frontier.protocol import FrontierError

DEFAULT = "frontier:%(task)s"
GATES = "gates"  # which all crawls share


def prefix(key: str, task: str) -> str:
    """What all keys of a frontier begin with: a hash tag, so that a cluster keeps them on one node.

    `key` is a setting: `%(task)s`, or `%(spider)s` as scrapy-redis writes it, stands for the task.
    Raises FrontierError.
    """
    try:
        name = key % {"task": task, "spider": task}
    except (KeyError, TypeError, ValueError) as error:
        raise FrontierError(f"FRONTIER_KEY {key!r} is no pattern: {error}") from None
    return "{" + name.translate({ord("{"): "_", ord("}"): "_"}) + "}"
