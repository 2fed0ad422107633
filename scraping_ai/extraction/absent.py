"""The fields of a result that have no value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scraping_ai.extraction import paths
from scraping_ai.extraction.result import Result
from scraping_ai.schema import FieldSchema


def missing(result: Result) -> list[str]:
    """Paths of a result that have no value, required fields first."""
    root = result.schema
    item = paths.item_of(root)
    records = enumerate(result.records or [{}]) if item is not None else [(0, (result.records or [{}])[0])]
    found = [
        (not field.required, f"[{index}].{path}" if item is not None else path)
        for index, record in records
        for path, field, value in _absent(item or root, record, "")
        if value is None
    ]
    return [path for _, path in sorted(found, key=lambda entry: entry[0])]


def _absent(schema: FieldSchema, record: dict[str, Any], path: str) -> Iterator[tuple[str, FieldSchema, Any]]:
    for field in schema.fields:
        here, value = paths.join(path, field.name), record.get(field.name)
        if field.type == "array":
            yield here, field, value or None
            yield from ((p, f, v) for p, f, v in paths.leaves(field, value, here) if v is None)
        elif field.type == "object":
            yield from _absent(field, value or {}, here)
        else:
            yield here, field, value
