"""What an item is called: its heading, what is marked as title or name, its main link, its picture's text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from lxml import etree

from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.document import Anchor
from scraping_ai.extraction.normalise.dates import iso_date
from scraping_ai.extraction.regions.marks import NAME, TITLE

if TYPE_CHECKING:
    from scraping_ai.extraction.regions.item import Item

_HEADINGS = frozenset("dt h1 h2 h3 h4 h5 h6".split())
_CUT = re.compile(r"\s*(?:\.\.\.|…)\s*\Z")
_WORDS = re.compile(r"[^\W\d_]")
MAX_TITLE = 300  # characters
MAX_DATE = 24  # characters
DATE = 0.45  # confidence of a date as a title


def candidates(item: Item) -> list[Candidate]:
    """Titles, the likeliest first, each text once."""
    worded = (c for c in _all(item) if _WORDS.search(c.text) and len(c.text) <= MAX_TITLE)
    rated = [_doubted(item, c) for c in worded if c.text not in item.common]
    found: dict[str, Candidate] = {}
    for candidate in sorted(rated, key=lambda c: -c.confidence):
        found.setdefault(candidate.text, candidate)
    return list(found.values())[:5]


def _doubted(item: Item, candidate: Candidate) -> Candidate:
    """A text that is a date comes last: in a list of news it heads what is called otherwise."""
    text = candidate.text
    if len(text) > MAX_DATE or not any(map(str.isdigit, text)) or not iso_date(text, item.view.document.language):
        return candidate
    return replace(candidate, confidence=min(DATE, candidate.confidence))


def _all(item: Item) -> Iterator[Candidate]:
    view = item.view
    marked = [a.node for a in item.marked(TITLE) if a.attribute is None]
    for node in (a.node for a in (item.marked(NAME) if item.marks.jobs else ()) if a.attribute is None):
        yield from _text(item, node, 0.81)
    for node in marked:
        yield from _text(item, node, 0.8 if node.tag in _HEADINGS or _link_of(node) is not None else 0.74)
    for node in view.nodes:
        if node.tag in _HEADINGS:
            yield from _text(item, node, 0.78)
    linked = [node for _, node in item.hrefs if len(view.text(node)) > 1]
    if linked:
        longest = max(linked, key=lambda node: len(view.text(node)))
        texts = sum(1 for n in longest.iter(etree.Element) if n.text and not n.text.isspace())
        yield from _text(item, longest, 0.65 if texts <= 1 else 0.52)  # below a picture's: it may be the whole card
    for node in view.nodes:
        if node.tag == "img" and (text := (node.get("alt") or "").strip()):
            yield Candidate(text, Anchor(node, "alt"), 0.55, "heuristic")
    first = next((n for n in view.nodes if n.text and n.text.strip() and view.text(n)), None)
    if first is not None:
        yield Candidate(view.text(first), Anchor(first), 0.5, "heuristic")


def _text(item: Item, node: etree._Element, confidence: float) -> Iterator[Candidate]:
    """The text of an element; where it is cut off, what its `title` says in full."""
    text, link = item.view.text(node), _link_of(node)
    whole = (link.get("title") or "").strip() if link is not None else ""
    if link is not None and _CUT.search(text) and whole.startswith(_CUT.sub("", text)):
        yield Candidate(whole, Anchor(link, "title"), confidence, "heuristic")
    elif text:
        part = _linked_part(item, node)
        yield Candidate(item.view.text(part), Anchor(part), confidence, "heuristic")


def _linked_part(item: Item, node: etree._Element) -> etree._Element:
    """The link that an element begins with, where what follows is set apart in elements: a site's name, a badge."""
    texts = [child for child in node if item.view.text(child)]
    around = [node.text, *(child.tail for child in node)]
    if len(texts) < 2 or texts[0].tag != "a" or any(text and _WORDS.search(text) for text in around):
        return node
    return texts[0] if all(next(rest.iter("a"), None) is None for rest in texts[1:]) else node


def _link_of(node: etree._Element) -> etree._Element | None:
    """The link that an element is, holds or stands directly in."""
    parent = node.getparent()
    near = [node, *([parent] if parent is not None else [])]
    return next((n for n in near if n.tag == "a"), next((a for a in node.iter("a")), None))
