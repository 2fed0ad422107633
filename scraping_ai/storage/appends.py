"""Appending to a file exactly once, though the process may be killed in the middle and started again.

What is to be appended is first written whole beside the job's file, and the job notes from which byte on it will stand
(a redo log): an append that was begun is carried to its end by the next run, and what was there is written no more.
"""

from __future__ import annotations

import io
import os
import shutil
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import IO, TYPE_CHECKING

from scraping_ai.storage.jobs import Job, Q

if TYPE_CHECKING:
    from collections.abc import Iterator

try:
    from fcntl import LOCK_EX, flock
except ImportError:  # Windows: jobs that append to one file at once may mix their rows
    flock = None  # type: ignore[assignment]

CHUNK = 65_536


class Prepared(io.BufferedWriter):
    """What is to be appended; `continues`: the file has content, so a CSV's header is not written again."""

    continues: bool


class Append:
    """A job's rows at the end of one file: made before the file is opened, it ends what a killed process had begun.

    `pages`: up to which page all are in the file.
    """

    def __init__(self, job: Job, target: Path) -> None:
        self.job, self.target = job, target
        self.output = str(target)
        mark = sha256(self.output.encode("utf-8", "surrogateescape")).hexdigest()[:16]
        self.prepared = job.path.with_name(f"{job.path.name}-append-{mark}")
        self.pages = self._recovered()

    def _recovered(self) -> int:
        pages, start, following = next(iter(self.job.rows("export", output=self.output)), (0, 0, None))
        if following is not None:
            if self.prepared.exists():
                self._pour(start)
            self._note_end()
            pages = following
        return int(pages) if self.target.exists() else 0

    def open(self) -> Prepared:
        file = Prepared(io.FileIO(self.prepared, "wb"))
        file.continues = self.target.exists() and self.target.stat().st_size > 0
        return file

    def store(self, file: IO[bytes]) -> None:
        """Append what was prepared. Raises OSError."""
        file.flush()
        os.fsync(file.fileno())
        file.close()
        start = self.target.stat().st_size if self.target.exists() else 0
        with closing(self.job.connect()) as db:
            (last,) = db.execute(Q["last_page"]).fetchone()
            db.execute(Q["begin_export"], {"output": self.output, "start": start, "next": last})
        self._pour(start)
        self._note_end()

    def _note_end(self) -> None:
        with closing(self.job.connect()) as db:
            db.execute(Q["end_export"], {"output": self.output})
        self.prepared.unlink(missing_ok=True)

    def _pour(self, start: int) -> None:
        """Write what of it is not there yet."""
        with self.prepared.open("rb") as new, _locked(self.target) as old:
            there = _common(new, old, start)
            size = os.fstat(old.fileno()).st_size
            if there < os.fstat(new.fileno()).st_size:
                new.seek(there if start + there == size else 0)  # not where somebody else has written meanwhile
                shutil.copyfileobj(new, old)
            old.flush()
            os.fsync(old.fileno())


@contextmanager
def _locked(path: Path) -> Iterator[IO[bytes]]:
    """A file to read and append to, which no other job writes meanwhile."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as file:
        if flock is not None:
            flock(file, LOCK_EX)
        yield file


def _common(new: IO[bytes], old: IO[bytes], start: int) -> int:
    """How many bytes of `new` stand in `old` from `start` on."""
    old.seek(start)
    total = 0
    while (a := new.read(CHUNK)) and (b := old.read(len(a))):
        equal = len(a) if a == b else _first_difference(a, b)
        total += equal
        if equal < len(a):
            break
    return total


def _first_difference(a: bytes, b: bytes) -> int:
    return next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(b))
