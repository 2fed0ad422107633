"""A schema tree as JSON Schema 2020-12 again, for people and for models."""

from __future__ import annotations

from typing import Any

from scraping_ai.schema.tree import FieldSchema

_FORMATS = {"date": "date", "datetime": "date-time", "url": "uri"}


def to_json_schema(root: FieldSchema, strict: bool = False) -> dict[str, Any]:
    """The JSON Schema of a tree; `parse_schema` makes the same tree of it.

    With `strict`, the subset that OpenAI's structured outputs take (its guide's "Supported schemas"): no additional
    properties, each property required and nullable, so that a model can say that a value is not there. Items of lists
    stay non-null, as a list is shorter without them. A root array stays one, though OpenAI takes only objects there:
    the caller wraps it.
    """
    return _strict(root, nullable=False) if strict else _plain(root)


def _plain(field: FieldSchema) -> dict[str, Any]:
    written = _scalar(field, field.nullable)
    if field.type in _FORMATS:
        written["format"] = _FORMATS[field.type]
    if field.type == "object":
        written["properties"] = {child.name: _plain(child) for child in field.fields}
        written["required"] = [child.name for child in field.fields if child.required]
    if field.items is not None:
        written["items"] = _plain(field.items)
    return written


def _strict(field: FieldSchema, nullable: bool) -> dict[str, Any]:
    written = _scalar(field, nullable)
    if field.type == "url":  # strict mode has no format for it
        written["description"] = f"{field.description} (URL)".strip()
    elif field.type in _FORMATS:
        written["format"] = _FORMATS[field.type]
    if field.type == "object":
        written["properties"] = {child.name: _strict(child, nullable=True) for child in field.fields}
        written["required"] = [child.name for child in field.fields]
        written["additionalProperties"] = False
    if field.items is not None:
        written["items"] = _strict(field.items, nullable=False)
    return written


def _scalar(field: FieldSchema, nullable: bool) -> dict[str, Any]:
    kind = "string" if field.type in _FORMATS else field.type
    written: dict[str, Any] = {"type": [kind, "null"] if nullable else kind}
    if field.description:
        written["description"] = field.description
    if field.enum:
        written["enum"] = [*field.enum, None] if nullable else list(field.enum)
    return written
