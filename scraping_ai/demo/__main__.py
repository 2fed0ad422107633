"""Serve the sample shop on loopback, until stopped or for as long as a command runs.

python -m scraping_ai.demo --port 8000
python -m scraping_ai.demo -- scrapy extract {url} --follow --fields "title, price:number"
"""

from __future__ import annotations

import argparse
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import FrameType
from typing import ClassVar
from urllib.parse import urlsplit

from scraping_ai.demo.shop import pages


class ShopHandler(BaseHTTPRequestHandler):
    """Answers GET and HEAD from the pages in memory."""

    protocol_version = "HTTP/1.1"
    timeout = 30  # seconds, so that an idle connection does not keep its thread
    pages: ClassVar = {path: text.encode() for path, text in pages().items()}

    def do_GET(self) -> None:
        self.answer()

    def do_HEAD(self) -> None:
        self.answer()

    def answer(self) -> None:
        body = self.pages.get(urlsplit(self.path).path)
        self.send_response(404 if body is None else 200)
        kind = "plain" if self.path == "/robots.txt" else "html"
        self.send_header("Content-Type", f"text/{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body or b"")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the base class's name)
        """Silent: the crawler's own log tells what was fetched."""


def main(argv: Sequence[str] | None = None) -> int:
    """Serve; the exit status is the command's, 0 without one."""
    options = parse(argv)
    signal.signal(signal.SIGTERM, stop)
    try:
        server = ThreadingHTTPServer(("127.0.0.1", options.port), ShopHandler)
    except (OSError, OverflowError) as error:
        print(f"can't listen on 127.0.0.1:{options.port}: {error}", file=sys.stderr)
        return 2
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/"
    try:
        if options.command:
            return run([part.replace("{url}", url) for part in options.command])
        return wait(url, options.stop_after)
    except KeyboardInterrupt:
        return 130
    finally:
        server.shutdown()
        server.server_close()


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m scraping_ai.demo", description="Serve a sample shop on loopback.")
    parser.add_argument("--port", type=int, default=0, help="0, the default, takes a free one")
    parser.add_argument("--stop-after", type=float, metavar="SECONDS", help="stop by itself")
    parser.add_argument("command", nargs="*", help="after --: serve while it runs; {url} in it is the shop's address")
    return parser.parse_args(argv)


def stop(number: int, frame: FrameType | None) -> None:
    raise SystemExit(0)


def wait(url: str, seconds: float | None) -> int:
    print(url, flush=True)
    threading.Event().wait(seconds)
    return 0


def run(command: Sequence[str]) -> int:
    """Run a command to its end. A signal that stops us stops it first."""
    print("$", shlex.join(command), file=sys.stderr, flush=True)
    try:
        process = subprocess.Popen(command)  # noqa: S603 (the user's own command line)
    except OSError as error:
        print(f"can't run {command[0]}: {error.strerror}", file=sys.stderr)
        return 127
    try:
        return process.wait()
    except KeyboardInterrupt:  # the terminal sent it to the command too, which is closing
        return process.wait()
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait()


if __name__ == "__main__":
    sys.exit(main())
