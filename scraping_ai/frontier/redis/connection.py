"""A client from settings, under the names that scrapy-redis gave them."""

from __future__ import annotations

from typing import Any

import hiredis
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from scrapy.settings import BaseSettings

from scraping_ai.frontier.protocol import FrontierError

SINGLE = {"REDIS_HOST": "host", "REDIS_PORT": "port", "REDIS_DB": "db", "REDIS_ENCODING": "encoding"}
# Who waits is held by Session, which says so; a connection that went away while idle is replaced without a word.
PARAMS: dict[str, Any] = {"socket_timeout": 10, "socket_connect_timeout": 10, "retry": Retry(NoBackoff(), 1)}


def connect(settings: BaseSettings) -> Redis:
    """FRONTIER_URL, else REDIS_URL, else REDIS_HOST, REDIS_PORT and REDIS_DB; REDIS_ENCODING, REDIS_PARAMS.

    Nothing is sent yet. Raises FrontierError.
    """
    params = PARAMS | settings.getdict("REDIS_PARAMS")
    params |= {name: settings[setting] for setting, name in SINGLE.items() if settings.get(setting) is not None}
    params |= {"decode_responses": False}  # entries are bytes
    if params.pop("redis_cls", None) is not None:
        raise FrontierError("REDIS_PARAMS: redis_cls is not taken, as the client never blocks the crawl")
    params.pop("retry_on_timeout", None)  # every call is sent again
    url = settings.get("FRONTIER_URL") or settings.get("REDIS_URL") or params.pop("url", None)
    try:
        params |= {name: int(params[name]) for name in ("port", "db") if name in params}
        client = Redis.from_url(url, **params) if url else Redis(**params)
        client.connection_pool.make_connection()  # type: ignore[no-untyped-call]
    except (TypeError, ValueError) as error:
        raise FrontierError(f"the settings of Redis are wrong: {error}") from None
    return packed_by_hiredis(client)


class Packing:
    """What redis-py's asynchronous connections lack: hiredis packs their commands, in an eighth of the time; and how
    often one was broken is known.
    """

    breaks = 0

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._was_connected = False
        self.register_connect_callback(self._count)  # type: ignore[attr-defined]

    def pack_command(self, *args: Any) -> list[bytes]:
        words = args[0].encode() if isinstance(args[0], str) else args[0]
        return [hiredis.pack_command((*words.split(), *args[1:]))]

    async def _count(self, connection: object) -> None:
        type(self).breaks += self._was_connected
        self._was_connected = True


def packed_by_hiredis(client: Redis) -> Redis:
    """The client, before it has a connection, with faster ones."""
    pool = client.connection_pool
    pool.connection_class = type("PackingConnection", (Packing, pool.connection_class), {})
    return client
