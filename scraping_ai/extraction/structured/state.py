"""What a page's state (`__NEXT_DATA__` and its like) says about the thing that the page is about, or its list.

Nothing in it is marked up: keys are matched as field names are, and an object is believed only if it bears the page's
title or address. A list of objects is believed where the page shows the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from scraping_ai.extraction.concepts import concept_of, fold, named
from scraping_ai.extraction.document import Document
from scraping_ai.extraction.normalise import kind_of, words
from scraping_ai.extraction.structured import blobs
from scraping_ai.extraction.structured.blobs import Blob
from scraping_ai.extraction.structured.entity import Entity, Leaf
from scraping_ai.schema import FieldSchema

MAX_VALUES = 60_000  # objects and arrays looked at
MAX_DEPTH = 40
MAX_KEYS = 300  # of one object
MAX_ITEMS = 1_000  # of one list
MIN_TITLE = 5  # characters of a text that tells one thing from another
TELLING = 2  # fields that an object must answer besides title, link, picture and text
MIN_LIST, SAMPLE = 3, 6
ANSWERED = 0.5  # share of the fields that the objects of a list must answer
_READS = {
    "price": ("amount", "value", "price", "current", "now", "final", "sale", "raw"),
    "currency": ("currency", "currencyCode", "code", "iso"),
    "url": ("url", "src", "href", "contentUrl"),
}
_READ = ("name", "title", "text", "value", "label", "displayName", "rendered")
_OFFER = re.compile(r"pric|offer|stock|avail|currenc", re.I)
_OFFERED = frozenset(("price", "currency", "availability"))
_UNTOLD = frozenset(("category", "keywords", "language"))  # as often the page's, for advertisers, as the thing's
_MAY_BE_NO = ("availability", "count")  # kinds of fields that `false` or 0 may answer
_SLUGS = frozenset(("slug", "handle", "path", "pathname", "url key"))


@dataclass(frozen=True, slots=True)
class _Object:
    """An object of a blob, and the fields that its keys answer."""

    blob: Blob
    data: dict[str, Any]
    pointer: str
    fields: frozenset[str]


class State:
    """The state of one page for the schema of one record. `titles` are what the page calls itself; `shows` tells
    whether an amount stands on the visible page.
    """

    def __init__(
        self, document: Document, schema: FieldSchema, titles: list[str], shows: Callable[[str], bool]
    ) -> None:
        self.document, self.schema, self.shows = document, schema, shows
        self.titles = [title for title in titles if len(fold(title)) >= MIN_TITLE]
        self.slug = _slug(document.url)
        self._named: dict[str, frozenset[str]] = {}
        self._may_be_no = {
            f.name: f.type == "boolean" or kind_of(f) in ("availability", "count") for f in schema.fields
        }
        self._specific = frozenset(f.name for f in schema.fields if not ((c := concept_of(f)) and c.generic))
        self._enough = min(TELLING, max(1, len(self._specific)))

    def thing(self) -> Entity | None:
        """The object that bears the page's title or address and answers most of the schema."""
        wanted = [*(title[:20] for title in self.titles), *([self.slug] if self.slug else [])]
        best: tuple[tuple[int, int, int], _Object] | None = None
        for blob in blobs.read(self.document, wanted):
            for found in self._objects(blob):
                rank = (len(found.fields & self._specific), len(found.fields), -found.pointer.count("/"))
                if rank[0] >= self._enough and (best is None or rank > best[0]) and self._is_of_page(found.data):
                    best = rank, found
        return self._entity(best[1]) if best else None

    def listed(self) -> list[Entity]:
        """The objects of the list that answers most of the schema, in its order."""
        best: tuple[float, list[_Object]] = (0.0, [])
        for blob in blobs.read(self.document, ['"']):
            for objects in self._lists(blob):
                answered = sum(len(o.fields) for o in objects[:SAMPLE]) / len(objects[:SAMPLE])
                telling = sum(bool(o.fields & self._specific) for o in objects[:SAMPLE]) / len(objects[:SAMPLE])
                good = answered >= ANSWERED * len(self.schema.fields) and telling >= ANSWERED
                if good and answered * len(objects) > best[0]:
                    best = answered * len(objects), objects
        return [self._entity(found) for found in best[1]]

    def _lists(self, blob: Blob) -> Iterator[list[_Object]]:
        """Arrays of objects that answer fields, those of `{"node": {…}}` too."""
        for value, pointer in _walk(blob.data):
            if isinstance(value, list) and len(value) >= MIN_LIST:
                items = [_inner(item, f"{pointer}/{i}") for i, item in enumerate(value[:MAX_ITEMS])]
                objects = [_Object(blob, d, p, fields) for d, p in items if d and (fields := self._answers(d))]
                if len(objects) >= MIN_LIST:
                    yield objects

    def _objects(self, blob: Blob) -> Iterator[_Object]:
        """Every object that answers a field."""
        for value, pointer in _walk(blob.data):
            if isinstance(value, dict) and (fields := self._answers(value)):
                yield _Object(blob, value, pointer, fields)

    def _answers(self, data: dict[str, Any]) -> frozenset[str]:
        if len(data) > MAX_KEYS:
            return frozenset()
        said = ((name, value) for key, value in data.items() for name in self._fields_named(key))
        return frozenset(name for name, value in said if _says(value, self._may_be_no[name]))

    def _fields_named(self, key: str) -> frozenset[str]:
        """The fields that a key answers: the one of that very name, else all that it may mean."""
        found = self._named.get(key)
        if found is None:
            concept, folded = named(key), fold(key)
            by_concept = concept is not None and concept.name not in _UNTOLD and folded not in ("id", "type")
            exact = [f for f in self.schema.fields if f.name == key]
            found = frozenset(
                f.name
                for f in exact or self.schema.fields
                if f.name == key
                or (concept is None and folded == fold(f.name))
                or (by_concept and concept_of(f) is concept)
            )
            self._named[key] = found
        return found

    def _is_of_page(self, data: dict[str, Any]) -> bool:
        """Whether an object bears the page's title, or leads to the page."""
        for key, value in data.items():
            if isinstance(value, str) and 3 < len(value) < 500:
                concept = named(key)
                kind = concept.name if concept else ""
                if kind == "title" and any(_is_title(value, title) for title in self.titles):
                    return True
                if self.slug and (kind == "url" or fold(key) in _SLUGS) and _slug(value) == self.slug:
                    return True
        return False

    def _entity(self, found: _Object) -> Entity:
        """The object under the names that fields are looked for."""
        entity = Entity(("Thing",), found.blob.anchor(found.pointer), "state")
        for field in self.schema.fields:
            for value, pointer in self._values(found, field):
                if isinstance(value, bool) and not self._may_be_no[field.name]:
                    continue
                for leaf in _leaves(found.blob, value, pointer, kind_of(field), field.type == "array"):
                    if self._is_meant(kind_of(field), leaf.text):
                        entity.add(_property(field), leaf)
        return entity

    def _values(self, found: _Object, field: FieldSchema) -> Iterator[tuple[Any, str]]:
        """The values of a field, those of keys with its very name first, then what parts about the offer say."""
        keys = [key for key in found.data if field.name in self._fields_named(key)]
        for key in sorted(keys, key=lambda key: (key != field.name, fold(key) != fold(field.name))):
            yield found.data[key], f"{found.pointer}/{_escape(key)}"
        concept = concept_of(field)
        if concept is None or concept.name not in _OFFERED:
            return
        for key, part in found.data.items():
            if _OFFER.search(key) and isinstance(part, dict):
                for inner, value in list(part.items())[:MAX_KEYS]:
                    if field.name in self._fields_named(inner):
                        yield value, f"{found.pointer}/{_escape(key)}/{_escape(inner)}"

    def _is_meant(self, kind: str, text: str) -> bool:
        """Whether a text is for readers: many states count cents (the page then shows another amount) and pad keys."""
        if kind == "price":
            return re.fullmatch(r"\d+\.\d{1,2}", text.strip()) is not None or self.shows(text)
        if kind == "availability":
            return words.availability(text) is not None
        return kind != "code" or not text.startswith("000")


