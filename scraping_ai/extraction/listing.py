"""Many records a page: the things that structured data lists, each with the visible item that shows the same."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from statistics import median
from typing import Any
from urllib.parse import urldefrag

from lxml import etree

from scraping_ai.extraction import regions
from scraping_ai.extraction.concepts import concept_of
from scraping_ai.extraction.document import absolute
from scraping_ai.extraction.heuristic.sections import Part as Section
from scraping_ai.extraction.heuristic.view import Part, View
from scraping_ai.extraction.matching import key
from scraping_ai.extraction.regions import Region, empty, nested
from scraping_ai.extraction.regions.item import Item
from scraping_ai.extraction.structured import lists, select
from scraping_ai.extraction.structured.entity import Entity
from scraping_ai.extraction.structured.state import State
from scraping_ai.schema import FieldSchema

MIN_ITEMS = 2
MAX_PARTS = 3  # of the page, looked at for one list
MAX_VARIANTS = 10  # records with one title and address
MIN_KINDS = 5  # of elements that most items have, for these to tell an item
FEWER_KINDS = 3  # where items without a price are nothing else
UNLIKE = 0.1  # share of these kinds that an item may lack
MIN_TEXTS = 3  # of an item that may lack one
FULL = 0.75  # share of the others' texts that it has then
FEW = 0.01  # share of the schema: anything
AGREED = 0.5  # share of the listed things that stand in the visible items, for both to be one list


@dataclass(frozen=True, slots=True)
class Source:
    """What a record is read from: a thing of structured data, an item of the page, the whole page."""

    entity: Entity | None
    item: Item | None = None
    whole_page: bool = False
    least: float = 0.0  # share of the schema that must be answered, or there is no record
    alone: bool = False  # a list that says itself that it has one item


def sources(
    schema: FieldSchema, entities: list[Entity], view: View, state: State, *, below: bool = False
) -> list[Source]:
    """What the records of a page are read from, in page order; `schema` is that of one record.

    Those of a list `below` a record are of the page's own list, if it has one, not of what its other headings head.
    """
    listed = lists.listed(schema, entities)
    marked = bool(listed)
    listed = listed or state.listed()
    region = regions.find(view, schema)
    if below and region is not None and not nested.is_own(region, schema):
        return [Source(entity) for entity in listed if marked]
    if region is None or (listed and region.aside) or empty.says_nothing_found(view):
        return [Source(entity) for entity in listed]
    items = region.items()
    found = _Items(items, view.document.base_url)
    places = [found.place_of(entity) for entity in listed]
    agreed = len({place for place in places if place is not None})
    if not marked and agreed < AGREED * min(len(listed), len(items)):
        listed = []
    elif listed and agreed < AGREED * len(listed) and not _is_about_page(listed, region):
        return [Source(entity) for entity in listed]
    if (not agreed and region.telling < regions.TELLING and regions.asks_price(schema)) or (
        len(items) < MIN_ITEMS and not region.is_single
    ):
        return [Source(entity) for entity in listed]
    if region.is_single:
        return [Source(entity) for entity in listed] or [Source(None, item, alone=True) for item in items]
    return _merged(listed if agreed else [], places, items, _least(schema, items, region.coverage / 2))


def headed(schema: FieldSchema, view: View, parts: list[Section]) -> list[Source]:
    """The items of the first of a page's parts that lists things of a schema."""
    for part in parts[:MAX_PARTS]:
        nodes = [node for root in part.roots for node in view.nodes[view.order[root] : view.end(root)]]
        region = regions.find(Part(view, nodes), schema)
        items = region.items() if region is not None else []
        if region is not None and len(items) >= MIN_ITEMS:
            least = _least(schema, items, region.coverage / 2)
            return [Source(None, item, least=share) for item, share in zip(items, least, strict=True)]
    return []


