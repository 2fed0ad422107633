"""Pages that are already here: local HTML files and the lines of a `pages` file. No network."""

from __future__ import annotations

import gzip
import json
import logging
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scraping_ai.items import Page

logger = logging.getLogger(__name__)

MAX_LINE = 1_000_000  # bytes of a line of a pages file


def local_pages(paths: tuple[Path, ...], limit: int) -> Iterator[Page]:
    """A page for each HTML file, its `file:` address as URL; `limit` in bytes."""
    for path in paths:
        yield load(Page(url=path.resolve().as_uri(), named=True), path, limit)


def listed_pages(file: Path, limit: int) -> Iterator[Page]:
    """A page for each line `{"id"?, "url", "path"}` of a JSONL file, paths relative to the file.

    A line that can't be read is named in the log and passed over; a page whose file is missing has a `reason`.
    """
    with file.open("rb") as lines:
        for number, line in enumerate(iter(lambda: lines.readline(MAX_LINE), b""), 1):
            if not line.strip():
                continue
            try:
                entry = listed(line)
            except ValueError as error:
                logger.warning("%s line %d: %s; passed over", file, number, error)
                continue
            page = Page(url=entry["url"], id=entry.get("id"), named=True)
            yield load(page, file.parent / entry["path"], limit)


def listed(line: bytes) -> dict[str, Any]:
    """One line of a pages file. Raises ValueError, saying what to write."""
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError('not JSON; write {"url": "https://...", "path": "page.html"}') from None
    if not isinstance(entry, dict):
        raise ValueError('not an object; write {"url": "https://...", "path": "page.html"}')
    if not isinstance(entry.get("id"), str | int | float | None):
        raise ValueError(
            '"id" is neither text nor a number; write {"id": "a1", "url": "https://...", "path": "a.html"}'
        )
    for name in ("url", "path"):
        if not isinstance(entry.get(name), str) or not entry[name]:
            raise ValueError(f'no "{name}"; write {{"url": "https://...", "path": "page.html"}}')
    return entry


def load(page: Page, path: Path, limit: int) -> Page:
    """Read the page's body from an `.html` or `.html.gz` file, or set the reason why not."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            page.body = file.read(limit + 1)
    except FileNotFoundError:
        page.reason = f"file not found: {path}"
    except (OSError, EOFError, ValueError, zlib.error) as error:
        page.reason = f"can't read {path}: {error}"
    if len(page.body) > limit:
        page.body, page.reason = b"", f"body larger than {limit:,} bytes"
    return page
