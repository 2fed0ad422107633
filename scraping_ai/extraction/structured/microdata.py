"""Microdata (HTML Living Standard, section 5) read into entities; `content` counts on any element, as sites use it."""

from __future__ import annotations

from lxml import etree

from scraping_ai.extraction.document import Anchor, Document, string_value
from scraping_ai.extraction.structured.entity import Entity, Leaf, local_name

MAX_ITEMS = 5_000  # elements with itemprop or itemscope
MAX_TEXT = 5_000_000  # characters of values; properties nested in properties would read the page again and again
_VALUE_ATTRIBUTE = {
    "meta": ("content",),
    "time": ("datetime",),
    "data": ("value",),
    "meter": ("value",),
    "a": ("href",),
    "area": ("href",),
    "link": ("href",),
    "img": ("src", "data-src"),
    "audio": ("src",),
    "video": ("src",),
    "source": ("src",),
    "iframe": ("src",),
    "embed": ("src",),
    "object": ("data",),
}
_NAMED_LINKS = frozenset(("name", "author", "brand", "headline", "title"))  # on <a> their text is what is meant


def read(document: Document) -> list[Entity]:
    """The top-level items, in page order."""
    marked = document.select("//*[@itemprop or @itemscope]")[:MAX_ITEMS]
    items = {node: _item(node) for node in marked if node.get("itemscope") is not None}
    owners = _referred(document, items) | items
    left = MAX_TEXT
    for node in marked:
        owner = _owner(node, owners, items)
        value = items.get(node) or _leaf(node)
        if owner is None or value is None or value is owner:
            continue
        left -= len(value.text) if isinstance(value, Leaf) else 0
        if left < 0:
            break
        for name in (node.get("itemprop") or "").split():
            owner.add(local_name(name), value)
    return [item for node, item in items.items() if node.get("itemprop") is None]


def _referred(document: Document, items: dict[etree._Element, Entity]) -> dict[etree._Element, Entity]:
    """Elements that an item claims by `itemref`."""
    claims = {name: item for node, item in items.items() for name in (node.get("itemref") or "").split()}
    if not claims:
        return {}
    return {node: claims[name] for node in document.select("//*[@id]") if (name := node.get("id")) in claims}


def _item(node: etree._Element) -> Entity:
    types = tuple(local_name(t) for t in (node.get("itemtype") or "").split())
    return Entity(types, Anchor(node), "microdata", id=node.get("itemid"))


def _owner(
    node: etree._Element, owners: dict[etree._Element, Entity], items: dict[etree._Element, Entity]
) -> Entity | None:
    """The item a property belongs to: that of the nearest element around it, or one that refers to it."""
    if node in owners and node not in items:
        return owners[node]
    for around in node.iterancestors():
        if around in owners:
            return owners[around]
    return None


def _leaf(node: etree._Element) -> Leaf | None:
    attributes = _VALUE_ATTRIBUTE.get(str(node.tag), ())
    if node.tag == "a" and node.get("itemprop") in _NAMED_LINKS:
        attributes = ()
    for attribute in ("content", *attributes):
        if text := (node.get(attribute) or "").strip():
            return Leaf(text, Anchor(node, attribute))
    text = string_value(node).strip()
    return Leaf(text, Anchor(node)) if text else None
