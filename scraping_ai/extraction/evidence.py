"""The proof of a value: its text stands where the evidence says, and reads as the value."""

from __future__ import annotations

import json
from typing import Any

from lxml import etree

from scraping_ai.extraction.document import Document, string_value
from scraping_ai.extraction.normalise import kind_of, normalise
from scraping_ai.extraction.seams import joins_digits, seen
from scraping_ai.items import Evidence
from scraping_ai.schema import FieldSchema


def check(document: Document, field: FieldSchema, value: Any, evidence: Evidence) -> bool:
    """Whether `evidence` proves `value`: the text stands verbatim at its place, and `read` gives the value."""
    if value is None or not evidence.text:
        return False
    place = _place(document, evidence.xpath)
    standing = _standing(document, place, evidence.pointer)
    if standing is None or evidence.text not in standing:
        return False
    whole = place if isinstance(place, etree._Element) and evidence.pointer is None else None
    found = read(document, field, evidence.text, whole)
    return type(found) is type(value) and bool(found == value)


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
    return found[0] if isinstance(found, list) and found else None


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