def _least(schema: FieldSchema, items: list[Item], share: float) -> list[float]:
    """The share of the schema that each item must answer: less when it is built as the others, and lacks a value.

    So is a table's row with a cell in all columns, though most say "n/a".
    """
    columns = max((len(item.cells) for item in items), default=0)
    least_kinds = MIN_KINDS if regions.asks_price(schema) else FEWER_KINDS
    counts = Counter(kind for item in items for kind in item.kinds)
    common = {kind for kind, count in counts.items() if count > len(items) / 2}
    texts = max(MIN_TEXTS, FULL * median(len(item.texts) for item in items)) if items else 0
    alike = [1 < columns == len(item.cells) or _is_alike(item, common, least_kinds, texts) for item in items]
    return [FEW if like else share for like in alike]


def _is_alike(item: Item, common: set[str], least_kinds: int, texts: float) -> bool:
    """Whether an item is built as the others: of the same kinds of elements, or all but one and about as many texts."""
    lacking = len(common - item.kinds)
    if len(common) >= least_kinds and lacking <= len(common) * UNLIKE:
        return True
    return lacking <= 1 and item.kinds <= common and len(item.texts) >= texts


def _merged(listed: list[Entity], places: list[int | None], items: list[Item], least: list[float]) -> list[Source]:
    """Items with their things; a thing without an item comes after the thing before it."""
    after: dict[int, list[Source]] = {}
    of_item: dict[int, Entity] = {}
    last = -1
    for entity, place in zip(listed, places, strict=False):
        if place is not None and place not in of_item:
            of_item[place], last = entity, place
        elif place is None:
            after.setdefault(last, []).append(Source(entity))
    merged = after.get(-1, [])
    for index, item in enumerate(items):
        entity_of = of_item.get(index)
        merged += [Source(entity_of, item, least=0.0 if entity_of else least[index]), *after.get(index, [])]
    return merged


def _is_about_page(listed: list[Entity], region: Region) -> bool:
    """Whether what is listed is no more than the page itself: a CollectionPage, a thread over its posts."""
    if len(listed) > 1 or select.is_aside(listed[0]):
        return len(listed) == 1
    return region.is_plain_list and listed[0].types[0].endswith(select.PAGES)


class _Items:
    """The items of a region by what stands in them: elements, links, short texts."""

    def __init__(self, items: list[Item], base: str) -> None:
        self.base = base
        self.nodes: dict[etree._Element, int] = {}
        self.links: dict[str, int] = {}
        self.texts: dict[str, int] = {}
        for index, item in enumerate(items):
            self.nodes.update(dict.fromkeys(item.view.nodes, index))
            for href, _ in item.hrefs:
                self.links.setdefault(self._link(href), index)
            for candidate in item.title:
                self.texts.setdefault(key(candidate.text), index)

    def place_of(self, entity: Entity) -> int | None:
        """The index of the item that shows a thing."""
        if entity.anchor.node in self.nodes:
            return self.nodes[entity.anchor.node]
        for leaf in entity.leaves("url"):
            if (link := self._link(leaf.text)) in self.links:
                return self.links[link]
        names = (leaf for name in ("name", "headline") for leaf in entity.leaves(name))
        return next((self.texts[k] for leaf in names if (k := key(leaf.text)) in self.texts), None)

    def _link(self, href: str) -> str:
        return urldefrag(absolute(self.base, href) or "")[0].rstrip("/")


class Seen:
    """The records of a page so far: pages show an item twice, for small and large screens or in a carousel."""

    def __init__(self, schema: FieldSchema) -> None:
        concepts = {field.name: concept_of(field) for field in schema.fields}
        self.names = [name for name, concept in concepts.items() if concept and concept.name in ("title", "url")]
        self._records: dict[tuple[str, ...], list[dict[str, Any]]] = {}

    def is_new(self, record: dict[str, Any]) -> bool:
        """Whether no earlier record with this title and address says the same or more."""
        key = tuple(str(record[name]) for name in self.names)
        if len(self.names) < 2 or any(record[name] is None for name in self.names):
            return True
        known = self._records.setdefault(key, [])
        if any(_agree(record, earlier) for earlier in known):
            return False
        if len(known) < MAX_VARIANTS:
            known.append(record)
        return True


def _agree(record: dict[str, Any], earlier: dict[str, Any]) -> bool:
    return all(value is None or earlier[name] in (None, value) for name, value in record.items())
