"""Schemas written short."""

from __future__ import annotations

from typing import Any

from scraping_ai.schema import FieldSchema


def leaf(name: str, kind: str = "string", **more: Any) -> FieldSchema:
    return FieldSchema(name, kind, **more)


def record(*fields: FieldSchema | str, name: str = "") -> FieldSchema:
    """An object; a bare name is a string field, `price:number` a typed one."""
    made = [leaf(*f.split(":")) if isinstance(f, str) else f for f in fields]
    return FieldSchema(name, "object", fields=tuple(made))


def many(items: FieldSchema, name: str = "") -> FieldSchema:
    return FieldSchema(name, "array", items=items)
