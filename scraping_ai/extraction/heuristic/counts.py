"""Numbers that stand before what they count: "7 bids", "3 beds 2 baths", "1,204" above "Stars"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.concepts import base, label_key
from scraping_ai.extraction.document import Anchor, string_value
from scraping_ai.extraction.heuristic.view import View

MAX_TEXT = 120  # characters of an element with counts in it
AMID = 0.55  # confidence
MAX_PARTS = 24  # numbers and labels of one element
_NUMBER = re.compile(r"\d[\d.,]*[kKmM]?\Z")
_LABEL = re.compile(r"[^\W\d_][^\d:：]{0,30}\Z")
_AMID = re.compile(r"(?<![\w.,:/-])(\d[\d.,]*[kKmM]?)\s([^\W\d_]+)")
_WHOLE = re.compile(r"(\d[\d.,]*[kKmM]?)\s+([^\W\d_]+(?:[ -][^\W\d_]+)?)\Z")


def pairs(view: View) -> Iterator[tuple[str, str, Anchor]]:
    """Labels with the numbers before them, in page order."""
    for node in view.nodes:
        text = view.text(node) if 0 < view.length(node) <= MAX_TEXT else ""
        if not text or not text[0].isdigit():
            continue
        if any(view.length(child) for child in node):
            if view.end(node) - view.order[node] <= MAX_PARTS:
                yield from _alternating(node)
        elif match := _WHOLE.match(text):
            yield match[2], match[1], Anchor(node)


def within(view: View, keys: list[str]) -> Iterator[Candidate]:
    """Numbers before what `keys` name, amid a text: "112 points by ann, 4 comments"."""
    wanted = {base(key) for key in keys}
    for node in view.nodes:
        if not 0 < view.length(node) <= MAX_TEXT:
            continue
        for piece in (node.text or "", *(child.tail or "" for child in node)):
            for match in _AMID.finditer(piece):
                if base(label_key(match[2])) in wanted:
                    yield Candidate(match[1], Anchor(node), AMID, "heuristic")


def _alternating(node: etree._Element) -> Iterator[tuple[str, str, Anchor]]:
    """Of an element whose parts are a number, its label, a number, its label."""
    parts = list(_parts(node))
    if len(parts) % 2 or len(parts) > MAX_PARTS:
        return
    numbers, labels = parts[::2], parts[1::2]
    if all(_NUMBER.match(text) for text, _ in numbers) and all(_LABEL.match(text) for text, _ in labels):
        yield from ((label, text, anchor) for (text, anchor), (label, _) in zip(numbers, labels, strict=True))


def _parts(node: etree._Element) -> Iterator[tuple[str, Anchor]]:
    """The texts directly in an element and those of its children, without what only sets them apart."""
    pieces = [(node.text or "", node)]
    for child in node:
        if isinstance(child.tag, str):
            pieces.append((string_value(child), child))
        pieces.append((child.tail or "", node))
    for text, holder in pieces:
        if text := text.strip(" \t\r\n\u00a0·•|,;/"):
            yield text, Anchor(holder)
