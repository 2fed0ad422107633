"""What a method proposes for a field; only proved candidates become values."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import accumulate, islice
from typing import Any

from lxml import etree

from scraping_ai.extraction.concepts import concept_of
from scraping_ai.extraction.document import Anchor, Document
from scraping_ai.extraction.entities import is_cut
from scraping_ai.extraction.evidence import check, read
from scraping_ai.extraction.normalise import kind_of, stars
from scraping_ai.extraction.seams import cut_at_break, cut_at_link, trimmed
from scraping_ai.items import Evidence
from scraping_ai.schema import FieldSchema

MAX_PIECES = 50
_CODES = frozenset(("code", "gtin", "phone", "email"))  # kinds and concepts
MAX_TEXT = 500  # characters read for a number
_TEN, _EXPONENT = re.compile(r"(?<![\d.,])10\Z"), re.compile(r"[-\u2212]?\d{1,2}")
_CENTS = re.compile(r"\d\d(?!\d)")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text that may answer a field, where it stands, and how sure the method is (0 to 1)."""

    text: str
    anchor: Anchor
    confidence: float
    method: str = "structured"


def prove(document: Document, field: FieldSchema, candidate: Candidate) -> tuple[Any, Evidence] | None:
    """The candidate's value and its evidence, None when it does not fit the field or cannot be proved."""
    candidate = _shown(field, candidate)
    if field.type in ("number", "integer"):
        candidate = _unjoined(field, candidate)
        if not candidate.anchor.attribute and _is_power(candidate):
            return None
        if stars.has_row(candidate.text) and _is_layered(candidate.anchor.node):
            return None
    anchor = candidate.anchor
    whole = None if anchor.attribute or anchor.pointer or anchor.in_text else anchor.node
    value = read(document, field, candidate.text, whole)
    if value is None:
        return None
    xpath = document.xpath_of(anchor)
    if xpath is None or is_cut(document, anchor):
        return None
    evidence = Evidence(candidate.method, xpath, candidate.text, candidate.confidence, anchor.pointer)
    return (value, evidence) if check(document, field, value, evidence) else None


def _shown(field: FieldSchema, candidate: Candidate) -> Candidate:
    """A text without what no reader sees at its ends; of a code or person the first."""
    anchor = candidate.anchor
    if anchor.attribute or anchor.pointer or anchor.in_text or next(iter(anchor.node), None) is None:
        return candidate
    concept = concept_of(field)
    is_code = concept is not None and (concept.kind in _CODES or concept.name in _CODES)
    is_person = concept is not None and concept.name == "author"
    cut = cut_at_break if is_code else cut_at_link if is_person else trimmed
    text = cut(anchor.node, candidate.text)
    return candidate if text == candidate.text else replace(candidate, text=text)


def _is_power(candidate: Candidate) -> bool:
    """Whether a number is `10<sup>6</sup>`."""
    for raised in islice(candidate.anchor.node.iter("sup"), MAX_PIECES):
        sibling, parent = raised.getprevious(), raised.getparent()
        before = sibling.tail if sibling is not None else parent.text if parent is not None else ""
        if _TEN.search(before or "") and _EXPONENT.fullmatch(raised.text or "") and "10" in candidate.text:
            return True
    return False


def _is_layered(node: etree._Element) -> bool:
    """Whether style alone may tell which of an element's stars are full."""
    parent = node.getparent()
    around = [node, *(parent if parent is not None else ())]
    return len(node) > 0 or any(near.get("style") for near in around)


def _unjoined(field: FieldSchema, candidate: Candidate) -> Candidate:
    """A text up to where its first number would run into one of another element: "1,840" and "300" are two.

    Two digits behind a price may be its cents: such texts stay whole.
    """
    node, text = candidate.anchor.node, candidate.text
    simple = candidate.anchor.attribute or candidate.anchor.pointer or candidate.anchor.in_text
    if simple or len(text) > MAX_TEXT or next(iter(node), None) is None:
        return candidate
    pieces = [str(piece) for piece in islice(node.itertext(etree.Element), MAX_PIECES)]
    start = "".join(pieces).find(text)
    seams = [at - start for at in accumulate(map(len, pieces))] if start >= 0 else []
    joined = (s for s in seams if 0 < s < len(text) and text[s - 1].isdigit() and text[s].isdigit())
    seam = next(joined, None)
    if seam is None or (kind_of(field) == "price" and _CENTS.match(text, seam)):
        return candidate
    return replace(candidate, text=text[:seam])
