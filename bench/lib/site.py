"""The site that crawlers are measured on: 5,000 pages of 16 KB with 22 links each, served by a process of its own.

    python bench/lib/site.py [PAGES]      # prints its address, and serves until its standard input ends

It answers from memory and keeps connections open, so that it is never what a crawler waits for.
"""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import Sequence
from typing import ClassVar

LINKS = 22
SIZE = 16 * 1024  # bytes of a page
WORDS = "kettle glaze handle lid spout cup saucer tray filter steam leaf brew rinse pour warm water stone clay".split()


def page(number: int, pages: int) -> bytes:
    """A shop's product page: where it is in the shop, the product with its data, text, and other products."""
    rest = random.Random(number)
    others = [(number * 3 + 1) % pages, *(rest.randrange(pages) for _ in range(LINKS - 2))]
    links = "\n".join(f'<li class="card"><a href="/p/{n}">Teapot {n}</a></li>' for n in others)
    sku, price = f"TP-{number:05}", f"{number % 90 + 10}.50"
    head = f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Teapot {number} | Pots and Kettles</title>
<meta name="description" content="Teapot {number}, made by hand"><link rel="stylesheet" href="/style.css">
<script type="application/ld+json">{{"@context": "https://schema.org", "@type": "Product", "name": "Teapot {number}",
"sku": "{sku}", "offers": {{"@type": "Offer", "price": "{price}", "priceCurrency": "EUR"}}}}</script>
</head><body><header><a href="/p/0">Pots and Kettles</a></header>
<main><h1>Teapot {number}</h1><p class="price">&euro;{price}</p><p>SKU: <span class="sku">{sku}</span></p>
"""
    tail = f"</main>\n<aside><h2>You may also like</h2><ul>\n{links}\n</ul></aside></body></html>\n"
    body = []
    left = SIZE - len(head) - len(tail)
    while left > 0:
        line = f"<p>{' '.join(rest.choices(WORDS, k=40))}.</p>\n"
        body.append(line[:left] if left < len(line) else line)
        left -= len(line)
    return "".join((head, *body, tail)).encode()


class Connection(asyncio.Protocol):
    """Answers requests of a few lines, one after the other."""

    pages: ClassVar[Sequence[bytes]]

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport, self.buffer = transport, b""

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while b"\r\n\r\n" in self.buffer:
            head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
            self.transport.write(self.answer(head.split(b" ", 2)[1].decode("latin-1")))  # type: ignore[attr-defined]

    def answer(self, path: str) -> bytes:
        number = path.removeprefix("/p/")
        if not (number.isdecimal() and int(number) < len(self.pages)):
            return b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
        body = self.pages[int(number)]
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(body)}\r\n\r\n"
        return head.encode() + body


async def serve(pages: int) -> None:
    Connection.pages = [page(number, pages) for number in range(pages)]
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Connection, "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/p/0", flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]) if len(sys.argv) > 1 else 5_000))
