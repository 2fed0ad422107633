"""One connection of the browser to the forward proxy: requests one after the other, or a tunnel."""

from __future__ import annotations

import asyncio
import hmac
import logging
import re
import socket
from typing import NamedTuple

from aiohappyeyeballs import start_connection
from scrapy.exceptions import CannotResolveHostError

from scraping_ai.middlewares.guard.allowed import split_port
from scraping_ai.middlewares.guard.guard import Guard, GuardError
from scraping_ai.middlewares.guard.messages import CHUNK, IDLE, MAX_HEAD, Head, MalformedError, copy_body, read_head

logger = logging.getLogger(__name__)

CONNECTING = 10.0  # seconds for all of a host's addresses together
TUNNEL = re.compile(rb"([^/?#@\\]+:[0-9]+)")
FORWARD = re.compile(rb"http://([^/?#@\\]+)([/?][^#]*)?")
PHRASES = {400: "Bad Request", 403: "Forbidden", 407: "Proxy Authentication Required", 502: "Bad Gateway"}


class Refused(Exception):
    """A request that is answered here, with this status and these words."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


class Ask(NamedTuple):
    """What a request wants."""

    method: bytes
    place: tuple[str, int]  # host and port
    netloc: bytes
    path: bytes  # with the query; of a tunnel empty


class Server(NamedTuple):
    """A connection to a place."""

    place: tuple[str, int]
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


class Client:
    """Requests to one server after the other use one connection to it."""

    def __init__(
        self, guard: Guard, credential: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._guard, self._credential = guard, credential
        self._reader, self._writer = reader, writer
        self._server: Server | None = None
        self._next: asyncio.Task[Head | None] | None = None

    async def serve(self) -> None:
        """Until one of both sides ends."""
        try:
            is_kept = True
            while is_kept:
                async with asyncio.timeout(IDLE):
                    head = await self._head()
                is_kept = head is not None and await self._answer(head)
        except (OSError, TimeoutError, MalformedError) as error:
            logger.debug("a connection of the browser ends: %r", error)
        finally:
            if self._next is not None:
                self._next.cancel()
            self._drop_server()
            self._writer.close()

    async def _head(self) -> Head | None:
        if self._next is None:
            return await read_head(self._reader)
        task, self._next = self._next, None
        return await task

    async def _answer(self, head: Head) -> bool:
        """Whether another request may follow."""
        try:
            ask = self._read(head)
            if ask.method == b"CONNECT":
                await self._tunnel(ask.place)
                return False
            return await self._forward(head, ask)
        except Refused as error:  # nothing of an answer was sent yet
            body = f"{error}\n".encode("utf-8", "replace")
            fields = [f"HTTP/1.1 {error.status} {PHRASES[error.status]}", "Content-Type: text/plain; charset=utf-8"]
            fields += [f"Content-Length: {len(body)}", "Connection: close"]
            fields += ['Proxy-Authenticate: Basic realm="guard"'] if error.status == 407 else []
            self._writer.write("\r\n".join([*fields, "", ""]).encode("latin-1") + body)
            await self._writer.drain()
            return False

    def _read(self, head: Head) -> Ask:
        """Raises Refused."""
        try:
            method, target, version = head.start.split(b" ")
            if version not in (b"HTTP/1.1", b"HTTP/1.0"):
                raise ValueError
            if not hmac.compare_digest(head.get(b"proxy-authorization"), self._credential):
                raise Refused(407, "for our browser alone")
            found = TUNNEL.fullmatch(target) if method == b"CONNECT" else FORWARD.fullmatch(target)
            if found is None:
                raise ValueError
            host, port = split_port(found[1].decode("ascii"))
        except ValueError:
            raise Refused(400, "not a request to a proxy") from None
        path = b"" if method == b"CONNECT" else found[2] or b"/"
        return Ask(method, (host, port or 80), found[1], path if path[:1] != b"?" else b"/" + path)

    async def _connect(self, place: tuple[str, int]) -> Server:
        host, port = place
        try:
            addresses = await self._guard.addresses(host, port)
        except GuardError as error:
            raise Refused(403, str(error)) from None
        except CannotResolveHostError as error:
            raise Refused(502, f"host not found: {error}") from None
        infos = [
            (
                socket.AF_INET if address.version == 4 else socket.AF_INET6,
                socket.SOCK_STREAM,
                0,
                "",
                (str(address), port),
            )
            for address in addresses
        ]
        try:
            async with asyncio.timeout(CONNECTING):
                connected = await start_connection(infos, happy_eyeballs_delay=0.25, interleave=1)
                reader, writer = await asyncio.open_connection(sock=connected, limit=MAX_HEAD)
        except (OSError, TimeoutError) as error:
            raise Refused(502, f"no connection: {error}") from None
        return Server(place, reader, writer)

    async def _tunnel(self, place: tuple[str, int]) -> None:
        server = self._server = await self._connect(place)
        self._writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        async with asyncio.timeout(IDLE) as deadline:
            ways = (self._reader, server.writer), (server.reader, self._writer)
            tasks = [asyncio.ensure_future(copy(reader, writer, deadline)) for reader, writer in ways]
            try:
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _forward(self, head: Head, ask: Ask) -> bool:
        kept = self._server
        is_reused = kept is not None and kept.place == ask.place and not kept.reader.at_eof()
        if kept is None or not is_reused:
            self._drop_server()
            kept = self._server = await self._connect(ask.place)
        fields = [(b"Host", ask.netloc), *((name, value) for name, value in head.fields if name.lower() != b"host")]
        kept.writer.write(Head(head.start, fields).encoded(ask.method + b" " + ask.path + b" HTTP/1.1"))
        await copy_body(head, self._reader, kept.writer, until_end=False)
        # Reading on is how a browser is noticed that waits for no answer any more.
        self._next = asyncio.ensure_future(read_head(self._reader))
        answer = asyncio.ensure_future(self._hand_back(kept, ask.method, is_reused, head.is_kept()))
        try:
            await asyncio.wait((answer, self._next), return_when=asyncio.FIRST_COMPLETED)
            if not answer.done() and (self._next.exception() or self._next.result() is None):
                return False
            return await answer
        finally:
            answer.cancel()

    async def _hand_back(self, server: Server, method: bytes, is_reused: bool, is_kept: bool) -> bool:
        """Hand on the server's answer; whether both connections can go on."""
        async with asyncio.timeout(IDLE):
            while (head := await read_head(server.reader)) is not None and head.status < 200:
                if head.status != 100:
                    self._writer.write(head.encoded(head.start))
        if head is None:
            if is_reused:
                raise MalformedError("a kept connection was closed")  # a browser then asks again by itself
            raise Refused(502, "the server hung up")
        has_body = method != b"HEAD" and head.status not in (204, 304)
        has_end = not has_body or bool(head.get(b"content-length") or head.get(b"transfer-encoding"))
        is_kept = is_kept and has_end
        start = b"HTTP/1.1 " + head.start.partition(b" ")[2]
        self._writer.write(head.encoded(start, b"Connection: keep-alive" if is_kept else b"Connection: close"))
        if has_body:
            await copy_body(head, server.reader, self._writer, until_end=True)
        await self._writer.drain()
        if not head.is_kept():
            self._drop_server()
        return is_kept

    def _drop_server(self) -> None:
        if self._server is not None:
            self._server.writer.close()
            self._server = None


async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, deadline: asyncio.Timeout) -> None:
    """Until the reader's side ends; whatever comes puts off the deadline of both ways."""
    loop = asyncio.get_running_loop()
    while data := await reader.read(CHUNK):
        deadline.reschedule(loop.time() + IDLE)
        writer.write(data)
        await writer.drain()
