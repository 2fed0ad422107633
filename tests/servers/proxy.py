"""A TCP proxy whose connections break at the worst moment: when the server has done what it was asked, and says so.

async with Proxy(port) as proxy:
    connect("127.0.0.1", proxy.port)
    proxy.lose_replies(2)  # the next two answers are not passed on; their connections are closed
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from types import TracebackType

from servers.redis import free_port


class Proxy:
    """Between clients and a server at a port of this machine."""

    def __init__(self, target: int) -> None:
        self.target, self.port = target, free_port()
        self.lost = 0
        self._to_lose = 0
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()

    def lose_replies(self, n: int) -> None:
        self._to_lose = n

    async def __aenter__(self) -> Proxy:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for writer in [*self._open]:
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server_reader, server_writer = await asyncio.open_connection("127.0.0.1", self.target)
        self._open |= {writer, server_writer}
        with suppress(OSError, asyncio.CancelledError):
            await asyncio.wait(
                [
                    asyncio.create_task(self._ask(reader, server_writer)),
                    asyncio.create_task(self._reply(server_reader, writer)),
                ],
                return_when=asyncio.FIRST_COMPLETED,
            )
        for end in (writer, server_writer):
            self._open.discard(end)
            end.close()

    async def _ask(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while chunk := await reader.read(65_536):
                writer.write(chunk)

    async def _reply(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while chunk := await reader.read(65_536):
                if self._to_lose:
                    self._to_lose -= 1
                    self.lost += 1
                    return
                writer.write(chunk)
