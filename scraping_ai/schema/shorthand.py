"""The shorthand for flat records: `title, price:number, tags[], released:date?`."""

from __future__ import annotations

import unicodedata

from scraping_ai.schema.checks import MAX_CHARACTERS, MAX_FIELDS, check_name, closest, refusal, shown
from scraping_ai.schema.reader import parse_schema
from scraping_ai.schema.tree import SCALARS, FieldSchema

_FULL_WIDTH = str.maketrans("，、：？", ",,:?")  # what a Japanese or Chinese keyboard gives for , : ?


def read_schema(source: object) -> FieldSchema:
    """A schema in any form: the shorthand, or whatever `parse_schema` takes. Raises SchemaError.

    For callers in Python; options keep the two apart, so that a mistyped file name never becomes a field.
    """
    if isinstance(source, str) and source.lstrip()[:1] not in ("{", "["):
        return parse_fields(source)
    return parse_schema(source)


def parse_fields(text: str) -> FieldSchema:
    """An object with a field for each comma-separated `name[:type][?]`; `?` makes it optional and nullable.

    `[]` after the name or the type makes it a list. Raises SchemaError.
    """
    if len(text) > MAX_CHARACTERS:
        raise refusal("", f"{len(text):,} characters of fields; at most {MAX_CHARACTERS:,}")
    if text.lstrip()[:1] in ("{", "["):
        raise refusal("", "this looks like a JSON Schema; pass it as the schema, or write title, price:number")
    if not text.strip():
        raise refusal("", "no fields; write for example title, price:number")
    parts = text.translate(_FULL_WIDTH).split(",")
    if len(parts) > MAX_FIELDS:
        raise refusal("", f"{len(parts)} fields; at most {MAX_FIELDS}")
    fields = tuple(map(_field, parts))
    _refuse_duplicates(fields)
    return FieldSchema("", "object", nullable=False, fields=fields)


def _field(part: str) -> FieldSchema:
    text, optional = _cut(part, "?")
    text, is_list = _cut(text, "[]")
    name, colon, kind = text.partition(":")
    name, list_by_name = _cut(name, "[]")
    name = unicodedata.normalize("NFC", name)
    _check(name, part)
    kind = _scalar(name, kind.strip()) if colon else "string"
    if not (is_list or list_by_name):
        return FieldSchema(name, kind, required=not optional, nullable=optional)
    items = FieldSchema("", kind, nullable=False)
    return FieldSchema(name, "array", required=not optional, nullable=optional, items=items)


def _cut(text: str, suffix: str) -> tuple[str, bool]:
    text = text.strip()
    return text.removesuffix(suffix).strip(), text.endswith(suffix)


def _scalar(name: str, kind: str) -> str:
    if kind in SCALARS:
        return kind
    meant = closest(kind, SCALARS)
    hint = f"did you mean {meant}? The types are" if meant else "write one of"
    problem = f"unknown type {shown(kind)}" if kind else "no type after the colon"
    raise refusal(name, f"{problem}; {hint} {', '.join(SCALARS)}, with [] for a list")


def _check(name: str, part: str) -> None:
    if not name:
        raise refusal("", f"{shown(part.strip())} has no name; write name or name:type between two commas")
    if "?" in name:
        raise refusal("", f"{shown(name)}: the ? goes last, as in price:number?")
    if len(name.split()) > 1:
        raise refusal("", f"{shown(name)} has spaces; put a comma between two fields, or write _ for a space")
    if "." in name:
        raise refusal("", f"{shown(name)} has a dot; nested fields need a JSON Schema")
    check_name("", name)


def _refuse_duplicates(fields: tuple[FieldSchema, ...]) -> None:
    seen: set[str] = set()
    for field in fields:
        if field.name in seen:
            raise refusal(field.name, "named twice; leave one out or rename it")
        seen.add(field.name)
