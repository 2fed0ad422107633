"""What an example says of its page's values, checked against the schema before anything is learned of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scraping_ai.extraction import paths
from scraping_ai.schema import FieldSchema

MAX_SHOWN = 80  # characters of a name or value


def problem(schema: FieldSchema, values: Mapping[str, Any], path: str = "") -> str:
    """Why `values` can't be those of an object, in one line that says what to write; "" where they can.

    Names that start with `_` are a record's own (`_url`) and are passed over.
    """
    fields = {field.name: field for field in schema.fields}
    for key, value in values.items():
        name = str(key)
        if not name.startswith("_") and (wrong := _problem(fields, name, value, paths.join(path, name))):
            return wrong
    return ""


def _problem(fields: Mapping[str, FieldSchema], name: str, value: Any, path: str) -> str:
    field = fields.get(name)
    if field is None:
        top, _, rest = name.partition(".")
        nested = f'; write {{"{top}": {{"{rest[:MAX_SHOWN]}": ...}}}}' if rest and top in fields else ""
        return f"no field {path[:MAX_SHOWN]!r} in the schema; it has {', '.join(fields)}{nested}"
    if field.type == "object" and value is not None:
        if not isinstance(value, Mapping):
            names = ", ".join(below.name for below in field.fields)
            return f"{path}: {str(value)[:MAX_SHOWN]!r}; write an object of {names}, or null"
        return problem(field, value, path)
    if field.type == "array" and isinstance(value, str) and value.lstrip().startswith("["):
        return f"{path}: {value[:MAX_SHOWN]!r} is a list in a text; write the list itself, without quotes around it"
    return ""
