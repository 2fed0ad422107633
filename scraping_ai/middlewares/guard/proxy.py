"""A forward proxy on loopback: the only way out for a browser, so that each address it would reach is checked.

A browser's own hooks see neither the hops of a redirect nor the address behind a name. Here each connection's name is
resolved, the address checked, and that very address connected to.
"""

from __future__ import annotations

import asyncio
import base64
import secrets

from scraping_ai.middlewares.guard.client import Client
from scraping_ai.middlewares.guard.guard import Guard
from scraping_ai.middlewares.guard.messages import MAX_HEAD

AT_ONCE = 1_000  # connections of the browser


class ForwardProxy:
    """Answers whoever knows its password; `launch_option` is Playwright's `proxy`, `arguments` belong to Chromium's.

    What the guard refuses is answered 403 with the reason as text, what can't be reached 502.
    """

    # WebRTC would send past any proxy, names would be looked up before they are asked for; QUIC has no proxy.
    arguments = (
        "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--disable-quic",
        "--dns-prefetch-disable",
    )

    def __init__(self, guard: Guard) -> None:
        self.guard = guard
        self.url = ""
        self.username, self.password = "browser", secrets.token_urlsafe(24)
        self._credential = b"Basic " + base64.b64encode(f"{self.username}:{self.password}".encode())
        self._server: asyncio.Server | None = None
        self._clients: set[asyncio.Task[None]] = set()

    @property
    def launch_option(self) -> dict[str, str]:
        bypass = "<-loopback>"  # else Chromium goes to loopback directly
        return {"server": self.url, "bypass": bypass, "username": self.username, "password": self.password}

    async def start(self) -> str:
        """Listen at a free port of loopback; returns `http://127.0.0.1:PORT`."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=MAX_HEAD)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self.url

    async def close(self) -> None:
        """Stop listening and end all connections."""
        if self._server is not None:
            self._server.close()
        for task in self._clients:
            task.cancel()
        await asyncio.gather(*self._clients, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._clients) >= AT_ONCE:
            writer.close()
            return
        task = asyncio.ensure_future(Client(self.guard, self._credential, reader, writer).serve())
        self._clients.add(task)
        task.add_done_callback(self._clients.discard)
