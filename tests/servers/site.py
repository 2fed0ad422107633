"""A real HTTP/1.1 server on loopback for tests: it serves what it is given and records what it was asked.

    with Site({"/": "<h1>Shop</h1>", "/robots.txt": Resource("Disallow: /", delay=0.5)}) as site:
        fetch(site.url("/"))
        assert site.paths == ["/robots.txt", "/"]

Every address of 127.0.0.0/8 is loopback on Linux: `Site(pages, host="127.0.0.2")` is a second host.
"""

from __future__ import annotations

import io
import mimetypes
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Hit:
    """One request as it arrived."""

    method: str
    path: str  # with the query
    headers: Mapping[str, str]  # names in lower case
    body: bytes
    time: float  # seconds, time.monotonic()
    arrived: float = 0.0  # seconds since 1970 when the kernel had it, however busy this process was (on Linux)


@dataclass(frozen=True, slots=True)
class Resource:
    """One answer. The content type follows from the path unless `headers` gives it."""

    body: str | bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0  # seconds before the answer starts


Answer = str | bytes | Resource
Pages = Mapping[str, Answer | Callable[[Hit], Answer]]


class Site:
    """A host of pages by path; one with a query is looked up with it, then without. Others are 404."""

    def __init__(self, pages: Pages, host: str = "127.0.0.1", port: int = 0) -> None:
        self.pages = dict(pages)
        self.closing = threading.Event()
        self._hits: list[Hit] = []
        self._lock = threading.Lock()
        self._server = _Server((host, port), _Handler)
        self._server.site = self
        self.host, self.port = host, self._server.server_port

    def __enter__(self) -> Site:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()

    def url(self, path: str = "/") -> str:
        return f"http://{self.host}:{self.port}{path}"

    @property
    def hits(self) -> list[Hit]:
        """Every request so far, in the order of arrival."""
        with self._lock:
            return list(self._hits)

    @property
    def paths(self) -> list[str]:
        return [hit.path for hit in self.hits]

    def answer(self, hit: Hit) -> Resource:
        """Record a request and say what to send."""
        with self._lock:
            self._hits.append(hit)
        page = self.pages.get(hit.path, self.pages.get(urlsplit(hit.path).path))
        if page is None:
            return Resource("not found", 404)
        made = page(hit) if callable(page) else page
        return made if isinstance(made, Resource) else Resource(made)


class _Stamped(io.RawIOBase):
    """What a socket receives, with the time when the last of it arrived."""

    SO_TIMESTAMPNS = 35  # Linux's, on most machines

    def __init__(self, connection: socket.socket) -> None:
        self.connection, self.time = connection, 0.0
        if sys.platform == "linux":
            connection.setsockopt(socket.SOL_SOCKET, self.SO_TIMESTAMPNS, 1)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        size, told, _, _ = self.connection.recvmsg_into([buffer], 256)
        self.time = time.time()
        for _, kind, data in told:
            if kind == self.SO_TIMESTAMPNS:
                seconds, fraction = struct.unpack_from("qq", data)
                self.time = seconds + fraction / 1e9
        return size


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # the default of 5 drops connections when a crawl starts with more at once
    site: Site

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that hang up are part of many tests."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    wbufsize = -1
    disable_nagle_algorithm = True

    def setup(self) -> None:
        super().setup()
        self.stamped = _Stamped(self.connection)
        self.rfile = io.BufferedReader(self.stamped)

    def _serve(self) -> None:
        arrived = time.monotonic()
        stamp = self.stamped.time
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        resource = self.server.site.answer(Hit(self.command, self.path, headers, body, arrived, stamp))
        if self.server.site.closing.wait(resource.delay):
            self.close_connection = True
        else:
            self._send(resource)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = _serve  # noqa: N815

    def _send(self, resource: Resource) -> None:
        body = resource.body.encode() if isinstance(resource.body, str) else resource.body
        kind = mimetypes.guess_type(urlsplit(self.path).path)[0] or "text/html; charset=utf-8"
        self.send_response(resource.status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **resource.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Silent: `Site.hits` is the log."""
