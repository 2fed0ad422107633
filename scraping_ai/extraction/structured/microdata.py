"""Microdata (HTML Living Standard, section 5) read into entities; `content` counts on any element, as sites use it."""

from __future__ import annotations

from lxml import etree

from scraping_ai.extraction.document import Anchor, Document, string_value
from scraping_ai.extraction.structured.entity import OTHER_THINGS, Entity, Leaf, local_name

_DECLARED = ("itemscope", "itemScope")  # as pages spell it; others are not looked for
MAX_ITEMS = 5_000  # elements with itemprop or itemscope
MAX_CLAIMS = 20  # items that refer to one element
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
    """The items that no other item holds, in page order; one that only lacks its holder is among them."""
    if not any(form in document.text for form in _DECLARED):
        return []
    marked = document.select("//*[@itemprop or @itemscope]")[:MAX_ITEMS]
    items = {node: _item(node) for node in marked if node.get("itemscope") is not None}
    claims = _claims(document, items)
    held: set[etree._Element] = set()
    left = MAX_TEXT
    for node in marked:
        names = (node.get("itemprop") or "").split()
        value = (items.get(node) or _leaf(node)) if names else None
        owners = [owner for owner in _owners(node, items, claims) if owner is not value] if value else []
        if value is None or not owners:
            continue
        held.add(node)
        left -= len(value.text) if isinstance(value, Leaf) else 0
        if left < 0:
            break
        for name in names:
            for owner in owners:
                owner.add(local_name(name), value)
    return [item for node, item in items.items() if node not in held and not _is_other(node)]


def _is_other(node: etree._Element) -> bool:
    return not OTHER_THINGS.isdisjoint((node.get("itemprop") or "").split())


def _claims(document: Document, items: dict[etree._Element, Entity]) -> dict[etree._Element, list[Entity]]:
    """Elements that items refer to by `itemref`."""
    claims: dict[str, list[Entity]] = {}
    for node, item in items.items():
        for name in (node.get("itemref") or "").split():
            claims.setdefault(name, []).append(item)
    if not claims:
        return {}
    referred = ((node, claims.get(node.get("id") or "")) for node in document.select("//*[@id]"))
    return {node: claimed[:MAX_CLAIMS] for node, claimed in referred if claimed}


def _item(node: etree._Element) -> Entity:
    types = tuple(local_name(t) for t in (node.get("itemtype") or "").split())
    return Entity(types, Anchor(node), "microdata", id=node.get("itemid"))


def _owners(
    node: etree._Element, items: dict[etree._Element, Entity], claims: dict[etree._Element, list[Entity]]
) -> list[Entity]:
    """The items a property belongs to: that of the nearest element around it, or those that refer to it."""
    if node in claims:
        return claims[node]
    for around in node.iterancestors():
        if around in items:
            return [items[around]]
        if around in claims:
            return claims[around]
    return []


def _leaf(node: etree._Element) -> Leaf | None:
    attributes = _VALUE_ATTRIBUTE.get(str(node.tag), ())
    if node.tag == "a" and node.get("itemprop") in _NAMED_LINKS:
        attributes = ()
    for attribute in ("content", *attributes):
        if text := (node.get(attribute) or "").strip():
            return Leaf(text, Anchor(node, attribute))
    text = string_value(node).strip()
    return Leaf(text, Anchor(node)) if text else None
