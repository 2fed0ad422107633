"""Label and value pairs of the visible page, for any field by its name: tables, definition lists, "Label: value"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from lxml import etree

from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.concepts import concept_of, fold, named
from scraping_ai.extraction.document import Anchor
from scraping_ai.extraction.heuristic.view import SHORT, View
from scraping_ai.schema import FieldSchema

MAX_LABEL = 40  # characters
MAX_NESTED = 8  # elements with nothing else in them
_INLINE_PAIR = re.compile(r"\s*([^:：\n]{1,40}?)\s*[:：]\s*(\S.*)", re.S)
_BETWEEN_PAIRS = re.compile(r"\s*[·•|;・]\s*|\s+/\s+")
_DASHED = re.compile(r"([^\W\d][^\n:：–—-]{0,38}) [-–—] (\S.*)")
_LABEL = re.compile(r"[^\W\d]\s?[:：](?!//)")
_LABEL_TAGS = frozenset(("b", "strong", "label", "dt", "th", "em", "span", "h3", "h4", "h5", "h6", "p", "div", "td"))
_EMPHASIS = frozenset(("b", "strong", "label", "em"))
_GROUPED = frozenset(("div", "p", "li", "ul", "ol", "dl", "table", "section", "article", "tr", "td"))
_CARDS = frozenset(("div", "li", "p", "span", "a", "section", "article"))
MARKED, BARE = 0.75, 0.65  # confidence: what a colon, table or list marks as label, and what only stands so
_NO_VALUE = re.compile(r"[\s:：\-–—|/]*\Z")


class Labels:
    """The page's pairs, by folded label and by the concept that the label names."""

    def __init__(self, view: View) -> None:
        self.view = view
        self._pairs: dict[str, list[tuple[str, Anchor, float]]] = {}
        for node in view.nodes:
            for label, text, anchor in self._pairs_at(node):
                self._add(label, text, anchor, MARKED)
            for label, text, anchor in self._bare_pairs_at(node):
                self._add(label, text, anchor, BARE)

    def candidates(self, field: FieldSchema) -> Iterator[Candidate]:
        """Values beside a label that is the field's name or a synonym."""
        concept = concept_of(field)
        keys = [fold(field.name), *([f"concept:{concept.name}"] if concept else [])]
        for key in keys:
            for text, anchor, confidence in self._pairs.get(key, ()):
                if field.type != "array" and _is_list(anchor.node):  # its items run into each other
                    continue
                yield Candidate(text, anchor, confidence, "heuristic")

    def beside(self, label: str) -> list[tuple[str, Anchor]]:
        """Values beside a label of that very wording (folded), in page order."""
        return [(text, anchor) for text, anchor, _ in self._pairs.get(label, ())]

    def _add(self, label: str, text: str, anchor: Anchor, confidence: float) -> None:
        label = re.sub(r"\([^()]*\)", " ", label)
        folded, concept = fold(label), named(label)
        if folded and text and text[-1] not in ":：" and not _NO_VALUE.match(text):
            for key in (folded, *([f"concept:{concept.name}"] if concept else [])):
                self._pairs.setdefault(key, []).append((text, anchor, confidence))

    def _pairs_at(self, node: etree._Element) -> Iterator[tuple[str, str, Anchor]]:
        if node.tag == "tr":
            yield from self._row([c for c in node if c.tag in ("td", "th")])
        elif node.tag == "dt":
            following = next(node.itersiblings(etree.Element), None)
            if following is not None and following.tag == "dd":
                yield from self._pair(node, following)
        elif node.tag in _LABEL_TAGS or node.tag == "li":
            yield from self._inline(node)

    def _bare_pairs_at(self, node: etree._Element) -> Iterator[tuple[str, str, Anchor]]:
        """Pairs that only their place tells: a label beside or above its value in a card, a column's head over it."""
        if node.tag == "tr":
            yield from self._column_heads(node)
        elif node.tag in ("li", "p") and len(node) == 0:
            if match := _DASHED.match(self.view.text(node)[: 2 * SHORT]):
                yield match[1], match[2].strip(), Anchor(node)
        elif node.tag in _CARDS and len(node) == 2 and self.view.length(node) <= SHORT:
            yield from self._two_parts(node)

    def _two_parts(self, node: etree._Element) -> Iterator[tuple[str, str, Anchor]]:
        label, value = node
        if (node.text or "").strip() or (label.tail or "").strip() or not {label.tag, value.tag} <= _LABEL_TAGS:
            return
        name = self.view.text(label)
        if name and name[-1] not in ":：" and not any(map(str.isdigit, name)) and not self._holds_blocks(value):
            yield from self._pair(label, value)

    def _column_heads(self, row: etree._Element) -> Iterator[tuple[str, str, Anchor]]:
        """Of a table that has one row of values below its heads."""
        values = row.getnext()
        if values is None or values.tag != "tr" or values.getnext() is not None or len(values) != len(row):
            return
        if len(row) > 1 and all(cell.tag == "th" for cell in row) and all(cell.tag == "td" for cell in values):
            for head, value in zip(row, values, strict=True):
                yield from self._pair(head, value)

    def _row(self, cells: list[etree._Element]) -> Iterator[tuple[str, str, Anchor]]:
        if len(cells) in (2, 4):
            for label, value in zip(cells[::2], cells[1::2], strict=True):
                yield from self._pair(label, value)

    def _pair(self, label: etree._Element, value: etree._Element) -> Iterator[tuple[str, str, Anchor]]:
        name, text = self.view.text(label), self.view.text(value)
        if text and 0 < len(name) <= MAX_LABEL:
            yield name, text, Anchor(value)

    def _inline(self, node: etree._Element) -> Iterator[tuple[str, str, Anchor]]:
        """ "Label: value" in one element, or a label whose value follows as text or element."""
        text = self.view.text(node)
        if not text or len(text) > SHORT:
            return
        has_colon = ":" in text or "：" in text
        if has_colon and (pairs := _run(text)):
            yield from ((label, value, Anchor(node)) for label, value in pairs)
        elif has_colon and (match := _INLINE_PAIR.match(text)) and not match[2].startswith("//"):
            several = next(iter(node), None) is not None and _LABEL.search(match[2])  # pairs that run into each other
            if not several and not self._holds_blocks(node):
                yield match[1], match[2].strip(), Anchor(node)
        elif len(text) <= MAX_LABEL and (text[-1] in ":：" or node.tag in _EMPHASIS):
            yield from self._following(node, text)

    def _holds_blocks(self, node: etree._Element) -> bool:
        """Whether an element is a group of several parts with text, each to be read alone."""
        for _ in range(MAX_NESTED):
            blocks = [c for c in node if c.tag in _GROUPED and self.view.length(c) > 0]
            if len(blocks) != 1:
                return len(blocks) > 1
            node = blocks[0]
        return False

    def _following(self, node: etree._Element, label: str) -> Iterator[tuple[str, str, Anchor]]:
        parent, tail = node.getparent(), (node.tail or "").strip()
        following = next(node.itersiblings(etree.Element), None)
        if tail and parent is not None and not _NO_VALUE.match(tail):
            if len(tail) <= SHORT:
                yield label, tail.lstrip(":： "), Anchor(parent)
        elif following is not None and (label[-1] in ":：" or named(label) is not None):
            yield from self._pair(node, following)


def _run(text: str) -> list[tuple[str, str]]:
    """The pairs of one line such as "Tower: 22 m · Range: 12 nm"; none where it is no run of pairs."""
    matches = [_INLINE_PAIR.match(part) for part in _BETWEEN_PAIRS.split(text)]
    pairs = [(match[1], match[2].strip()) for match in matches if match and not match[2].startswith("//")]
    return pairs if len(pairs) > 1 and len(pairs) == len(matches) else []


def _is_list(node: etree._Element) -> bool:
    return len(list(islice(node.iter("li"), 2))) > 1
