"""Pages that are already here: local HTML files and the lines of a `pages` file. No network."""

from __future__ import annotations

import gzip
import logging
import math
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scraping_ai.items import Page
from scraping_ai.lines import numbered, parsed

logger = logging.getLogger(__name__)

SAMPLE = '{"url": "https://...", "path": "page.html"}'
MAX_IDS = 1_000_000  # whose lines are remembered


def local_pages(paths: tuple[Path, ...], limit: int) -> Iterator[Page]:
    """A page for each HTML file, its `file:` address as URL; `limit` in bytes."""
    for path in paths:
        yield load(Page(url=path.resolve().as_uri(), named=True), path, limit)


def listed_pages(file: Path, limit: int) -> Iterator[Page]:
    """A page for each line `{"id"?, "url", "path"}` of a JSONL file, paths relative to the file.

    A line that can't be read is named in the log and passed over; a page whose file is missing has a `reason`.
    """
    first: dict[Any, int] = {}  # the line of each id
    with file.open("rb") as lines:
        for number, line in numbered(lines):
            try:
                entry = listed(line)
            except ValueError as error:
                logger.warning("%s line %d: %s; passed over", file, number, error)
                continue
            page = Page(url=entry["url"], id=entry.get("id"), named=True)
            if page.id is not None and len(first) < MAX_IDS and first.setdefault(page.id, number) != number:
                logger.warning('%s line %d: the "id" of line %d again', file, number, first[page.id])
            yield load(page, file.parent / entry["path"], limit, number)


def listed(line: bytes | None) -> dict[str, Any]:
    """One line of a pages file (None: too long). Raises ValueError, saying what to write."""
    entry = parsed(line, SAMPLE)
    if not isinstance(entry, dict):
        raise ValueError(f"not an object; write {SAMPLE}")
    page_id = entry.get("id")
    if not isinstance(page_id, str | int | float | None) or (isinstance(page_id, float) and not math.isfinite(page_id)):
        raise ValueError(
            '"id" is neither text nor a number; write {"id": "a1", "url": "https://...", "path": "a.html"}'
        )
    for name in ("url", "path"):
        if not isinstance(entry.get(name), str) or not entry[name]:
            raise ValueError(f'no "{name}"; write {SAMPLE}')
    return entry


def load(page: Page, path: Path, limit: int, line: int | None = None) -> Page:
    """Read the page's body from an `.html` or `.html.gz` file, or set the reason why not; `line`: where it stands."""
    where = str(path) if line is None else f"line {line}: {path}"
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            page.body = file.read(limit + 1)
    except FileNotFoundError:
        page.reason = f"file not found: {where}"
    except (OSError, EOFError, ValueError, zlib.error) as error:
        page.reason = f"file can't be read: {where}: {getattr(error, 'strerror', None) or error}"
    if len(page.body) > limit:
        page.body, page.reason = b"", f"body larger than {limit:,} bytes: {where}"
    return page
