"""A page as rules see it: visible texts in reading order, and elements by what their tags say."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

from lxml import etree

from scraping_ai.extraction.concepts import fold, named
from scraping_ai.extraction.document import Document, string_value
from scraping_ai.extraction.heuristic import others
from scraping_ai.extraction.heuristic.view import View

MAX_LABEL = 60  # characters
MAX_TEXT = 20_000  # characters of an element whose whole text is read
MAX_ROWS = 8  # beside one that are looked at, either way
MAX_CLIMB = 100  # ancestors looked at
_HEAD = ("title", "meta", "link")
_LABELS = frozenset(("th", "dt", "label", "b", "strong", "h2", "h3", "h4", "h5", "h6", "caption", "legend"))
_CELLS = frozenset(("th", "td", "dt", "dd"))
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "caption", "legend", "th", "dt", "b", "strong"))


@dataclass(frozen=True, slots=True)
class Chunk:
    """A visible text node that is not blank: the element it belongs to, and which of that element's own texts it is."""

    holder: etree._Element
    nth: int
    text: str
    index: int  # in the page


class Layout:
    """Indexes of one page, each built when the first rule asks for it."""

    def __init__(self, document: Document, view: View | None = None) -> None:
        self.document = document
        self.view = view or View(document, document.visible)
        self.matched: dict[Hashable, list[etree._Element]] = {}  # by step, filled by it
        self.extents: dict[Hashable, list[tuple[int, int]]] = {}  # by step, filled by it
        self._texts: dict[etree._Element, str] = {}
        self._keys: dict[int, bool] = {}
        self.memo: dict[Hashable, Any] = {}  # what others derive from the page once

    @cached_property
    def elements(self) -> list[etree._Element]:
        """Visible elements and those of the head that hold values, in document order."""
        head = [node for tag in _HEAD for node in self.document.root.iter(tag)]
        seen = self.view.order
        return [*(node for node in head if node not in seen), *self.view.nodes]

    @cached_property
    def order(self) -> dict[etree._Element, int]:
        return {node: index for index, node in enumerate(self.elements)}

    def end(self, node: etree._Element) -> int:
        """The place in `elements` of the first one after an element and all below it."""
        below = len(self.elements) - len(self.view.nodes)
        return below + self.view.end(node) if node in self.view.order else self.order[node] + 1

    @cached_property
    def _walked(self) -> tuple[list[Chunk], dict[etree._Element, tuple[int, int]]]:
        """All chunks, and for each element the range of those below it: one walk."""
        visible = self.view.order
        chunks: list[Chunk] = []
        own: dict[etree._Element, int] = {}
        spans: dict[etree._Element, tuple[int, int]] = {}

        def add(holder: etree._Element, text: str | None) -> None:
            if text and not text.isspace():
                nth = own.get(holder, 0)
                own[holder] = nth + 1
                chunks.append(Chunk(holder, nth, text.strip(), len(chunks)))

        stack: list[tuple[etree._Element, int | None]] = [(self.document.root, None)]
        while stack:
            node, start = stack.pop()
            if start is not None:
                spans[node] = (start, len(chunks))
                if (parent := node.getparent()) is not None:
                    add(parent, node.tail)
            elif node in visible:
                stack.append((node, len(chunks)))
                add(node, node.text)
                stack.extend((child, None) for child in reversed(node))
            elif (parent := node.getparent()) is not None:
                add(parent, node.tail)
        return chunks, spans

    @property
    def chunks(self) -> list[Chunk]:
        return self._walked[0]

    def span(self, node: etree._Element) -> tuple[int, int]:
        """The chunks below an element: first, and one past the last."""
        return self._walked[1].get(node, (0, 0))

    @cached_property
    def own(self) -> dict[etree._Element, list[int]]:
        """The indexes of each element's own chunks."""
        found: dict[etree._Element, list[int]] = {}
        for index, chunk in enumerate(self.chunks):
            found.setdefault(chunk.holder, []).append(index)
        return found

    @cached_property
    def labels(self) -> dict[str, list[int]]:
        """Short chunks by their folded text."""
        found: dict[str, list[int]] = {}
        for index in range(len(self.chunks)):
            if folded := self.label(index):
                found.setdefault(folded, []).append(index)
        return found

    def label(self, index: int) -> str:
        """The folded text of a chunk, "" when there is none or it is long."""
        if not 0 <= index < len(self.chunks):
            return ""
        text = self.chunks[index].text
        return label_key(text) if len(text) <= MAX_LABEL else ""

    def is_key(self, index: int) -> bool:
        """Whether a chunk is the label of the next by the page's structure: a heading cell or term before its value, or
        the first of the two texts of a row that has another such row beside it.
        """
        if index not in self._keys:
            self._keys[index] = bool(self.label(index)) and index + 1 < len(self.chunks) and self._is_key(index)
        return self._keys[index]

    def _is_key(self, index: int) -> bool:
        key, value = self.chunks[index].holder, self.chunks[index + 1].holder
        cells = [next((n for n in (h, *ancestors(h)[:3]) if n.tag in _CELLS), None) for h in (key, value)]
        if cells[0] is not None and cells[1] is not None and cells[0] is not cells[1]:
            return cells[0].tag in ("dt", "th") and cells[1].tag in ("dd", "td")
        row = next((n for n in (value, *ancestors(value)[:4]) if self.span(n)[0] <= index), None)
        if row is None or self.span(row) != (index, index + 2):
            return False
        beside = (
            *islice(row.itersiblings(str(row.tag)), MAX_ROWS),
            *islice(row.itersiblings(str(row.tag), preceding=True), MAX_ROWS),
        )
        first = self.chunks[index].holder.tag
        return any(
            end - start == 2
            and self.chunks[start].holder.tag == first
            and self.label(start) not in ("", self.label(index))
            for start, end in map(self.span, beside)
        )

    def is_aside(self, index: int) -> bool:
        """Whether a chunk stands in a part beside the page's subject."""
        holder = self.chunks[index].holder
        return self.is_of_others(holder) or any(node.tag == "aside" for node in ancestors(holder))

    def is_of_others(self, node: etree._Element) -> bool:
        """Whether an element stands under a heading such as "You may also like"."""
        return bool(self._others) and not self._others.isdisjoint((node, *ancestors(node)))

    @cached_property
    def _others(self) -> frozenset[etree._Element]:
        heading = next((node for node in self.view.nodes if node.tag == "h1"), None)
        around = () if heading is None else (heading, *ancestors(heading))
        return others.parts(self.view, frozenset(around))

    def is_label(self, index: int) -> bool:
        """Whether a chunk looks like a label, not like another value that happens to stand there."""
        if not self.label(index):
            return False
        if self.is_key(index):
            return True
        chunk = self.chunks[index]
        beside = self.chunks[index + 1].text if index + 1 < len(self.chunks) else ""
        marked = chunk.text[-1] in ":：" or beside[:1] in (":", "：") or named(chunk.text) is not None
        above = chunk.holder.getparent()
        return marked or any(n is not None and n.tag in _LABELS for n in (chunk.holder, above))

    @cached_property
    def leads(self) -> dict[str, list[int]]:
        """Chunks that begin with a label and a colon, by the folded label."""
        found: dict[str, list[int]] = {}
        for index, chunk in enumerate(self.chunks):
            if folded := lead_of(chunk.text):
                found.setdefault(folded, []).append(index)
        return found

    def lead(self, index: int) -> str:
        """The folded label that a chunk begins with, "" for none."""
        return lead_of(self.chunks[index].text)

    @cached_property
    def headings(self) -> list[int]:
        """The chunks that stand in headings."""
        return [index for index, chunk in enumerate(self.chunks) if chunk.holder.tag in _HEADINGS and self.label(index)]

    def heading_above(self, index: int) -> int | None:
        place = bisect_left(self.headings, index)
        return self.headings[place - 1] if place else None

    @cached_property
    def tokens(self) -> dict[str, list[etree._Element]]:
        """Elements by tag, `#id` and `.class`, in document order."""
        found: dict[str, list[etree._Element]] = {}
        for node in self.elements:
            found.setdefault(str(node.tag), []).append(node)
            if name := node.get("id"):
                found.setdefault("#" + name, []).append(node)
            for name in dict.fromkeys((node.get("class") or "").split()):
                found.setdefault("." + name, []).append(node)
        return found

    def text(self, node: etree._Element) -> str:
        """An element's whole text without outer whitespace, verbatim inside; "" when long."""
        if self.view.length(node) > MAX_TEXT:
            return ""
        if node not in self._texts:
            text = string_value(node).strip()
            self._texts[node] = text if len(text) <= MAX_TEXT else ""
        return self._texts[node]


def lead_of(text: str) -> str:
    """The folded label that a text such as "Weight: 2 kg" begins with, "" for none."""
    head = text[: MAX_LABEL + 1].replace("：", ":")
    colon = head.find(":")
    return (
        label_key(head[:colon]) if colon > 0 and head[colon + 1 : colon + 3] != "//" and len(text) > colon + 1 else ""
    )


def label_key(text: str) -> str:
    """A label for comparison: folded, and one key for "Director:" and "Directors:"."""
    folded = fold(text)
    return folded[:-1] if len(folded) > 4 and folded.endswith("s") and not folded.endswith("ss") else folded


def ancestors(node: etree._Element, most: int = MAX_CLIMB) -> list[etree._Element]:
    """The elements above one, the nearest first."""
    found: list[etree._Element] = []
    parent = node.getparent()
    while parent is not None and len(found) < most:
        found.append(parent)
        parent = parent.getparent()
    return found
