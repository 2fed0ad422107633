"""The command line as a user has it: real processes, their output and their exit status."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FAST = ("-s", "DOWNLOAD_DELAY=0", "-s", "AUTOTHROTTLE_ENABLED=false", "-s", "RETRY_TIMES=0")
KEYS = (
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "OPENAI_MODEL",
    "REDIS_URL",
    "http_proxy",
    "https_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
)


@dataclass(frozen=True, slots=True)
class Run:
    """How a command ended."""

    status: int
    out: str
    err: str

    @property
    def records(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


def scrapy(*args: str, cwd: Path | None = None, env: Mapping[str, str] | None = None, timeout: float = 60) -> Run:
    """Run `scrapy ARGS` without a terminal, and without the keys of whoever runs the tests."""
    environ = {name: value for name, value in os.environ.items() if name not in KEYS} | dict(env or {})
    command = [sys.executable, "-m", "scrapy", *args]
    done = subprocess.run(command, cwd=cwd, env=environ, capture_output=True, text=True, timeout=timeout)
    return Run(done.returncode, done.stdout, done.stderr)


def extract(*args: str, cwd: Path | None = None, env: Mapping[str, str] | None = None, timeout: float = 60) -> Run:
    """`scrapy extract ARGS`, without politeness towards the tests' own servers."""
    return scrapy("extract", *args, *FAST, cwd=cwd, env=env, timeout=timeout)
