"""Processes of the browser: how much memory they hold, and their end when nothing else ends them."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterable
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
PROC = Path("/proc")


def memory(pids: Iterable[int]) -> int:
    """Bytes that processes hold for themselves: what they share is there once, not once for each. 0 without /proc."""
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError, ValueError, IndexError):
            _, resident, shared = (PROC / str(pid) / "statm").read_text().split()[:3]
            total += (int(resident) - int(shared)) * PAGE
    return total


def parent(pid: int) -> int:
    """A process's parent; 0 where that is not known."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int((PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[1])
    return 0


def kill(pid: int) -> None:
    if pid > 1:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
