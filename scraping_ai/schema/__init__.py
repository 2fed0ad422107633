"""Schemas: shorthand, JSON Schema and pydantic models become one tree of `FieldSchema`."""

from scraping_ai.schema.reader import parse_schema
from scraping_ai.schema.shorthand import parse_fields, read_schema
from scraping_ai.schema.tree import FieldSchema, SchemaError, columns, empty_record, field_at, leaves
from scraping_ai.schema.writer import to_json_schema

__all__ = [
    "FieldSchema",
    "SchemaError",
    "columns",
    "empty_record",
    "field_at",
    "leaves",
    "parse_fields",
    "parse_schema",
    "read_schema",
    "to_json_schema",
]
