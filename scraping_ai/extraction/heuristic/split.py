"""Prices whose cents stand in an element of their own: "$229" and "99" read as "$22999"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, pairwise

from lxml import etree

from scraping_ai.extraction.document import Anchor
from scraping_ai.extraction.heuristic.amounts import Amount
from scraping_ai.extraction.heuristic.view import View

MAX_PIECES = 20
MAX_VALUE = 40  # characters of an attribute that holds a price
_CENTS = re.compile(r"\d{2}\Z")
_WHOLE = re.compile(r"\d[\d.,'\u2019 \u00a0\u202f]*\Z")


def whole(view: View, amount: Amount) -> tuple[str, Anchor] | None:
    """The amount as it stands; where its cents run into it, the same amount written out elsewhere, else None."""
    if not amount.glued:
        return amount.text, Anchor(amount.node)
    parts = cents(amount)
    if parts is None:
        return None
    euros = re.sub(r"\D", "", parts[0])
    for text in (f"{euros}.{parts[1]}", f"{euros},{parts[1]}"):
        if text in view.document.text:
            return next(_written(view, text), None)
    return None


def cents(amount: Amount) -> tuple[str, str] | None:
    """The parts of an amount whose last digits are an element of their own, with no mark between them."""
    pieces = (str(piece).strip() for piece in islice(amount.node.itertext(etree.Element), MAX_PIECES))
    for left, right in pairwise(piece for piece in pieces if piece):
        if (before := _WHOLE.search(left)) and _CENTS.match(right) and right in amount.text:
            return before[0], right
    return None


def _written(view: View, text: str) -> Iterator[tuple[str, Anchor]]:
    """Where an amount is written out: in an attribute, else in a script."""
    written = re.compile(rf"(?<![\d.,]){re.escape(text)}(?![\d])")
    scripts = []
    for node in view.document.root.iter(etree.Element):
        if node.tag == "script":
            scripts.append(node)
        for name, value in node.attrib.items():
            if len(value) <= MAX_VALUE and written.search(str(value)):
                yield text, Anchor(node, str(name))
    for node in scripts:
        if written.search(node.text or ""):
            yield text, Anchor(node, in_text=True)
