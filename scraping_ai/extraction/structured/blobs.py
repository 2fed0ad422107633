"""JSON that scripts carry besides JSON-LD: `application/json` scripts, assignments such as `window.__STATE__ = {…}`.

Only ever parsed as JSON: what needs a JavaScript engine is left alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from lxml import etree

from scraping_ai.extraction.document import Anchor, Document
from scraping_ai.extraction.structured.entity import Leaf

MAX_TOTAL = 3 * 2**20  # characters parsed a page
MAX_TRIES = 200  # values tried a script
MIN_SIZE = 80  # characters; smaller ones hold settings
_TYPES = frozenset(("", "module", "text/javascript", "application/javascript"))
# What is assigned or passed, if it looks like JSON: minified code is full of objects that are not.
_GIVEN = re.compile(r"""[=(]\s{0,9}'?(?=\{\s{0,9}"|\[\s{0,9}[{\["])|JSON\.parse\(\s{0,9}(?=")""")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Blob:
    """Parsed JSON. `strict`: it is the script's whole text, so that JSON Pointers lead into it."""

    node: etree._Element
    data: Any
    strict: bool

    def anchor(self, pointer: str) -> Anchor:
        return Anchor(self.node, pointer=pointer if self.strict else None, in_text=True)

    def leaf(self, value: Any, pointer: str) -> Leaf | None:
        """A string, number or boolean as evidence: by pointer, or where it stands in the script word for word."""
        if not isinstance(value, (str, int, float)):
            return None
        text = value if isinstance(value, str) else json.dumps(value)
        if not text.strip() or not (self.strict or text in (self.node.text or "")):
            return None
        return Leaf(text, self.anchor(pointer))


def read(document: Document, wanted: Iterable[str]) -> Iterator[Blob]:
    """The page's blobs in which one of the `wanted` texts stands."""
    forms = [form for text in wanted for form in {text, json.dumps(text)[1:-1]} if form]
    left = MAX_TOTAL
    for node in document.root.iter("script"):
        source = node.text or ""
        if len(source) < MIN_SIZE or len(source) > left or not any(form in source for form in forms):
            continue
        kind = (node.get("type") or "").split(";")[0].strip().lower()
        left -= len(source)
        if kind == "application/json":
            yield from _whole(document, node, source)
        elif kind in _TYPES:
            yield from _given(node, source)


def _whole(document: Document, node: etree._Element, source: str) -> Iterator[Blob]:
    try:
        data = document.json(source)
    except (ValueError, RecursionError):
        return
    yield Blob(node, data, strict=True)


def _given(node: etree._Element, source: str) -> Iterator[Blob]:
    """The JSON values that a program assigns or passes on, none inside another."""
    start = 0
    for _ in range(MAX_TRIES):
        if (match := _GIVEN.search(source, start)) is None:
            return
        start = match.end()
        try:
            data, end = _DECODER.raw_decode(source, start)
            size, start = end - start, end
            if isinstance(data, str):  # the argument of JSON.parse
                data = json.loads(data)
        except (ValueError, RecursionError):
            continue
        if size >= MIN_SIZE:
            yield Blob(node, data, strict=False)
