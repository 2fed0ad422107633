"""The texts of one page by what they say, built once for all fields that look for their values in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

from lxml import etree

from scraping_ai.extraction import units
from scraping_ai.extraction.concepts import concept_of, fold
from scraping_ai.extraction.matching import key
from scraping_ai.extraction.normalise import normalise, numbers
from scraping_ai.extraction.normalise.magnitudes import is_measure
from scraping_ai.extraction.wrappers.amounts import digits_of, is_numeric, numbers_in
from scraping_ai.extraction.wrappers.layout import Layout, ancestors
from scraping_ai.schema import FieldSchema

MAX_PARTIAL = 2_000  # characters of a text of which the value is a part
MAX_WHOLE = 20_000  # characters of a text that is the value
MAX_SHORT = 120  # characters of a text that is a number, a date or such
MAX_MIXED = 500  # characters of an element whose texts are the value only together
MAX_PIECES = 12  # of such an element
_SKIPPED = frozenset(("class", "id", "style", "onclick", "itemprop", "itemtype"))


class Index:
    """Where texts stand in a page, and which of them read as a value. Get it by `index_of`."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._read: dict[FieldSchema, dict[Any, list[str]]] = {}

    @cached_property
    def chunks(self) -> dict[str, list[int]]:
        """Chunks by their text, and by that of an element that they begin."""
        found: dict[str, list[int]] = {}
        for index, chunk in enumerate(self.layout.chunks):
            for text in (chunk.text, *(self.layout.text(node) for node in mixed(self.layout, index))):
                found.setdefault(text, []).append(index)
        return found

    @cached_property
    def attributes(self) -> dict[str, list[tuple[etree._Element, str]]]:
        """Attributes that may hold values, by their text."""
        found: dict[str, list[tuple[etree._Element, str]]] = {}
        for node in self.layout.elements:
            for name, text in node.attrib.items():
                if name not in _SKIPPED and len(text) <= MAX_WHOLE:
                    found.setdefault(str(text).strip(), []).append((node, str(name)))
        return found

    @cached_property
    def keys(self) -> list[str]:
        """The `key` of each chunk's text, "" of long ones."""
        return [key(c.text) if len(c.text) <= MAX_PARTIAL else "" for c in self.layout.chunks]

    @cached_property
    def whole(self) -> str:
        """The `key` of all texts together."""
        return key(" ".join(chunk.text for chunk in self.layout.chunks))

    @cached_property
    def numbers(self) -> dict[str, list[int]]:
        """Chunks by the digits of each number in them."""
        found: dict[str, list[int]] = {}
        for index, chunk in enumerate(self.layout.chunks):
            if len(chunk.text) <= MAX_PARTIAL and any(c.isdecimal() for c in chunk.text):
                spans = numbers.spans(chunk.text)
                for digits in {digits_of(chunk.text[start:end]) for start, end in spans}:
                    found.setdefault(digits, []).append(index)
        return found

    def reading(self, field: FieldSchema, value: Any) -> list[str]:
        """The texts that may read as a value; some that do not may be among them."""
        alike = nameless(field)
        if alike not in self._read:
            self._read[alike] = self._readings(alike)
        return self._read[alike].get(_loose(value), [])

    def _readings(self, field: FieldSchema) -> dict[Any, list[str]]:
        found: dict[Any, list[str]] = {}
        most = MAX_WHOLE if field.type in ("string", "url") and not field.enum else MAX_SHORT
        for text in dict.fromkeys((*self.chunks, *self.attributes, *self._titles())):
            if text and len(text) <= most:
                for value in {_loose(value) for value in self._values(field, text)}:
                    found.setdefault(value, []).append(text)
        return found

    def _titles(self) -> Iterable[str]:
        return [self.layout.text(node) for node in self.layout.document.root.iter("title")]

    def _values(self, field: FieldSchema, text: str) -> Iterator[Any]:
        """What a text reads as; of several numbers each, for a field's name may tell which is meant."""
        document = self.layout.document
        value = normalise(field, text, url=document.base_url, language=document.language)
        if value is not None:
            yield value
        if is_numeric(field) and not text.isdecimal():
            yield from (number for number in numbers_in(field, text, document) if number is not None)


def index_of(layout: Layout) -> Index:
    """The index of a page, one for all who ask."""
    if "index" not in layout.memo:
        layout.memo["index"] = Index(layout)
    found: Index = layout.memo["index"]
    return found


def mixed(layout: Layout, index: int) -> list[etree._Element]:
    """The elements that begin with a chunk and hold more than it, the nearest first."""
    holder = layout.chunks[index].holder
    found: list[etree._Element] = []
    for node in (holder, *ancestors(holder, 3)) if not layout.chunks[index].nth else ():
        start, end = layout.span(node)
        if start != index or end - start > MAX_PIECES or layout.view.length(node) > MAX_MIXED:
            break
        if end - start > 1:
            found.append(node)
    return found


def nameless(field: FieldSchema) -> FieldSchema:
    """A field that reads all texts as this one does: without its name where that does not matter."""
    plain = concept_of(field) is None and not field.enum and not field.description
    if plain and field.type == "string":
        return FieldSchema("", "string")
    name = fold(field.name)
    if plain and is_numeric(field) and units.of_name(name) is units.currency_of(name) is None and not is_measure(name):
        return FieldSchema("", field.type)
    return replace(field, required=False, nullable=True)


def squeeze(text: str) -> str:
    """A text's letters and digits, folded."""
    return "".join(c for c in key(text) if c.isalnum())


def _loose(value: Any) -> Any:
    return (squeeze(value) or key(value)) if isinstance(value, str) else value
