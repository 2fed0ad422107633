"""The items of a part of the page: list items, table rows, repeated blocks, lines between `<br>`s."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lxml import etree

from scraping_ai.extraction.document import Anchor, string_value
from scraping_ai.extraction.heuristic.view import View
from scraping_ai.extraction.seams import BLOCKS, broken

MAX_ITEMS = 500
MAX_ITEM = 5_000  # characters
_TITLES = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
ENOUGH = 6  # characters that an item has in the mean
COVER = 0.6  # of a part's text that its repeated blocks must hold
_BULLET = re.compile(r"(?:[\s\u25a2\u2610\u25a1\u25cb\u25cf\u2022\u00b7\u2713\u2714\u25aa]|[-*\u2013\u2014]\s)+")


@dataclass(frozen=True, slots=True)
class Item:
    """One item: its text, verbatim but for a bullet in front, and the element that holds it."""

    text: str
    node: etree._Element

    @property
    def anchor(self) -> Anchor:
        return Anchor(self.node)


def items_of(view: View, roots: Sequence[etree._Element]) -> list[Item]:
    """The items below (or at) some neighbouring elements, in page order."""
    for find in (_list_items, _rows, _repeated, _links, _lines):
        found = [item for node in find(view, roots) for item in _made(view, node, find is _lines)]
        if found:
            return found[:MAX_ITEMS]
    return []


def _made(view: View, node: etree._Element, by_line: bool) -> Iterator[Item]:
    if node.tag in _TITLES or not 0 < view.length(node) <= (10 * MAX_ITEM if by_line else MAX_ITEM):
        return
    for text in broken(node) if by_line else (string_value(node),):
        bullet = _BULLET.match(text)
        text = text[bullet.end() if bullet else 0 :].strip()
        if text and text[-1] not in ":：":
            yield Item(text, node)


def _below(view: View, roots: Sequence[etree._Element]) -> Iterator[etree._Element]:
    """Visible elements of a part, in page order."""
    for root in roots:
        start = view.order.get(root)
        if start is None:
            continue
        yield root
        yield from view.nodes[start + 1 : view.end(root)]


def _list_items(view: View, roots: Sequence[etree._Element]) -> list[etree._Element]:
    found = [n for n in _below(view, roots) if n.tag == "li"]
    holders = {a for n in found if (a := _list_item_around(n)) is not None}
    return [n for n in found if n not in holders]


def _list_item_around(node: etree._Element) -> etree._Element | None:
    return next((a for a, _ in zip(node.iterancestors(), range(6), strict=False) if a.tag == "li"), None)


def _rows(view: View, roots: Sequence[etree._Element]) -> list[etree._Element]:
    rows = [n for n in _below(view, roots) if n.tag == "tr"]
    return [r for r in rows if any(c.tag == "td" for c in r)]


def _repeated(view: View, roots: Sequence[etree._Element]) -> list[etree._Element]:
    """Blocks alike, in parents alike, that hold most of the part's text: the most there are with enough in each."""
    whole = sum(view.length(root) for root in roots)
    groups: dict[tuple[object, ...], list[etree._Element]] = {}
    for node in _below(view, roots):
        parent = node.getparent()
        if node.tag in BLOCKS and view.length(node) > 0 and parent is not None:
            groups.setdefault((parent.tag, parent.get("class"), node.tag, node.get("class")), []).append(node)
    lengths = {key: sum(map(view.length, group)) for key, group in groups.items()}
    likely = [g for k, g in groups.items() if lengths[k] >= max(COVER * whole, ENOUGH * len(g)) and len(g) > 1]
    return max(likely, key=len, default=[])


def _links(view: View, roots: Sequence[etree._Element]) -> list[etree._Element]:
    """Links side by side that hold most of the part's text, such as tags."""
    found = [n for n in _below(view, roots) if n.tag == "a" and view.length(n) > 0]
    whole = sum(view.length(root) for root in roots)
    return found if len(found) > 1 and sum(map(view.length, found)) >= COVER * whole else []


def _lines(view: View, roots: Sequence[etree._Element]) -> list[etree._Element]:
    """Elements with text of their own, none inside another."""
    found: list[etree._Element] = []
    last = -1
    for node in _below(view, roots):
        if view.order[node] > last and node.text and not node.text.isspace():
            found.append(node)
            last = view.end(node) - 1
    return found