def _walk(data: Any) -> Iterator[tuple[Any, str]]:
    """Every object and array with its pointer, the highest first."""
    level: list[tuple[Any, str]] = [(data, "")]
    left = MAX_VALUES
    for _ in range(MAX_DEPTH):
        yield from level
        left -= len(level)
        level = [child for value, pointer in level for child in _children(value, pointer)][: max(left, 0)]


def _children(value: Any, pointer: str) -> Iterator[tuple[Any, str]]:
    if isinstance(value, dict):
        yield from ((v, f"{pointer}/{_escape(k)}") for k, v in value.items() if isinstance(v, (dict, list)))
    elif isinstance(value, list):
        yield from ((v, f"{pointer}/{i}") for i, v in enumerate(value) if isinstance(v, (dict, list)))


def _inner(item: Any, pointer: str) -> tuple[dict[str, Any], str]:
    """An object, or the one that it only wraps."""
    if not isinstance(item, dict):
        return {}, pointer
    parts = [(value, f"{pointer}/{_escape(key)}") for key, value in item.items() if isinstance(value, dict)]
    return parts[0] if len(item) <= 3 and len(parts) == 1 else (item, pointer)


def _says(value: Any, may_be_no: bool = False) -> bool:
    """Whether a value is an answer; `false` and 0 are some where they may be meant."""
    return bool(value) or (may_be_no and isinstance(value, (bool, int)))


def _leaves(blob: Blob, value: Any, pointer: str, kind: str, many: bool) -> Iterator[Leaf]:
    """The texts that stand for a value: its own, that of an object's telling key, those of an array's items."""
    if isinstance(value, dict):
        key = next((key for key in (*_READS.get(kind, ()), *_READ) if _says(value.get(key))), None)
        value, pointer = (value[key], f"{pointer}/{key}") if key else (None, pointer)
    elif isinstance(value, list):
        for index, item in enumerate(value[:MAX_ITEMS] if many or len(value) == 1 or kind == "url" else []):
            if not isinstance(item, list):
                yield from _leaves(blob, item, f"{pointer}/{index}", kind, many)
    if (leaf := blob.leaf(value, pointer)) is not None:
        yield leaf


def _property(field: FieldSchema) -> str:
    """The name under which `select` looks for a field."""
    concept = concept_of(field)
    return next((name for name in concept.properties if name.isalnum()), field.name) if concept else field.name


def _is_title(text: str, title: str) -> bool:
    """Whether a text is a title, or all of it but the site's name."""
    text, title = fold(text), fold(title)
    return len(text) >= MIN_TITLE and text in title and 2 * len(text) >= len(title)


def _slug(url: str) -> str:
    """The last part of an address's path that tells pages apart, "" where none does."""
    try:
        parts = urlsplit(url.strip()).path.strip("/").split("/")
    except ValueError:
        return ""
    return parts[-1] if len(parts[-1]) >= MIN_TITLE else ""


def _escape(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
