"""The tree that every way to write a schema ends in, and the paths of its fields."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

SCALARS = ("string", "number", "integer", "boolean", "date", "datetime", "url")


class SchemaError(ValueError):
    """A schema that can't be used. One line: which field, what is wrong, what to write instead."""


@dataclass(frozen=True, slots=True)
class FieldSchema:
    """One node of a schema.

    `type`: string, number, integer, boolean, date, datetime, url, object or array. A root `object` asks for one record
    a page, a root `array` (its `items` an object) for many.
    """

    name: str  # "" for the root and for the items of an array
    type: str
    description: str = ""
    required: bool = False
    nullable: bool = True
    enum: tuple[Any, ...] = ()  # allowed values, null left out
    fields: tuple[FieldSchema, ...] = ()  # of an object
    items: FieldSchema | None = None  # of an array


def columns(root: FieldSchema) -> list[str]:
    """The columns of a flat record, in the schema's order: nested objects dotted (`brand.name`), a list one column."""
    return list(_columns(_record(root), ""))


def empty_record(root: FieldSchema) -> dict[str, Any]:
    """A record in which nothing was found: every top-level field null, objects and lists too."""
    return {field.name: None for field in _record(root).fields}


def leaves(root: FieldSchema) -> Iterator[tuple[str, FieldSchema]]:
    """The scalar fields with their paths, `[]` for the items of a list: `price`, `brand.name`, `offers[].price`."""
    yield from _leaves(root, "")


def field_at(root: FieldSchema, path: str) -> FieldSchema | None:
    """What a path in a record names: `offers[1].price`, `[0].title` below a root array, "" the root itself."""
    steps = re.split(r"\.|(?=\[)", path)
    node: FieldSchema | None = root
    for step in steps[1:] if path[:1] in ("", "[") else steps:
        node = node and _step(node, step)
    return node


def _record(root: FieldSchema) -> FieldSchema:
    return root.items if root.items is not None else root


def _columns(node: FieldSchema, prefix: str) -> Iterator[str]:
    for field in node.fields:
        if field.type == "object":
            yield from _columns(field, f"{prefix}{field.name}.")
        else:
            yield prefix + field.name


def _leaves(node: FieldSchema, path: str) -> Iterator[tuple[str, FieldSchema]]:
    if node.items is not None:
        yield from _leaves(node.items, f"{path}[]")
    elif node.type != "object":
        yield path, node
    for field in node.fields:
        yield from _leaves(field, f"{path}.{field.name}" if path else field.name)


def _step(node: FieldSchema, step: str) -> FieldSchema | None:
    if step.startswith("["):
        return node.items if re.fullmatch(r"\[[0-9]+\]", step) else None
    return next((field for field in node.fields if field.name == step), None)
