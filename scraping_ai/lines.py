"""The lines of a JSONL file of the user's, numbered as an editor numbers them, however long some are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

MAX_LINE = 1_000_000  # bytes


def numbered(file: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """Each line that is not blank, with its number from 1; None for one of more than MAX_LINE bytes."""
    number = 0
    while line := file.readline(MAX_LINE + 1):
        number += 1
        whole = len(line) <= MAX_LINE
        while len(line) > MAX_LINE and not line.endswith(b"\n"):
            line = file.readline(MAX_LINE + 1)
        if not whole or line.strip():
            yield number, line if whole else None


def parsed(line: bytes | None, sample: str) -> Any:
    """The JSON of a numbered line. Raises ValueError, saying what is wrong and to write `sample`."""
    problem = f"more than {MAX_LINE:,} bytes"
    if line is not None:
        try:
            return json.loads(line)
        except json.JSONDecodeError as error:
            problem = f"not JSON at column {error.colno} ({error.msg})"
        except (ValueError, RecursionError):
            problem = "not JSON"
    raise ValueError(f"{problem}; write {sample}")
