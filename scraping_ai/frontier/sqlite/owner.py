"""One process works on a job's file, so that the leases which it finds there are known to be nobody's.

Others may look into the file, and operate on it, all the while.
"""

from __future__ import annotations

import os
from io import FileIO
from pathlib import Path

from scraping_ai.frontier.protocol import FrontierError, FrontierInUse

try:
    from fcntl import LOCK_EX, LOCK_NB, lockf
except ImportError:  # Windows
    lockf = None  # type: ignore[assignment]

_owned: set[Path] = set()  # by this process, which its own locks do not keep out
_lent: set[Path] = set()  # of these: to the frontier that opens next


class Owner:
    """Holds the lock beside a file; it ends with the process, however that ends, and no child inherits it."""

    def __init__(self, path: Path) -> None:
        """Raise FrontierError when somebody else holds it."""
        self.path = path.resolve()
        if self.path in _owned:
            raise FrontierInUse(f"{path} is in use by another spider of this process")
        lock = self.path.with_suffix(".lock")
        try:
            self._file = FileIO(os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC), "r+")
        except OSError as error:
            raise FrontierError(f"{lock} can't be made: {error.strerror}") from None
        try:
            if lockf is not None:
                lockf(self._file, LOCK_EX | LOCK_NB)
        except OSError:
            self._file.close()
            raise FrontierInUse(f"{path} is in use by another process") from None
        _owned.add(self.path)

    def lend(self) -> None:
        """Let one frontier of this process work on the file while this holds it."""
        _lent.add(self.path)

    def release(self) -> None:
        _owned.discard(self.path)
        _lent.discard(self.path)
        self._file.close()


def take_lent(path: Path) -> bool:
    """Whether a file's owner lets the caller work on it."""
    if (resolved := path.resolve()) not in _lent:
        return False
    _lent.discard(resolved)
    return True
