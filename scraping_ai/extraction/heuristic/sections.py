"""Parts of the page that a field's name stands over: marked containers, and what follows a heading or label."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from lxml import etree

from scraping_ai.extraction.concepts import fold, named
from scraping_ai.extraction.document import string_value
from scraping_ai.extraction.heuristic.blocks import Item, items_of
from scraping_ai.extraction.heuristic.marks import Marks
from scraping_ai.extraction.heuristic.view import View

MAX_HEADING = 70  # characters
MAX_WORDS = 6  # of a heading in which the name is looked for
MAX_PARTS = 12  # weighed
MAX_FOLLOWING = 400  # siblings of a heading
DEPTH = 6  # elements around a part
CLIMB = 3  # elements around a heading that may hold nothing else
_HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_LABELS = frozenset(("strong", "b", "p", "div", "span", "dt", "th", "legend", "summary", "button", "label", "td"))
_FRACTIONS = "¼½¾⅓⅔⅛⅜⅝⅞"
_NOISE = re.compile(r"\([^()]*\)|\d+x|[\d:：]+")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the page about one thing: its elements, side by side, and the items in them."""

    roots: tuple[etree._Element, ...]
    items: list[Item]
    marked: bool


class Sections:
    """Finds the parts of one page for a field, each concept once."""

    def __init__(self, view: View, marks: Marks) -> None:
        self.view, self.marks = view, marks
        self._parts: dict[str, list[Part]] = {}

    def of(self, name: str) -> list[Part]:
        """Parts for a concept's name, or for a folded field name of no concept; the likeliest first."""
        if name not in self._parts:
            found = [p for p in self._found(name) if p.items]
            self._parts[name] = sorted(found, key=lambda part: _rank(part, name), reverse=True)
        return self._parts[name]

    def _found(self, name: str) -> Iterator[Part]:
        for roots in self._marked(name)[:MAX_PARTS]:
            yield Part(roots, items_of(self.view, roots), True)
        for heading in self._headings(name)[:MAX_PARTS]:
            if roots := self._after(heading, name):
                yield Part(roots, items_of(self.view, roots), False)

    def _marked(self, name: str) -> list[tuple[etree._Element, ...]]:
        """Marked containers; marked siblings are one part."""
        groups: dict[etree._Element | None, list[etree._Element]] = {}
        for node in self.marks.outermost(name):
            if self.view.length(node) > 0 and node.tag not in _HEADINGS and not self._in_item_of_other(node, name):
                groups.setdefault(node.getparent(), []).append(node)
        return [tuple(group) for group in groups.values()]

    def _in_item_of_other(self, node: etree._Element, name: str) -> bool:
        """Whether a part stands in one item of another list, as the ingredients of a single step do."""
        around = [a for a, _ in zip(node.iterancestors(), range(DEPTH), strict=False) if a.tag == "li"]
        return any(self.marks.names(a) - {name} for a in around)

    def under(self, name: str) -> tuple[etree._Element, ...]:
        """What stands under the only heading of a name (folded); nothing where there are several or none."""
        headings = [node for node in self._headings(name) if node.tag in _HEADINGS]
        return self._after(headings[0], name) if len(headings) == 1 else ()

    def is_heading(self, node: etree._Element, names: Sequence[str]) -> bool:
        """Whether an element is a heading of one of these lists."""
        return any(node in self._headings(name) for name in names)

    def _headings(self, name: str) -> list[etree._Element]:
        return self._by_heading.get(name, [])

    @cached_property
    def _by_heading(self) -> dict[str, list[etree._Element]]:
        """Headings, and short texts that may be one, by what they name: concepts and whole folded texts."""
        found: dict[str, list[etree._Element]] = {}
        for node in self.view.nodes:
            if node.tag in _HEADINGS or (node.tag in _LABELS and not self._wraps(node)):
                for name in self._names(node):
                    found.setdefault(name, []).append(node)
        return found

    def _wraps(self, node: etree._Element) -> bool:
        """Whether an element adds nothing to one in it, which speaks for both."""
        return any(self.view.length(child) == self.view.length(node) for child in node)

    def _names(self, node: etree._Element) -> set[str]:
        text = self.view.text(node) if self.view.length(node) <= 3 * MAX_HEADING else ""
        if not text or len(text) > MAX_HEADING:
            return set()
        words = fold(_NOISE.sub(" ", text)).split()
        whole = " ".join(words)
        names = {whole, _concept(whole)}
        if node.tag in _HEADINGS and len(names) == 2 and None in names:
            names |= {_concept(part) for part in _parts_of(words)}
        return {name for name in names if name}

    def _after(self, heading: etree._Element, name: str) -> tuple[etree._Element, ...]:
        """What follows a heading up to the next one as high."""
        level = _HEADINGS.get(str(heading.tag), 7)
        node = heading
        for _ in range(CLIMB):
            roots = self._following(node, level, name)
            parent = node.getparent()
            if roots or parent is None or self.view.length(parent) > self.view.length(heading) + MAX_HEADING:
                return roots
            node = parent
        return ()

    def _following(self, node: etree._Element, level: int, name: str) -> tuple[etree._Element, ...]:
        roots: list[etree._Element] = []
        for sibling, _ in zip(node.itersiblings(etree.Element), range(MAX_FOLLOWING), strict=False):
            if sibling not in self.view.order:
                continue
            if self._begins_other(sibling, level) or self.marks.names(sibling) - {name}:
                break
            if self.view.length(sibling) > 0:
                roots.append(sibling)
        return tuple(roots)

    def _begins_other(self, node: etree._Element, level: int) -> bool:
        """Whether a heading at least as high as `level` stands first in an element."""
        for below in self.view.nodes[self.view.order[node] : self.view.end(node)][:5]:
            if below.tag in _HEADINGS:
                return _HEADINGS[str(below.tag)] <= level
        return level == 7 and node.tag in _LABELS and named(self.view.text(node)) is not None


def _parts_of(words: list[str]) -> Iterator[str]:
    words = words[:MAX_WORDS]
    for count in (2, 1):
        yield from (" ".join(words[i : i + count]) for i in range(len(words) - count + 1))


def _concept(text: str) -> str | None:
    concept = named(text) if text else None
    return concept.name if concept else None


def _rank(part: Part, name: str) -> float:
    """Real lists in marked containers first; amounts tell a recipe's ingredients from what is said of them."""
    several = len(part.items) > 1
    listed = part.items[0].node.tag in ("li", "tr")
    amounts = sum(item.text[0].isdigit() or item.text[0] in _FRACTIONS for item in part.items) / len(part.items)
    score = 4.0 * several + 2.0 * part.marked + 1.0 * listed + 2.5 * (name == "ingredients" and amounts >= 0.3)
    return score - 8.0 * _leads_away(part)


def _leads_away(part: Part) -> bool:
    """Whether every item is a link, as in a table of contents."""
    return all(_is_link(item.node, item.text) for item in part.items)


def _is_link(node: etree._Element, text: str) -> bool:
    link = next(node.iter("a"), None)
    return link is not None and link.get("href") is not None and len(string_value(link).strip()) >= len(text)
