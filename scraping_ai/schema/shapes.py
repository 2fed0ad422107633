"""The one type that a JSON Schema node's keywords ask for."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from scraping_ai.schema.checks import closest, refusal, shown
from scraping_ai.schema.tree import SCALARS

MAX_ENUM = 1_000  # values; what OpenAI's structured outputs take in all
Keywords = dict[str, Any]
SHAPING = ("type", "format", "enum", "const", "properties", "items", "prefixItems", "anyOf", "oneOf")

_TYPES = ("string", "number", "integer", "boolean", "object", "array", "null")
_FORMATS = {
    "date": "date",
    "date-time": "datetime",
    "uri": "url",
    "uri-reference": "url",
    "iri": "url",
    "iri-reference": "url",
    "url": "url",
}


@dataclass(frozen=True, slots=True)
class Shape:
    """A node that has one type: as in FieldSchema, or null."""

    type: str
    nullable: bool
    enum: tuple[Any, ...]
    keywords: Keywords

    def text(self, key: str) -> str:
        """The `description` or the `title`, "" without one."""
        found = self.keywords.get(key)
        return found if isinstance(found, str) else ""


def typed(keywords: Keywords, path: str) -> Shape:
    """The shape of a node without alternatives. Raises SchemaError when its types don't come down to one."""
    values = _enum(keywords, path)
    types = _types(keywords, values, path)
    nullable = "null" in types or keywords.get("nullable") is True or None in values
    types = [type_ for type_ in types if type_ != "null"]
    if not types:
        return Shape("null", True, (), keywords)
    chosen = _one_type(types, path)
    enum = tuple(value for value in values if value is not None)
    _check_enum(enum, chosen, path)
    return Shape(chosen, nullable, enum, keywords)


def one_of(shapes: list[Shape], words: Keywords, path: str) -> Shape:
    """One shape for several alternatives, `words` (description, title) being those of all of them."""
    nullable = any(shape.nullable for shape in shapes)
    shapes = [shape for shape in shapes if shape.type != "null"]
    if not shapes:
        return Shape("null", True, (), {})
    chosen = _one_type([shape.type for shape in shapes], path)
    shapes = [shape for shape in shapes if shape.type == chosen]
    if len(shapes) == 1:
        return replace(shapes[0], nullable=nullable)
    if chosen not in SCALARS:
        raise refusal(
            path, f"one of several kinds of {chosen}; write one with the fields of all, none of them required"
        )
    limited = all(shape.enum for shape in shapes)
    enum = dict.fromkeys(value for shape in shapes for value in shape.enum) if limited else ()
    _check_length(enum, path)
    return Shape(chosen, nullable, tuple(enum), words)


def _types(keywords: Keywords, values: tuple[Any, ...], path: str) -> list[str]:
    """The types that the node names, or that its other keywords let infer."""
    if "type" not in keywords:
        return _inferred(keywords, values)
    given = keywords["type"]
    named = given if isinstance(given, list) and given else [given]
    return [_known(name, keywords, path) for name in named[: len(_TYPES) + 1]]


def _known(name: object, keywords: Mapping[str, Any], path: str) -> str:
    lower = name.lower() if isinstance(name, str) else ""  # Gemini's schemas have STRING, OBJECT
    if lower not in _TYPES:
        raise refusal(path, _unknown_type(name))
    return _formatted(keywords) if lower == "string" else lower


def _unknown_type(name: object) -> str:
    meant = closest(name, (*_TYPES, *SCALARS)) if isinstance(name, str) else None
    form = next((form for form, type_ in _FORMATS.items() if type_ == meant), None)
    written = f'"type": "string", "format": "{form}"' if form else f'"type": "{meant or "string"}"'
    return f"unknown type {shown(name)}; write {written} (the types are {', '.join(_TYPES)})"


def _inferred(keywords: Keywords, values: tuple[Any, ...]) -> list[str]:
    if "properties" in keywords:
        return ["object"]
    if "items" in keywords:
        return ["array"]
    if values:
        return [_type_of(value, keywords) for value in values]
    return [_formatted(keywords)]


def _formatted(keywords: Mapping[str, Any]) -> str:
    form = keywords.get("format")
    return _FORMATS.get(form, "string") if isinstance(form, str) else "string"


def _type_of(value: object, keywords: Mapping[str, Any]) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return _formatted(keywords)
    return "integer" if isinstance(value, int) else "number"


def _one_type(types: Iterable[str], path: str) -> str:
    """The only type; of a number or text (pydantic's Decimal) the number, and likewise for the other scalars."""
    distinct = dict.fromkeys(types)
    if len(distinct) > 1 and all(type_ in SCALARS for type_ in distinct):
        distinct.pop("string", None)
        if "number" in distinct:
            distinct.pop("integer", None)
    if len(distinct) > 1:
        raise refusal(path, f"can be {' or '.join(distinct)}; write one type")
    return next(iter(distinct))


def _enum(keywords: Keywords, path: str) -> tuple[Any, ...]:
    """The allowed values, null among them, without repetitions."""
    values = [keywords["const"]] if "const" in keywords else keywords.get("enum", [])
    if not isinstance(values, list) or ("enum" in keywords and not values):
        raise refusal(path, 'enum is no list of values; write for example "enum": ["new", "used"]')
    _check_length(values, path)
    for value in values:
        if not isinstance(value, str | int | float | None) or not _finite(value):
            raise refusal(path, "enum has a value that is no text, number, boolean or null; leave it out")
    return tuple(dict.fromkeys(values))


def _check_length(values: Collection[Any], path: str) -> None:
    if len(values) > MAX_ENUM:
        raise refusal(path, f"enum has {len(values):,} values; at most {MAX_ENUM:,}, or leave it out")


def _finite(value: object) -> bool:
    try:
        return not isinstance(value, int | float) or math.isfinite(value)
    except OverflowError:
        return False


def _check_enum(enum: tuple[Any, ...], type_: str, path: str) -> None:
    if enum and type_ not in SCALARS:
        raise refusal(path, f"enum of {type_}s; write it in the items or fields instead")
    for value in enum:
        if not _fits(value, type_):
            raise refusal(path, f"enum value {shown(value)} is no {type_}; write values of one type")


def _fits(value: object, type_: str) -> bool:
    if isinstance(value, bool) or type_ == "boolean":
        return isinstance(value, bool) and type_ == "boolean"
    if type_ == "integer":
        return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if type_ == "number":
        return isinstance(value, int | float)
    return isinstance(value, str)
