"""The proof of a value: its text stands where the evidence says, and reads as the value."""

from __future__ import annotations

import json
from typing import Any

from lxml import etree

from scraping_ai.extraction import cuts
from scraping_ai.extraction.document import Document, string_value
from scraping_ai.extraction.normalise import kind_of, normalise
from scraping_ai.extraction.seams import joins_digits, offsets, seen, text_before
from scraping_ai.items import Evidence
from scraping_ai.schema import FieldSchema

MODEL = "llm"  # the method that reads what it is shown
_TOLD = frozenset(
    "abbr alt aria-label cite content data-href data-src data-url datetime href label placeholder src srcset title "
    "value".split()
)


def check(document: Document, field: FieldSchema, value: Any, evidence: Evidence) -> bool:
    """Whether `evidence` proves `value`: the text stands verbatim at its place, and `read` gives the value."""
    if value is None or not evidence.text:
        return False
    place = _place(document, evidence.xpath)
    is_attribute = getattr(place, "is_attribute", False)
    if evidence.method == MODEL and is_attribute and not is_told(place.getparent(), str(place.attrname)):
        return False
    standing = _standing(document, place, evidence.pointer)
    whole = place if isinstance(place, etree._Element) and evidence.pointer is None else None
    if standing is None or not _stands(field, evidence.text, standing, whole):
        return False
    found = read(document, field, evidence.text, whole)
    return type(found) is type(value) and bool(found == value)


def _stands(field: FieldSchema, text: str, standing: str, whole: etree._Element | None) -> bool:
    """Whether a text stands in another as whole words and numbers, not denied where it is a yes or a choice."""
    if text == standing and whole is None:
        return True

    def seams() -> frozenset[int]:
        return offsets(whole) if whole is not None else frozenset()

    if field.type == "url" or kind_of(field) == "url":
        return text in standing
    starts = cuts.places(text, standing, seams, field.type in ("number", "integer"))
    if field.type != "boolean" and not field.enum and kind_of(field) != "availability":
        return next(starts, None) is not None
    before = text_before(whole) if whole is not None else ""
    return any(not cuts.is_denied(text, standing, start, before) for start in starts)


def is_told(node: etree._Element, name: str) -> bool:
    """Whether a reader, or a model that is shown the page, is told of an attribute: not of `data-x` or a hidden input's
    value.
    """
    return name in _TOLD and (node.tag != "input" or (node.get("type") or "").lower() != "hidden")


def read(document: Document, field: FieldSchema, text: str, whole: etree._Element | None) -> Any:
    """The value of a text, `whole` the element that it stands in: as it is seen there (`seams.seen`)."""
    if whole is not None and next(iter(whole), None) is not None:
        kind = "number" if field.type in ("number", "integer") else kind_of(field)
        if (kind == "date" or field.type in ("date", "datetime")) and joins_digits(whole, text):
            return None
        text = seen(whole, text, kind)
    return normalise(field, text, url=document.base_url, language=document.language)


def resolve(document: Document, xpath: str, pointer: str | None = None) -> str | None:
    """The text at a place of the page; JSON other than strings as `json.dumps` writes it (non-ASCII kept)."""
    return _standing(document, _place(document, xpath), pointer)


def _place(document: Document, xpath: str) -> Any:
    try:
        found = document.selector.root.xpath(xpath)
    except etree.XPathError:
        return None
    first = found[0] if isinstance(found, list) and found else None
    return None if isinstance(first, etree._Element) and not isinstance(first.tag, str) else first  # no comment


def _standing(document: Document, place: Any, pointer: str | None) -> str | None:
    if place is None:
        return None
    standing = string_value(place) if isinstance(place, etree._Element) else str(place)
    return standing if pointer is None else _pointed(document, standing, pointer)


def _pointed(document: Document, source: str, pointer: str) -> str | None:
    try:
        value = at_pointer(document.json(source), pointer)
    except (ValueError, LookupError, RecursionError):
        return None
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def at_pointer(data: Any, pointer: str) -> Any:
    """The value that a JSON Pointer (RFC 6901) names. Raises LookupError where there is none."""
    for token in pointer.split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        if isinstance(data, list):
            if not key.isdecimal():
                raise LookupError(pointer)
            data = data[int(key)]
        elif isinstance(data, dict):
            data = data[key]
        else:
            raise LookupError(pointer)
    return data
