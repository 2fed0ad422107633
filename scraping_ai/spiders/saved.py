"""Pages that are already here: local HTML files and the lines of a `pages` file. No network."""

from __future__ import annotations

import gzip
import logging
import math
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scraping_ai.frontier.scope import WITH_LOGIN, login_of
from scraping_ai.items import Page
from scraping_ai.lines import MAX_LINE, numbered, parsed

logger = logging.getLogger(__name__)

SCHEME = "saved://"
SAMPLE = '{"url": "https://...", "path": "page.html"}'
MAX_IDS = 1_000_000  # whose lines are remembered


class SavedPages:
    """The saved pages of a job, each under an address of its own in the frontier: `saved://lines/17/4096`.

    That names the line and the byte at which it starts, `saved://files/0` an HTML file by its place among the targets.
    `limit`: bytes of a page.
    """

    def __init__(self, files: tuple[Path, ...], lines: Path | None, limit: int) -> None:
        self.files, self.lines, self.limit = files, lines, limit

    def addresses(self) -> Iterator[str]:
        """All of them; a line that can't be read is named in the log and passed over."""
        yield from (f"{SCHEME}files/{index}" for index in range(len(self.files)))
        if self.lines is not None:
            yield from (f"{SCHEME}lines/{number}/{start}" for number, start in self._readable(self.lines))

    def _readable(self, file: Path) -> Iterator[tuple[int, int]]:
        first: dict[Any, int] = {}  # the line of each id
        with file.open("rb") as lines:
            for number, line in numbered(lines):
                try:
                    page_id = listed(line).get("id")
                except ValueError as error:
                    logger.warning("%s line %d: %s; passed over", file, number, error)
                else:
                    if page_id is not None and len(first) < MAX_IDS and first.setdefault(page_id, number) != number:
                        logger.warning('%s line %d: the "id" of line %d again', file, number, first[page_id])
                    yield number, lines.tell() - len(line or b"")

    def page(self, address: str) -> Page:
        """The page of an address, with its body or the reason why it has none. Raises ValueError."""
        kind, *numbers = address.removeprefix(SCHEME).split("/")
        if kind == "files":
            path = self.files[int(numbers[0])]
            return load(Page(url=path.resolve().as_uri(), named=True), path, self.limit)
        if self.lines is None:
            raise ValueError(address)
        with self.lines.open("rb") as file:
            file.seek(int(numbers[1]))
            entry = listed(file.readline(MAX_LINE))
        page = Page(url=entry["url"], id=entry.get("id"), named=True)
        return load(page, self.lines.parent / entry["path"], self.limit, int(numbers[0]))


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
    if login_of(entry["url"]):
        raise ValueError(f'{WITH_LOGIN} of "url": records would show it; write {SAMPLE}')
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
    page.missed = page.reason is not None
    return page
