"""What class names, test hooks and data attributes say about a page's elements, found once for all its items."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files

from lxml import etree

from scraping_ai.extraction import units
from scraping_ai.extraction.concepts import concept_of, fold, named, of_company
from scraping_ai.extraction.concepts import keys_of as labels_of
from scraping_ai.extraction.document import Anchor
from scraping_ai.extraction.heuristic.view import View
from scraping_ai.schema import FieldSchema

_WORDS = json.loads(files("scraping_ai.extraction.regions").joinpath("marks.json").read_text("utf-8"))
IN_FULL: dict[str, str] = _WORDS["abbreviations"]
ROLES: tuple[str, ...] = tuple(_WORDS["roles"])  # what a person's job is called
_FILLERS = frozenset(("name", "text", "value", "info"))
_FIRMS = ("company", "shop", "store")  # whose name is no person's
NAME, JOB_TITLES = "name", ("job title", "title")
MAX_NAME = 200  # characters of an attribute
TITLE = "concept:title"
_NAMING = ("class", "itemprop", "data-testid", "id")


class Marks:
    """Elements (or data attributes) by what they are called: `class="item-price"` marks a price."""

    def __init__(self, view: View, schema: FieldSchema) -> None:
        self.view = view
        self.asked = frozenset(key for field in schema.fields for key in labels_of(field))
        self.jobs = _jobs(schema)
        self._wanted = {TITLE, *_asked(schema), *((NAME, *JOB_TITLES, *ROLES) if self.jobs else ())}
        self._orders: dict[str, list[int]] = {}
        self._anchors: dict[str, list[Anchor]] = {}
        for order, node in enumerate(view.nodes):
            for key, anchor in self._of(node):
                self._orders.setdefault(key, []).append(order)
                self._anchors.setdefault(key, []).append(anchor)

    def within(self, keys: list[str], start: int, stop: int) -> list[Anchor]:
        """What is called one of `keys`, among the view's elements from `start` to before `stop`."""
        found: list[Anchor] = []
        for key in keys:
            orders = self._orders.get(key, [])
            found += self._anchors.get(key, [])[bisect_left(orders, start) : bisect_left(orders, stop)]
        return list(dict.fromkeys(found))

    def _of(self, node: etree._Element) -> Iterator[tuple[str, Anchor]]:
        for name, value in node.items():
            data = str(name).startswith("data-") and name not in _NAMING
            if len(value) <= MAX_NAME and (data or name in _NAMING):
                said = [str(name)[5:]] if data else value.split()
                for key in {key for word in said for key in _keys(word)} & self._wanted:
                    yield key, Anchor(node, str(name) if data else None)


def keys_of(field: FieldSchema) -> list[str]:
    """What an element is called that shows a field: the field's name, and the names of its concept."""
    concept = concept_of(field)
    name = fold(field.name)
    return [name, units.without_any(name), *([f"concept:{concept.name}"] if concept else [])]


def _asked(schema: FieldSchema) -> Iterator[str]:
    for field in (*schema.fields, *([schema.items] if schema.items else ())):
        yield from keys_of(of_company(field, schema))
        yield from _asked(field)


def _jobs(schema: FieldSchema) -> frozenset[str]:
    """Fields that ask for a person's job: those called a title beside one that is called a name."""
    called = {f.name: fold(f.name).split() for f in schema.fields if (c := concept_of(f)) and c.name == "title"}
    titles = frozenset(name for name, words in called.items() if "title" in words)
    persons = [words for words in called.values() if NAME in words and words[0] not in _FIRMS]
    return titles if persons else frozenset()


@lru_cache(maxsize=8192)
def _keys(name: str) -> frozenset[str]:
    """What a class name may say: its last one, two and three words, and the concepts they stand for."""
    words = [IN_FULL.get(word, word) for word in fold(name).split()[-8:]]
    endings = [" ".join(words[-count:]) for count in (1, 2, 3) if count <= len(words)]
    if len(words) > 1 and words[-1] in _FILLERS:  # `company-name` shows the company
        endings.append(" ".join(words[-3:-1]))
        endings.append(words[-2])
    return frozenset([*endings, *(f"concept:{found.name}" for ending in endings if (found := named(ending)))])
