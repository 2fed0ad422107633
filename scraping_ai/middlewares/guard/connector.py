"""aiohttp's connector under the guard: what it connects to was checked right before, at that very address."""

from __future__ import annotations

import socket
from contextvars import ContextVar
from typing import Any

import aiohttp
from aiohttp.abc import ResolveResult

from scraping_ai.middlewares.guard.guard import Guard

TO_TRUSTED_PROXY: ContextVar[bool] = ContextVar("to_trusted_proxy", default=False)


class GuardedConnector(aiohttp.TCPConnector):
    """Raises GuardError instead of connecting. A kept connection was checked when it was made, and costs nothing again.

    aiohttp asks a resolver for names alone, so its step before is taken: addresses as hosts are checked too.
    """

    def __init__(self, guard: Guard, **options: Any) -> None:
        super().__init__(**options)
        self._guard = guard

    async def _resolve_host(self, host: str, port: int, traces: Any = None) -> list[ResolveResult]:
        if TO_TRUSTED_PROXY.get():
            return await super()._resolve_host(host, port, traces)
        return [
            ResolveResult(
                hostname=host,
                host=str(address),
                port=port,
                family=socket.AF_INET if address.version == 4 else socket.AF_INET6,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for address in await self._guard.addresses(host, port)
        ]

    async def _create_proxy_connection(self, req: Any, *args: Any, **options: Any) -> Any:
        """Behind a proxy the page's host is known by its name alone; the proxy itself is checked unless it is ours."""
        self._guard.check_name(req.url.raw_host or "", req.port or 0)
        token = TO_TRUSTED_PROXY.set(self._guard.is_trusted_proxy(req.proxy))
        try:
            return await super()._create_proxy_connection(req, *args, **options)
        finally:
            TO_TRUSTED_PROXY.reset(token)
