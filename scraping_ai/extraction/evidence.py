"""The proof of a value: its text stands where the evidence says, and reads as the value."""

from __future__ import annotations

import json
from typing import Any

from lxml import etree

from scraping_ai.extraction.document import Document, string_value
from scraping_ai.extraction.normalise import normalise
from scraping_ai.items import Evidence
from scraping_ai.schema import FieldSchema


def check(document: Document, field: FieldSchema, value: Any, evidence: Evidence) -> bool:
    """Whether `evidence` proves `value`: the text stands verbatim at its place, and `normalise` gives the value."""
    if value is None or not evidence.text:
        return False
    standing = resolve(document, evidence.xpath, evidence.pointer)
    if standing is None or evidence.text not in standing:
        return False
    found = normalise(field, evidence.text, url=document.base_url, language=document.language)
    return type(found) is type(value) and bool(found == value)


def resolve(document: Document, xpath: str, pointer: str | None = None) -> str | None:
    """The text at a place of the page; JSON other than strings as `json.dumps` writes it (non-ASCII kept)."""
    try:
        found = document.selector.root.xpath(xpath)
    except etree.XPathError:
        return None
    if not isinstance(found, list) or not found:
        return None
    standing = string_value(found[0]) if isinstance(found[0], etree._Element) else str(found[0])
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
