"""JSON-LD 1.1 as pages use it: `<script type="application/ld+json">` read into entities, `@id` references followed."""

from __future__ import annotations

import json
from typing import Any

from lxml import etree

from scraping_ai.extraction.document import Anchor, Document
from scraping_ai.extraction.structured.entity import MAX_NESTING, Entity, Leaf, local_name
from scraping_ai.extraction.structured.repair import loads

_CONTAINERS = ("@value", "@list", "@set")
MAX_SCRIPT = 2 * 2**20  # characters
MAX_NODES = 20_000  # values a page; one that has more is not describing itself
MAX_REPAIRED_NODES = 1_000  # each is searched for in the script's text


def read(document: Document) -> list[Entity]:
    """The top-level entities of every script, in page order; members of `@graph` and arrays count as top-level."""
    entities: list[Entity] = []
    left = MAX_NODES
    for node in document.root.iter("script"):
        if left > 0 and _is_jsonld(node):
            script = _Script(node, left)
            entities += script.entities
            left = script.left
    _follow_references(entities)
    return entities


def _is_jsonld(node: etree._Element) -> bool:
    kind = (node.get("type") or "").split(";")[0].strip().lower()
    return kind == "application/ld+json" and len(node.text or "") <= MAX_SCRIPT


class _Script:
    """Reads one script. A leaf of a script that needed repair has no pointer: strict parsers cannot follow one."""

    def __init__(self, node: etree._Element, left: int) -> None:
        self.node, self.source = node, node.text or ""
        self.left = left - 1  # values that may still be read
        self.entities: list[Entity] = []
        try:
            data, self.strict = loads(self.source)
        except ValueError:
            return
        if not self.strict:
            self.left = min(self.left, MAX_REPAIRED_NODES)
        self._top(data, "", 0)

    def _top(self, data: Any, pointer: str, depth: int) -> None:
        if isinstance(data, list) and depth < MAX_NESTING:
            for index, item in enumerate(data):
                self._top(item, f"{pointer}/{index}", depth + 1)
        elif isinstance(data, dict):
            if any(not key.startswith("@") for key in data):
                self.entities.append(self._entity(data, pointer, depth))
            if "@graph" in data:
                self._top(data["@graph"], pointer + "/@graph", depth + 1)

    def _anchor(self, pointer: str) -> Anchor:
        return Anchor(self.node, pointer=pointer if self.strict else None, in_text=True)

    def _entity(self, data: dict[str, Any], pointer: str, depth: int) -> Entity:
        kinds = data.get("@type", ())
        types = tuple(local_name(t) for t in (kinds if isinstance(kinds, list) else [kinds]) if isinstance(t, str))
        entity = Entity(types, self._anchor(pointer), "json-ld", data=data)
        entity.id = data["@id"] if isinstance(data.get("@id"), str) else None
        for key, value in data.items():
            if not key.startswith("@"):
                self._property(entity, local_name(key), value, f"{pointer}/{_escape(key)}", depth)
        if isinstance(reverse := data.get("@reverse"), dict):
            self._reverse(entity, reverse, f"{pointer}/@reverse", depth)
        return entity

    def _reverse(self, entity: Entity, data: dict[str, Any], pointer: str, depth: int) -> None:
        """Things that hold this one: `"@reverse": {"author": {...}}` names what a person wrote."""
        for key, value in data.items():
            holders = Entity((), entity.anchor, "json-ld")
            self._property(holders, key, value, f"{pointer}/{_escape(key)}", depth + 1)
            for holder in holders.properties.get(key, ()):
                if isinstance(holder, Entity):
                    holder.add(local_name(key), entity)
                    self.entities.append(holder)

    def _property(self, entity: Entity, name: str, value: Any, pointer: str, depth: int) -> None:
        self.left -= 1
        if depth > MAX_NESTING or self.left < 0:
            return
        if isinstance(value, list):
            for index, item in enumerate(value):
                self._property(entity, name, item, f"{pointer}/{index}", depth + 1)
        elif isinstance(value, dict) and (inner := next((k for k in _CONTAINERS if k in value), None)):
            self._property(entity, name, value[inner], f"{pointer}/{inner}", depth + 1)
        elif isinstance(value, dict):
            entity.add(name, self._entity(value, pointer, depth + 1))
        elif value is not None and (leaf := self._leaf(value, pointer)) is not None:
            entity.add(name, leaf)

    def _leaf(self, value: Any, pointer: str) -> Leaf | None:
        text = value if isinstance(value, str) else json.dumps(value)
        if not text.strip():
            return None
        # A string of a repaired script counts only where it stands there without escapes: it has to be shown verbatim.
        return Leaf(text, self._anchor(pointer)) if self.strict or text in self.source else None


def _escape(key: str) -> str:
    """A reference token of RFC 6901."""
    return key.replace("~", "~0").replace("/", "~1")


def _follow_references(entities: list[Entity]) -> None:
    """Put the described entity wherever only its `@id` stands."""
    everything = [e for top in entities for e in (top, *(below for _, below in top.walk()))]
    described = {e.id: e for e in everything if e.id and e.properties}
    for holder in everything:
        for name, values in holder.properties.items():
            holder.properties[name] = [_resolve(v, described) for v in values]


def _resolve(value: Leaf | Entity, described: dict[str, Entity]) -> Leaf | Entity:
    if isinstance(value, Entity) and value.id and not value.properties:
        return described.get(value.id, value)
    return value
