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


def parsed(line: bytes) -> Any:
    """A line's JSON. Raises ValueError, which says at which column it is none."""
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON at column {error.colno} ({error.msg})") from None
    except (ValueError, RecursionError):
        raise ValueError("not JSON") from None
