"""Label and value pairs of the visible page, for any field by its name: tables, definition lists, "Label: value"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice

from lxml import etree

from scraping_ai.extraction import units
from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.concepts import fold, in_other_unit, keys_of, label_key, named
from scraping_ai.extraction.document import Anchor
from scraping_ai.extraction.heuristic import bare, contacts, counts, opening
from scraping_ai.extraction.heuristic.view import SHORT, View
from scraping_ai.extraction.normalise import kind_of
from scraping_ai.schema import FieldSchema

MAX_LABEL = 40  # characters
MAX_LINKED = 50  # values of a field whose links are read
MAX_CELLS = 12  # of a row of pairs
MAX_NESTED = 8  # elements with nothing else in them
_INLINE_PAIR = re.compile(r"\s*([^:：\n]{1,40}?)\s*[:：]\s*(\S.*)", re.S)
_BETWEEN_PAIRS = re.compile(r"\s*[·•|;・]\s*|\s+/\s+")
_DASHED = re.compile(r"([^\W\d][^\n:：–—-]{0,38}) [-–—] (\S.*)")
_LABEL = re.compile(r"[^\W\d]\s?[:：](?!//)")
_LABEL_TAGS = frozenset(("b", "strong", "label", "dt", "th", "em", "span", "h3", "h4", "h5", "h6", "p", "div", "td"))
_INLINE_TAGS = _LABEL_TAGS | {"li"}
_EMPHASIS = frozenset(("b", "strong", "label", "em"))
_GROUPED = frozenset(("div", "p", "li", "ul", "ol", "dl", "table", "section", "article", "tr", "td"))
_CARDS = frozenset(("div", "li", "p", "span", "a", "section", "article"))
# Confidence: what a colon, table or list marks as label; what only stands so; a number before what it counts.
MARKED, BARE, COUNTED = 0.75, 0.65, 0.6
_COUNTED = ("text", "count")  # kinds of fields that a bare number may answer; "11 ratings" is no rating
_NOTE = re.compile(r"\([^()]*\)")
_SENTENCE = re.compile(r"(?:\S+\s+){4,}\S+[.!?]")
_NO_VALUE = re.compile(r"[\s:：\-–—|/]*\Z")

Pair = tuple[str, str, Anchor]  # label, value and where the value stands


class Labels:
    """The page's pairs, by folded label and by the concept that the label names."""

    def __init__(self, view: View) -> None:
        self.view = view
        self._pairs: dict[str, list[tuple[str, Anchor, float, str | None]]] = {}
        for node in view.filled:
            for label, text, anchor in self._pairs_at(node):
                self._add(label, text, anchor, MARKED)
            for label, text, anchor in self._bare_pairs_at(node):
                self._add(label, text, anchor, BARE)

    def candidates(self, field: FieldSchema) -> Iterator[Candidate]:
        """Values beside a label that is the field's name or a synonym."""
        keys, kind = keys_of(field), contacts.wanted(field)
        found = [entry for key in keys for entry in self._pairs.get(key, ())]
        for text, anchor, confidence, unit in found[: MAX_LINKED if kind else None]:
            if unit and units.of_name(fold(field.name)) not in (None, unit):
                continue
            if field.type != "array" and _is_list(anchor.node):  # its items run into each other
                continue
            candidate = Candidate(text, anchor, confidence, "heuristic")
            if kind:
                yield from contacts.read(kind, candidate)
            elif not in_other_unit(field.name, text):
                yield candidate
        if not kind and field.type != "array":
            yield from self._openings.candidates(field)
        if kind == "url":
            yield from contacts.called(self.view, keys, BARE)
        elif field.type in ("integer", "number") and kind_of(field) in _COUNTED:
            called = [key for key in keys if key != "concept:rating"]  # "11 ratings" is how many rated
            yield from (c for key in called for c in self._counts.get(key, ()))

    @cached_property
    def _openings(self) -> opening.Openings:
        return opening.Openings(self.view)

    @cached_property
    def _counts(self) -> dict[str, list[Candidate]]:
        """Numbers by the label after them."""
        found: dict[str, list[Candidate]] = {}
        for label, text, anchor in counts.pairs(self.view):
            for key in _keys(label):
                found.setdefault(key, []).append(Candidate(text, anchor, COUNTED, "heuristic"))
        return found

    def beside(self, label: str) -> list[tuple[str, Anchor]]:
        """Values beside a label of that very wording (folded), in page order."""
        return [(text, anchor) for text, anchor, *_ in self._pairs.get(label_key(label), ())]

    def _add(self, label: str, text: str, anchor: Anchor, confidence: float) -> None:
        if text and text[-1] not in ":：" and not _NO_VALUE.match(text):
            unit = units.of_label(label)
            for key in _keys(_NOTE.sub(" ", label)):
                self._pairs.setdefault(key, []).append((text, anchor, confidence, unit))

    def _pairs_at(self, node: etree._Element) -> Iterable[Pair]:
        tag = node.tag
        if tag == "tr":
            return self._row([c for c in node if c.tag in ("td", "th")])
        if tag == "dt":
            following = next(node.itersiblings(etree.Element), None)
            return self._pair(node, following) if following is not None and following.tag == "dd" else ()
        return self._inline(node) if tag in _INLINE_TAGS else ()

    def _bare_pairs_at(self, node: etree._Element) -> Iterable[Pair]:
        """Pairs that only their place tells: a label beside or above its value in a card, a column's head over it."""
        tag, parts = node.tag, len(node)
        if tag == "tr":
            return self._column_heads(node)
        if tag in bare.HEADINGS:
            below = bare.headed(self.view, node)
            return self._pair(node, below) if below is not None else ()
        if tag in ("li", "p") and parts == 0:
            match = _DASHED.match(self.view.text(node))
            return [(match[1], match[2].strip(), Anchor(node))] if match else ()
        return self._in_card(node, parts) if tag in _CARDS and parts > 0 else ()

    def _in_card(self, node: etree._Element, parts: int) -> Iterable[Pair]:
        if parts == 1:
            said = bare.emphasised(self.view, node)
            return [(said[0], self.view.text(said[1]), Anchor(said[1]))] if said is not None else ()
        if parts == 2:
            return self._two_parts(node) if self.view.length(node) <= SHORT else ()
        alternating = bare.alternating(self.view, node) if parts > 3 else ()
        return [pair for label, value in alternating for pair in self._pair(label, value)]

    def _two_parts(self, node: etree._Element) -> Iterator[Pair]:
        label, value = node
        if (node.text or "").strip() or (label.tail or "").strip() or not {label.tag, value.tag} <= _LABEL_TAGS:
            return
        name = self.view.text(label)
        if name and name[-1] not in ":：" and not any(map(str.isdigit, name)) and not self._holds_blocks(value):
            yield from self._pair(label, value)

    def _column_heads(self, row: etree._Element) -> Iterator[Pair]:
        """Of a table that has one row of values below its heads."""
        values = _row_below(row)
        if values is None or values.getnext() is not None or len(values) != len(row):
            return
        if len(row) > 1 and all(cell.tag == "th" for cell in row) and all(cell.tag == "td" for cell in values):
            for head, value in zip(row, values, strict=True):
                yield from self._pair(head, value)

    def _row(self, cells: list[etree._Element]) -> Iterator[Pair]:
        if len(cells) % 2 or not 2 <= len(cells) <= MAX_CELLS or _is_heads(cells):
            return
        if len(cells) <= 4 or bare.is_row_of_pairs(self.view, cells):
            for label, value in zip(cells[::2], cells[1::2], strict=True):
                yield from self._pair(label, value)

    def _pair(self, label: etree._Element, value: etree._Element) -> Iterator[Pair]:
        name, text = self.view.text(label), self.view.text(value)
        if text and 0 < len(name) <= MAX_LABEL:
            yield name, text, Anchor(value)

    def _inline(self, node: etree._Element) -> Iterable[Pair]:
        """ "Label: value" in one element, or a label whose value follows as text or element."""
        lines = bare.lines(self.view, node) if node in self.view.document.broken else []
        if len(found := [m for line in lines if (m := _INLINE_PAIR.match(line))]) > 1:
            return [(m[1], m[2].strip(), Anchor(node)) for m in found if not m[2].startswith("//")]
        text = self.view.text(node)
        if not text or len(text) > SHORT:
            return ()
        has_colon = ":" in text or "：" in text
        if has_colon and (pairs := _run(text)):
            return [(label, value, Anchor(node)) for label, value in pairs]
        if has_colon and (match := _INLINE_PAIR.match(text)) and not match[2].startswith("//"):
            several = len(node) and _LABEL.search(match[2])  # pairs that run into each other
            return () if several or self._holds_blocks(node) else [(match[1], match[2].strip(), Anchor(node))]
        labels = len(text) <= MAX_LABEL and (text[-1] in ":：" or node.tag in _EMPHASIS)
        return self._following(node, text) if labels else ()

    def _holds_blocks(self, node: etree._Element) -> bool:
        """Whether an element is a group of several parts with text, each to be read alone."""
        for _ in range(MAX_NESTED):
            blocks = [c for c in node if c.tag in _GROUPED and self.view.length(c) > 0]
            if len(blocks) != 1:
                return len(blocks) > 1
            node = blocks[0]
        return False

    def _following(self, node: etree._Element, label: str) -> Iterator[Pair]:
        parent, tail = node.getparent(), (node.tail or "").strip()
        following = next(node.itersiblings(etree.Element), None)
        if tail and parent is not None and not _NO_VALUE.match(tail):
            if len(tail) <= SHORT:
                yield label, tail.lstrip(":： "), Anchor(parent)
            return
        if following is None or not (label[-1] in ":：" or named(label) is not None):
            return
        if not self._starts_anew(node, following):
            yield from self._pair(node, following)

    def _starts_anew(self, label: etree._Element, following: etree._Element) -> bool:
        """Whether what follows a label is no value of it: the next row, a heading or a sentence."""
        text = self.view.text(following)
        if label.tag == "li" or (label.tag == "p" and following.tag in bare.HEADINGS and bare.is_label(text)):
            return True
        if label.tag == following.tag and _INLINE_PAIR.match(text) and _LABEL.search(text):
            return True
        concept = named(self.view.text(label))
        return label.tag == following.tag == "p" and concept is None and bool(_SENTENCE.fullmatch(text))


