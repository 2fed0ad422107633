"""Pages whose values are known, for wrappers to learn from: the lines of an `examples` file, and their bodies."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scraping_ai.extraction.wrappers import given
from scraping_ai.frontier.scope import WITH_LOGIN, fingerprint, host_of, login_of
from scraping_ai.lines import numbered, parsed
from scraping_ai.schema import FieldSchema

MAX_EXAMPLES = 1_000
MAX_LESSONS = 10  # a site: one to five do
SAMPLE = '{"url": "https://...", "values": {"title": "..."}}'


class ExampleError(ValueError):
    """An examples file that can't be used. One line: which line of it, what is wrong, what to write instead."""


@dataclass(frozen=True, slots=True)
class Taught:
    """One example: its page, by address or by the `id` of a saved one, and its values."""

    url: str
    id: str | int | float | None
    values: Mapping[str, Any]

    def is_of(self, url: str, page_id: str | int | float | None) -> bool:
        """Whether a page is the example's."""
        if self.id is not None and self.id == page_id:
            return True
        return bool(self.url) and fingerprint(self.url) == fingerprint(url)


def read_examples(file: Path, schema: FieldSchema) -> tuple[Taught, ...]:
    """The lines `{"url" or "id", "values"}` of a JSONL file. Raises ExampleError."""
    if schema.type != "object":
        raise ExampleError("wrappers are for one record a page; write a schema whose root is an object")
    try:
        with file.open("rb") as lines:
            found = [_example(line, f"line {number}", schema) for number, line in numbered(lines)]
    except OSError as error:
        raise ExampleError(f"can't be read: {error}") from None
    if not 1 <= len(found) <= MAX_EXAMPLES:
        raise ExampleError(f"{len(found):,} examples; write 1 to {MAX_EXAMPLES:,} lines like {SAMPLE}")
    return tuple(found)


def _example(line: bytes | None, where: str, schema: FieldSchema) -> Taught:
    try:
        entry = parsed(line, SAMPLE)
    except ValueError as error:
        raise ExampleError(f"{where}: {error}") from None
    if not isinstance(entry, dict) or not isinstance(entry.get("values"), dict):
        raise ExampleError(f'{where}: no "values"; write {SAMPLE}')
    url, page_id = entry.get("url", ""), entry.get("id")
    if not isinstance(url, str) or not isinstance(page_id, str | int | float | None) or not (url or page_id):
        raise ExampleError(f'{where}: needs the page\'s "url", or the "id" of a saved page; write {SAMPLE}')
    if login_of(url):
        raise ExampleError(f'{where}: {WITH_LOGIN} of "url", and nobody logs in; write {SAMPLE}')
    if wrong := given.problem(schema, entry["values"]):
        raise ExampleError(f"{where}: {wrong}")
    return Taught(url, page_id, entry["values"])


class Lessons:
    """The pages of examples by site, complete before the first page of the job is extracted."""

    def __init__(self) -> None:
        self.complete = asyncio.Event()
        self._of: dict[str, list[tuple[bytes, str, Mapping[str, Any]]]] = {}

    def add(self, body: bytes, url: str, values: Mapping[str, Any]) -> None:
        """One page; those beyond MAX_LESSONS of a site are not needed."""
        lessons = self._of.setdefault(host_of(url), [])
        if len(lessons) < MAX_LESSONS:
            lessons.append((body, url, values))

    def of(self, url: str) -> list[tuple[bytes, str, Mapping[str, Any]]]:
        """The `(html, url, values)` triples of a page's site."""
        return self._of.get(host_of(url), [])
