"""JSON Schema 2020-12, as people, pydantic and language models write it, read into a schema tree.

A schema describes what to extract, so the keywords that name and type values are read and those that constrain them
(`pattern`, `minimum`, ...) are ignored. Schemas are hostile input: every walk is bounded, and nothing in one is run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from scraping_ai.schema.checks import MAX_CHARACTERS, MAX_FIELDS, check_name, check_text, join, refusal, shown
from scraping_ai.schema.flatten import Flattener, Scoped
from scraping_ai.schema.shapes import Shape
from scraping_ai.schema.tree import FieldSchema

MAX_DEPTH = 8  # objects and arrays around a field


def parse_schema(source: object) -> FieldSchema:
    """The tree of a JSON Schema (text or mapping), a pydantic model class, or a tree, which stays as it is.

    Raises SchemaError for everything else, for what no page could fill, and for schemas out of bounds.
    """
    if isinstance(source, FieldSchema):
        return source
    try:
        document = _document(source)
        root = _Reader(document).read(Scoped(document), "", "", 0)
    except RecursionError:
        raise refusal("", "nested too deep; write a flatter schema") from None
    return _checked_root(root)


def _document(source: object) -> Mapping[str, Any]:
    if isinstance(source, str):
        source = _loads(source)
    elif isinstance(source, type) and hasattr(source, "model_json_schema"):
        source = _of_model(source)
    if not isinstance(source, Mapping):
        raise refusal("", f"{shown(source)} is no schema; give a JSON Schema object or a pydantic model class")
    if not source:
        raise refusal("", f"the schema is empty; write {_EXAMPLE}")
    return source


def _loads(text: str) -> object:
    if len(text) > MAX_CHARACTERS:
        raise refusal("", f"the schema has {len(text):,} characters; at most {MAX_CHARACTERS:,}")
    try:
        return json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise refusal("", f"the schema isn't JSON at {where}: {error.msg}; write {_EXAMPLE}") from None
    except ValueError:  # an integer of thousands of digits
        raise refusal("", "the schema has a number that is too long; write a shorter one") from None


def _of_model(model: type) -> object:
    from pydantic.errors import PydanticUserError

    try:
        return model.model_json_schema()  # type: ignore[attr-defined]
    except PydanticUserError as error:
        reason = str(error).partition("\n")[0]
        raise refusal("", f"{model.__name__} has no JSON Schema: {reason}; use types that JSON has") from None


_EXAMPLE = '{"type": "object", "properties": {"title": {"type": "string"}}}'


def _checked_root(root: FieldSchema) -> FieldSchema:
    if root.type == "array" and root.items is not None and root.items.type != "object":
        raise refusal("", f"a list of {root.items.type} is no record; wrap it in an object with a property for it")
    if root.type not in ("object", "array"):
        raise refusal("", f"the root is a {root.type}; write {_EXAMPLE}, or an array of such objects")
    return root


class _Reader:
    def __init__(self, document: Mapping[str, Any]) -> None:
        self._flattener = Flattener(document)
        self._fields = 0
        self._characters = 0

    def read(self, scoped: Scoped, name: str, path: str, depth: int, required: bool = False) -> FieldSchema:
        """The tree below a node that has `depth` objects and arrays around it."""
        shape = self._flattener.shape(scoped, path)
        if depth + (shape.type in ("object", "array")) > MAX_DEPTH:
            raise refusal(path, f"nested deeper than {MAX_DEPTH} objects and arrays; write a flatter schema")
        description = _description(shape, name)
        self._count(path, name, description, *shape.enum)
        return FieldSchema(
            name,
            shape.type,
            description=description,
            required=required,
            nullable=shape.nullable,
            enum=shape.enum,
            fields=self._properties(shape, path, depth + 1) if shape.type == "object" else (),
            items=self._items(shape, path, depth + 1) if shape.type == "array" else None,
        )

    def _properties(self, shape: Shape, path: str, depth: int) -> tuple[FieldSchema, ...]:
        properties: Mapping[str, Scoped] = shape.keywords.get("properties", {})
        if not properties:
            raise refusal(path, 'an object without fields; name them, as in "properties": {"name": {"type": "string"}}')
        required: frozenset[str] = shape.keywords.get("required", frozenset())
        if unknown := sorted(required - properties.keys()):
            raise refusal(
                path, f"required names {shown(unknown[0])}, which is not in properties; add it or leave it out"
            )
        self._fields += len(properties)
        if self._fields > MAX_FIELDS:
            raise refusal("", f"more than {MAX_FIELDS} fields, references written out; leave some out")
        for name in properties:
            check_name(path, name)
        return tuple(
            self.read(child, name, join(path, name), depth, required=name in required)
            for name, child in properties.items()
        )

    def _items(self, shape: Shape, path: str, depth: int) -> FieldSchema:
        return self.read(shape.keywords.get("items", Scoped({})), "", f"{path}[]", depth)

    def _count(self, path: str, *texts: object) -> None:
        for text in texts:
            if isinstance(text, str):
                check_text(path, text)
            self._characters += len(text) if isinstance(text, str) else 8
        if self._characters > MAX_CHARACTERS:
            raise refusal(path, f"more than {MAX_CHARACTERS:,} characters of names, descriptions and enums; cut some")


def _description(shape: Shape, name: str) -> str:
    """The description, else a title that says more than the name does, as those that pydantic makes don't."""
    title = shape.text("title")
    return shape.text("description") or ("" if _folded(title) == _folded(name) else title)


def _folded(text: str) -> str:
    return text.replace("_", "").replace(" ", "").casefold()