def _run(text: str) -> list[tuple[str, str]]:
    """The pairs of one line such as "Tower: 22 m · Range: 12 nm"; none where it is no run of pairs."""
    matches = [_INLINE_PAIR.match(part) for part in _BETWEEN_PAIRS.split(text)]
    pairs = [(match[1], match[2].strip()) for match in matches if match and not match[2].startswith("//")]
    return pairs if len(pairs) > 1 and len(pairs) == len(matches) else []


def _row_below(row: etree._Element) -> etree._Element | None:
    """The next row of a table, from its head into its body."""
    below, parent = row.getnext(), row.getparent()
    if below is None and parent is not None and parent.tag == "thead":
        body = parent.getnext()
        below = body[0] if body is not None and body.tag == "tbody" and len(body) > 0 else None
    return below if below is not None and below.tag == "tr" else None


def _is_heads(cells: list[etree._Element]) -> bool:
    """Whether cells name the columns of the row below."""
    row = cells[0].getparent()
    below = _row_below(row) if row is not None and all(cell.tag == "th" for cell in cells) else None
    return below is not None and len(below) == len(cells) and all(cell.tag == "td" for cell in below)


def _keys(label: str) -> list[str]:
    """What a label is found by: its words, and the concept that it names."""
    key, concept = label_key(label), named(label)
    return [*([key] if key else []), *([f"concept:{concept.name}"] if concept else [])]


def _is_list(node: etree._Element) -> bool:
    """Whether an element holds a list, or choices to be made."""
    return len(list(islice(node.iter("li", "option"), 2))) > 1
