"""Field paths such as `brand.name` or `offers[1].price`: from a schema, and into a record."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from scraping_ai.schema import FieldSchema

_STEP = re.compile(r"\[(\d+)\]|\.?([^.\[\]]+)")


def join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def parse(path: str) -> list[str | int]:
    """`offers[1].price` → ["offers", 1, "price"]."""
    return [int(index) if index else name for index, name in _STEP.findall(path)]


def field_at(schema: FieldSchema, path: str) -> FieldSchema | None:
    """The schema node that a path leads to; None when the schema has no such place."""
    node: FieldSchema | None = schema
    for step in parse(path):
        if node is None:
            return None
        if isinstance(step, int):
            node = item_of(node)
        else:
            node = next((f for f in node.fields if f.name == step), None)
    return node


def item_of(array: FieldSchema) -> FieldSchema | None:
    """The schema of an array's items; they have no name of their own and mean what the array's name says."""
    if array.type != "array" or array.items is None:
        return None
    description = array.items.description or array.description
    return replace(array.items, name=array.items.name or array.name, description=description)


def value_at(record: Any, path: str) -> Any:
    """The value at a path, None where there is none."""
    for step in parse(path):
        try:
            record = record[step]
        except (KeyError, IndexError, TypeError):
            return None
    return record


def set_value(record: Any, path: str, value: Any) -> None:
    """Put a value at a path; objects, and list items up to the next free one, are made on the way."""
    steps = parse(path)
    for step, following in zip(steps, [*steps[1:], None], strict=True):
        if isinstance(step, int) and step == len(record):
            record.append(None)
        if following is None:
            record[step] = value
        elif _get(record, step) is None:
            record[step] = [] if isinstance(following, int) else {}
        record = _get(record, step)


def _get(record: Any, step: str | int) -> Any:
    return record[step] if isinstance(step, int) else record.get(step)


def leaves(field: FieldSchema, value: Any, path: str = "") -> Iterator[tuple[str, FieldSchema, Any]]:
    """Every scalar of a record with its path and schema node; absent scalars outside lists come as None."""
    if (items := item_of(field)) is not None:
        for index, item in enumerate(value if isinstance(value, list) else ()):
            yield from leaves(items, item, f"{path}[{index}]")
    elif field.type == "object":
        for child in field.fields:
            yield from leaves(child, value.get(child.name) if isinstance(value, dict) else None, join(path, child.name))
    else:
        yield path, field, value


def empty(field: FieldSchema) -> dict[str, Any]:
    """A record of a schema in which nothing was found: every field there, absent ones null."""
    return {child.name: None for child in field.fields}
