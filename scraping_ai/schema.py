"""Schemas: shorthand, JSON Schema and pydantic models become one tree of `FieldSchema`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


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
