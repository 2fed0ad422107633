"""OpenGraph, Twitter cards, `<meta>` and `<link>`: one flat entity of what the head says about the page."""

from __future__ import annotations

from lxml import etree

from scraping_ai.extraction.document import Anchor, Document
from scraping_ai.extraction.structured.entity import Entity, Leaf

_NAMES = ("property", "name", "itemprop", "http-equiv")


def read(document: Document) -> Entity:
    """Properties are the tags' names in lower case (`og:title`); links come as `link:` and their relation.

    Twitter's pairs of label and data ("Written by", "Ann Lee") come under the label: `twitter:written by`.
    """
    head = Entity((), Anchor(document.root), "meta")
    for node in document.metas:
        text = (node.get("content") or "").strip()
        for attribute in _NAMES:
            name = (node.get(attribute) or "").strip().lower()
            if name and text and (attribute != "itemprop" or _is_of_page(node)):
                head.add(name, Leaf(text, Anchor(node, "content")))
    for index in "12":
        for label, data in zip(head.leaves(f"twitter:label{index}"), head.leaves(f"twitter:data{index}"), strict=False):
            head.add(f"twitter:{label.text.lower()}", data)
    for node in document.root.iter("link"):
        text = (node.get("href") or "").strip()
        for relation in (node.get("rel") or "").lower().split():
            if text:
                head.add(f"link:{relation}", Leaf(text, Anchor(node, "href")))
    return head


def _is_of_page(node: etree._Element) -> bool:
    """Whether an `itemprop` is the page's own rather than that of an item in it, such as a review."""
    return not any(a.get("itemscope") is not None and a.tag not in ("html", "body") for a in node.iterancestors())
