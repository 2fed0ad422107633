"""One JSON Schema node with its references, `allOf` and alternatives written out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote

from scraping_ai.schema.checks import MAX_FIELDS, refusal, shown
from scraping_ai.schema.shapes import SHAPING, Keywords, Shape, one_of, typed

MAX_STEPS = 2_000  # nodes visited, those behind a reference at each visit

_KEYWORDS = (*SHAPING, "required", "nullable", "description", "title")


class Scoped(NamedTuple):
    """A part of the document, and the references that it stands inside of, which it may not name again."""

    node: Any
    refs: frozenset[str] = frozenset()


class Flattener:
    """Writes out the nodes of one document; the bound on steps is for all of them together."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document
        self._steps = 0

    def shape(self, scoped: Scoped, path: str) -> Shape:
        """What a node asks for. Raises SchemaError when that is nothing, or several things at once."""
        shape = self._alternatives(self._written_out(scoped, path), path)
        if shape.type == "null":
            raise refusal(path, 'always null; write the type of the value, as in "type": ["string", "null"]')
        return shape

    def _written_out(self, scoped: Scoped, path: str) -> Keywords:
        """The keywords that the node refers to, then those of its `allOf`, then its own; later ones win."""
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise refusal("", f"more than {MAX_STEPS:,} steps to write the references out; write a smaller schema")
        node, refs = scoped
        if not isinstance(node, Mapping):
            raise refusal(path, f'{shown(node)} describes no field; write for example {{"type": "string"}}')
        parts = [self._target(node["$ref"], refs, path)] if "$ref" in node else []
        parts += [Scoped(member, refs) for member in _list(node.get("allOf", []), "allOf", path)]
        merged: Keywords = {}
        for part in parts:
            merged = _merge(merged, self._written_out(part, path))
        return _merge(merged, _own(node, refs, path))

    def _target(self, ref: object, refs: frozenset[str], path: str) -> Scoped:
        """What a JSON Pointer (RFC 6901) inside the document names."""
        if not isinstance(ref, str) or not ref.startswith("#"):
            raise refusal(
                path, f'$ref {shown(ref)} leaves the schema; copy its target to "$defs" and write #/$defs/NAME'
            )
        if ref in refs or ref in ("#", "#/"):
            raise refusal(path, f"$ref {shown(ref)} never ends: it contains itself; write out the levels you need")
        target: Any = self._document
        for step in unquote(ref).split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            target = target.get(key) if isinstance(target, Mapping) else None
        if target is None or "/" not in ref:
            raise refusal(path, f'$ref {shown(ref)} names nothing in the schema; add it to "$defs"')
        return Scoped(target, refs | {ref})

    def _alternatives(self, keywords: Keywords, path: str) -> Shape:
        """Each option of `anyOf` or `oneOf` joins the keywords beside it; one that gives no type only constrains."""
        key = next((key for key in ("anyOf", "oneOf") if key in keywords), None)
        if key is None:
            return typed(keywords, path)
        beside = {name: value for name, value in keywords.items() if name != key}
        words: Keywords = {name: beside[name] for name in ("description", "title") if name in beside}
        shapes = []
        options, refs = keywords[key]
        for option in _list(options, key, path):
            part = self._written_out(Scoped(option, refs), path)
            if any(name in part for name in SHAPING):
                shapes.append(self._alternatives(_merge(beside, part) | words, path))
        return one_of(shapes, words, path) if shapes else self._alternatives(beside, path)


def _list(value: object, key: str, path: str) -> list[Any]:
    if not isinstance(value, list):
        raise refusal(path, f"{key} is {shown(value)}; write a list")
    return value


def _merge(first: Keywords, second: Keywords) -> Keywords:
    """Both, the second's values winning, with the properties and the required names of both."""
    merged = first | second
    if "properties" in first and "properties" in second:
        merged["properties"] = first["properties"] | second["properties"]
    if "required" in first and "required" in second:
        merged["required"] = first["required"] | second["required"]
    return merged


def _own(node: Mapping[str, Any], refs: frozenset[str], path: str) -> Keywords:
    """The node's own keywords that matter here, checked, the schemas in them scoped."""
    own: Keywords = {key: node[key] for key in _KEYWORDS if key in node}
    if "properties" in own:
        own["properties"] = {name: Scoped(child, refs) for name, child in _properties(own["properties"], path)}
    if "required" in own:
        own["required"] = _required(own["required"], path)
    if isinstance(own.get("items"), list) or "prefixItems" in own:
        raise refusal(path, 'has a type for each item; write one for all, as in "items": {"type": "string"}')
    for key in ("items", "anyOf", "oneOf"):
        if key in own:
            own[key] = Scoped(own[key], refs)
    return own


def _properties(value: object, path: str) -> list[tuple[str, Any]]:
    if not isinstance(value, Mapping):
        raise refusal(path, f'properties is {shown(value)}; write {{"name": {{"type": "string"}}}}')
    if len(value) > MAX_FIELDS:
        raise refusal(path, f"{len(value):,} properties; at most {MAX_FIELDS} fields in all, leave some out")
    if not all(isinstance(name, str) for name in value):
        raise refusal(path, "a property's name is no text; quote it")
    return list(value.items())


def _required(value: object, path: str) -> frozenset[str]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise refusal(path, 'required is no list of names; write it beside properties, as in "required": ["name"]')
    if len(value) > MAX_FIELDS:
        raise refusal(path, f"required has {len(value):,} names; at most {MAX_FIELDS} fields in all")
    return frozenset(value)
