"""The visible page with what heuristics ask again and again: short texts, and the hints in class and id."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from itertools import islice

from lxml import etree

from scraping_ai.extraction.concepts import fold
from scraping_ai.extraction.document import MAX_VISIBLE, Document, string_value

SHORT = 200  # characters
_DIGIT = re.compile(r"\d")
MAX_HEADINGS = 100  # that may be the page's


class View:
    """Visible elements in document order; texts are read only of elements that hold few characters."""

    def __init__(self, document: Document, visible: list[etree._Element]) -> None:
        self.document = document
        self.nodes = visible
        self._lengths = self._measure()
        self._texts: dict[etree._Element, str] = {}
        self._hints: dict[etree._Element, str] = {}
        self._hinted: dict[str, dict[etree._Element, bool]] = {}  # by pattern: hashing a compiled one takes long

    def _measure(self) -> dict[etree._Element, int]:
        """Characters below each visible element, whitespace included: one pass from the leaves up."""
        lengths: dict[etree._Element, int] = {}
        for node in reversed(self.nodes):
            length = len(node.text or "")
            for child in islice(node, MAX_VISIBLE) if len(node) else ():
                length += lengths.get(child, 0) + len(child.tail or "")
            lengths[node] = length
        return lengths

    @cached_property
    def order(self) -> dict[etree._Element, int]:
        return {node: index for index, node in enumerate(self.nodes)}

    @cached_property
    def _ends(self) -> dict[etree._Element, int]:
        ends = {node: index + 1 for index, node in enumerate(self.nodes)}
        for node in reversed(self.nodes):
            parent = node.getparent()
            if parent is not None and ends.get(parent, len(ends)) < ends[node]:
                ends[parent] = ends[node]
        return ends

    def end(self, node: etree._Element) -> int:
        """Index in `nodes` of the first element after a visible one and all below it."""
        return self._ends[node]

    @cached_property
    def heading(self) -> etree._Element | None:
        """The `<h1>` that shares most words with the page's title, else an `<h2>` or `<h3>` that is most of the title,
        else the first non-empty `<h1>`: a logo is short.
        """
        words = set(fold(self.document.title[: 2 * SHORT]).split())
        heads = list(islice((n for n in self.nodes if n.tag in ("h1", "h2", "h3") and self.text(n)), MAX_HEADINGS))
        shared = {n: len(words & set(fold(self.text(n)).split())) for n in heads}
        first = [n for n in heads if n.tag == "h1"]
        best = max(first, key=lambda n: shared[n], default=None)
        if best is not None and shared[best] >= 0.4 * len(words):
            return best
        said = (n for n in heads if n.tag != "h1" and shared[n] > 0.5 * len(words))
        return next(said, next(iter(first), None))

    @cached_property
    def filled(self) -> list[etree._Element]:
        """The elements that hold characters, in page order."""
        return [node for node in self.nodes if self._lengths.get(node)]

    @cached_property
    def short_texts(self) -> list[tuple[etree._Element, str]]:
        """Elements of few characters with their text, in page order."""
        short = (node for node in self.filled if self._lengths[node] <= 3 * SHORT)
        return [(node, text) for node in short if 0 < len(text := self.text(node)) <= SHORT]

    @cached_property
    def numbered(self) -> list[tuple[etree._Element, str]]:
        """Those texts that hold a digit."""
        return [entry for entry in self.short_texts if _DIGIT.search(entry[1])]

    @cached_property
    def around_heading(self) -> frozenset[etree._Element]:
        """The elements that the page's heading stands in: what their names say is said of the whole page."""
        return frozenset(self.heading.iterancestors() if self.heading is not None else ())

    def length(self, node: etree._Element) -> int:
        return self._lengths.get(node, 0)

    def text(self, node: etree._Element) -> str:
        """String-value without outer whitespace, verbatim inside; "" when empty or long."""
        text = self._texts.get(node)
        if text is None:
            if 0 < self._lengths.get(node, 0) <= 5 * SHORT:
                text = (string_value(node) if len(node) else node.text or "").strip()
            self._texts[node] = text = text if text and len(text) <= 2 * SHORT else ""
        return text

    def hints(self, node: etree._Element) -> str:
        """As `hints`, read once an element: those of ancestors are asked for by all that is below."""
        found = self._hints.get(node)
        if found is None:
            found = self._hints[node] = hints(node)
        return found

    def hinted(self, pattern: re.Pattern[str], nodes: Iterable[etree._Element]) -> bool:
        """Whether a pattern is found in the hints of any of some elements; each is searched once a pattern."""
        known = self._hinted.setdefault(pattern.pattern, {})
        for node in nodes:
            found = known.get(node)
            if found is None:
                found = known[node] = pattern.search(self.hints(node)) is not None
            if found:
                return True
        return False


class Part(View):
    """Some of a page's elements seen as if they were the page; shares what is measured and read already."""

    def __init__(self, whole: View, nodes: list[etree._Element]) -> None:
        own = {name for name, value in vars(View).items() if isinstance(value, cached_property)}
        vars(self).update((name, value) for name, value in vars(whole).items() if name not in own)
        self.nodes = nodes


def hints(node: etree._Element) -> str:
    """What class, id and test hooks say about an element, in lower case."""
    get = node.get
    parts = [part for part in (get("class"), get("id"), get("itemprop"), get("data-testid")) if part]
    return " ".join(parts).lower() if parts else ""


def nearest(node: etree._Element, above: int) -> tuple[etree._Element, ...]:
    """An element and those it stands in, at most `above` levels up."""
    return (node, *islice(node.iterancestors(), above))
