"""HTTP/1.1 messages on their way through the forward proxy: heads are read and bounded, bodies handed on."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass

MAX_HEAD = 65_536  # bytes
CHUNK = 65_536
IDLE = 120.0  # seconds in which nothing comes
# Of one connection, and none of the next one's business (RFC 9110, 7.6.1).
HOP_BY_HOP = frozenset(
    b"connection keep-alive proxy-connection proxy-authorization proxy-authenticate te upgrade expect".split()
)
FIELD = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
STATUS = re.compile(rb"HTTP/1\.[01] ([1-9][0-9]{2})(?: |$)")
SIZE = re.compile(rb"[0-9A-Fa-f]{1,15}")


class MalformedError(Exception):
    """Bytes that are no HTTP message."""


@dataclass(slots=True)
class Head:
    """A start line, without its end, and fields; names in lower case."""

    start: bytes
    fields: list[tuple[bytes, bytes]]

    def get(self, name: bytes) -> bytes:
        return b", ".join(value for field, value in self.fields if field.lower() == name)

    def tokens(self, name: bytes) -> set[bytes]:
        return {token.strip() for token in self.get(name).lower().split(b",")}

    @property
    def status(self) -> int:
        """Of a response; raises MalformedError."""
        found = STATUS.match(self.start)
        if found is None:
            raise MalformedError("a broken status line")
        return int(found[1])

    def is_kept(self) -> bool:
        """Whether its sender wants to go on using the connection."""
        tokens = self.tokens(b"connection") | self.tokens(b"proxy-connection")
        return b"close" not in tokens and (b"HTTP/1.1" in self.start or b"keep-alive" in tokens)

    def encoded(self, start: bytes, *more: bytes) -> bytes:
        """The head for the next hop."""
        dropped = HOP_BY_HOP | self.tokens(b"connection")
        kept = [name + b": " + value for name, value in self.fields if name.lower() not in dropped]
        return b"\r\n".join([start, *kept, *more, b"", b""])


async def read_head(reader: asyncio.StreamReader) -> Head | None:
    """The next message's head, None where the sender has ended. Raises MalformedError, also for a head too long."""
    try:
        raw = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as error:
        if error.partial.strip():
            raise MalformedError("a head that breaks off") from None
        return None
    except asyncio.LimitOverrunError:
        raise MalformedError(f"a head of more than {MAX_HEAD} bytes") from None
    start, *lines = raw[:-4].lstrip(b"\r\n").split(b"\r\n")
    fields = []
    for line in lines:
        name, colon, value = line.partition(b":")
        if not colon or FIELD.fullmatch(name) is None or b"\n" in value or b"\0" in value:
            raise MalformedError("a broken header field")
        fields.append((name, value.strip()))
    return Head(start, fields)


async def copy_body(head: Head, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, until_end: bool) -> bool:
    """Hand on the body that a head announces; of responses (`until_end`) one without a length goes on to the end.

    Returns whether it ended by itself, so that another message may follow.
    """
    coding, lengths = head.tokens(b"transfer-encoding") - {b""}, head.tokens(b"content-length") - {b""}
    if coding:
        if coding != {b"chunked"}:
            raise MalformedError("an unknown transfer coding")
        await copy_chunks(reader, writer)
    elif lengths:
        length = lengths.pop()
        if lengths or not length.isdigit() or len(length) > 15:
            raise MalformedError("a broken length")
        await copy_exactly(int(length), reader, writer)
    elif until_end:
        while data := await read_some(reader, CHUNK):
            writer.write(data)
            await writer.drain()
        return False
    return True


async def copy_exactly(n: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while n:
        data = await read_some(reader, min(n, CHUNK))
        if not data:
            raise MalformedError("a body that breaks off")
        n -= len(data)
        writer.write(data)
        await writer.drain()


async def copy_chunks(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    size = 1
    while size:
        line = await read_line(reader)
        found = SIZE.match(line)
        if found is None:
            raise MalformedError("a broken chunk")
        size = int(found[0], 16)
        writer.write(line)
        if size:
            await copy_exactly(size + 2, reader, writer)
    while line.strip():  # trailers, until an empty line
        line = await read_line(reader)
        writer.write(line)
    await writer.drain()


async def read_some(reader: asyncio.StreamReader, n: int) -> bytes:
    async with asyncio.timeout(IDLE):
        return await reader.read(n)


async def read_line(reader: asyncio.StreamReader) -> bytes:
    try:
        async with asyncio.timeout(IDLE):
            return await reader.readuntil(b"\r\n")
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        raise MalformedError("a body that breaks off") from None
