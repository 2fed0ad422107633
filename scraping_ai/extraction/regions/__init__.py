"""The repeating part of a listing that answers a schema best, as items: a record each."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from dataclasses import replace
from functools import cached_property
from heapq import nlargest
from statistics import fmean
from typing import Any

from scraping_ai.extraction.concepts import concept_of
from scraping_ai.extraction.heuristic.view import View
from scraping_ai.extraction.normalise import kind_of, normalise
from scraping_ai.extraction.paths import item_of
from scraping_ai.extraction.regions import single, tables
from scraping_ai.extraction.regions.groups import Group, Nodes, groups
from scraping_ai.extraction.regions.item import Item
from scraping_ai.extraction.regions.marks import Marks
from scraping_ai.extraction.regions.tables import Tables
from scraping_ai.extraction.regions.zones import BARRED, MAIN, zones
from scraping_ai.schema import FieldSchema

MAX_ITEMS = 1_000
MAX_NODES = 1_000  # visible elements of one item
TRIED = 24  # groups looked at closely
SAMPLE = 6  # items of each
MANY = 4  # items that make a list even if they answer nothing but what everything has
ASIDE = 0.25  # weight of what stands in a sidebar or footer
FINER = 0.8  # share of the fields that smaller items must answer to be the items
TELLING = 0.5  # share of the items that must answer more than what everything has
SURE = 0.6  # share of the fields that a list beyond doubt answers
ENOUGH = 0.3  # share of the fields that items must answer
_GENERIC = {"title": 0.5, "url": 0.3, "image": 0.3, "description": 0.3, "website": 0.5}


class Region:
    """Items of one kind, and how well they answer a schema.

    `coverage` is the share of the schema that they answer, `fullest` that of the one with most, `telling` the share of
    them that answer more than what everything has, such as a title (all 0 to 1); `aside` tells of a region beside the
    page's main part.
    """

    def __init__(self, page: _Page, group: Group, zone: int, share: float) -> None:
        self.page, self.group, self.aside, self.share = page, group, zone != MAIN, share
        self.runs = [run for run in group.items if page.tables.is_record(run[0])]
        self.coverage = self.fullest = self.telling = 0.0

    def items(self, sample: int | None = None) -> list[Item]:
        """The items in page order, doubles left out; or `sample` of them from all over."""
        if sample is not None:
            return _compared([self._item(run) for run in _spread(self.runs, sample)])
        found: dict[object, Item] = {}
        for run in self.runs[:MAX_ITEMS]:
            item = self._item(run)
            found.setdefault(_identity(item), item)
        return _compared(list(found.values()))

    def score(self) -> float:
        """Many items that answer much of the schema and hold much of the page's text."""
        count = len(self.runs)
        spread = math.log2(1 + count) * (0.6 if count == 2 else 1.0)
        return float(self.coverage**2 * spread * self.weight() * max(self.telling, 0.1))

    @property
    def is_plain_list(self) -> bool:
        """Whether this is a list beyond doubt."""
        return not self.aside and len(self.runs) >= MANY and self.coverage >= SURE

    def weight(self) -> float:
        return (0.3 + self.share) * (ASIDE if self.aside else 1.0)

    def _item(self, run: Nodes) -> Item:
        start, stop = self.page.extent(run)
        cells = self.page.tables.cells(run[0]) or tables.pair(run)
        return Item(self.page.marks, start, stop, cells, self._holes(start, stop) if self.group.nested else [])

    def _holes(self, start: int, stop: int) -> list[tuple[int, int]]:
        """Where other items stand within one: the outermost."""
        holes: list[tuple[int, int]] = []
        index = bisect_right(self._extents, (start, stop))
        while index < len(self._extents) and self._extents[index][0] < stop:
            holes.append(self._extents[index])
            index = bisect_left(self._extents, (holes[-1][1], 0))
        return holes

    @cached_property
    def _extents(self) -> list[tuple[int, int]]:
        return [self.page.extent(run) for run in self.runs]

    @property
    def is_single(self) -> bool:
        """Whether this is all of a list, though but one item."""
        return len(self.group.items) == 1


class _Page:
    """What all regions of a page share."""

    def __init__(self, view: View, schema: FieldSchema) -> None:
        self.view, self.marks = view, Marks(view, schema)
        self.tables, self.zones = Tables(view, self.marks.asked), zones(view)

    def extent(self, run: Nodes) -> tuple[int, int]:
        """Where in the view a run of siblings starts and ends."""
        return self.view.order[run[0]], self.view.end(run[-1])


def find(view: View, schema: FieldSchema) -> Region | None:
    """The region whose items answer an object schema best; None when none does.

    Items that answer nothing but title, link, picture or text are the last resort: `telling` is low then.
    """
    page = _Page(view, schema)
    tried = _likely(page)
    for region in tried:
        _measure(schema, region)
    good = [r for r in tried if r.telling >= TELLING and r.fullest >= ENOUGH and len(r.runs) > 1]
    good = good or _single(page, schema) or [r for r in tried if _is_plain(r)]
    inner = [r for r in good if not any(_is_finer(other, r) for other in good)]
    return max(inner, key=Region.score, default=None)


def _single(page: _Page, schema: FieldSchema) -> list[Region]:
    """The first list of one whose item answers most of the schema, and more than what everything has."""
    view, zone = page.view, page.zones
    for group in single.groups(view, page.tables):
        node = group.items[0][0]
        if zone[node] == MAIN and view.end(node) - view.order[node] <= MAX_NODES:
            region = Region(page, group, MAIN, min(1.0, view.length(node) / max(1, view.length(view.nodes[0]))))
            _measure(schema, region)
            if region.telling == 1.0 and region.coverage >= SURE:
                return [region]
    return []


def _is_plain(region: Region) -> bool:
    return not region.aside and region.coverage >= ENOUGH and len(region.runs) >= MANY


def _spread(runs: list[Nodes], count: int) -> list[Nodes]:
    """Pairs of neighbours from start, middle and end: what alternates is seen in both its kinds."""
    pairs = max(1, count // 2)
    starts = [len(runs) * pair // pairs for pair in range(pairs)]
    return [runs[i] for i in dict.fromkeys(i for start in starts for i in (start, start + 1) if i < len(runs))]


def _likely(page: _Page) -> list[Region]:
    """Groups that are large or many, before any field is looked at."""
    view = page.view
    zone, whole = page.zones, max(1, view.length(view.nodes[0]) if view.nodes else 0)
    regions = []
    for group in groups(view, page.tables):
        where, count = zone[group.items[0][0]], len(group.items)
        length = sum(view.length(node) for run in group.items for node in run)
        extents = [page.extent(run) for run in group.items[:2]]
        small = group.nested or all(stop - start <= MAX_NODES for start, stop in extents)
        if where < BARRED and small and length >= 2 * count and (count > 2 or where == MAIN or group.nested):
            regions.append(Region(page, group, where, min(1.0, length / whole)))
    return nlargest(TRIED, regions, key=lambda r: math.log2(1 + len(r.group.items)) * r.weight())


def _is_finer(inner: Region, outer: Region) -> bool:
    """Whether the items of one are parts of the other's items, more of them, and answer about as much."""
    more = len(inner.runs) > len(outer.runs)
    if not more or inner.coverage < FINER * outer.coverage or inner.telling < FINER * outer.telling:
        return False
    nodes = {node for run in outer.group.items for node in run}
    return any(node in nodes for node in inner.group.items[0][0].iterancestors())


def _measure(schema: FieldSchema, region: Region) -> None:
    """Look at a sample of the items; at two of them only where these answer nothing."""
    weights = {field.name: _weight(field) for field in schema.fields}
    answers: list[dict[str, float]] = []
    for size in (2, SAMPLE):
        answers = [_answers(item, schema, weights) for item in region.items(size)]
        if not any(value for found in answers for value in found.values()):
            return
    shares = [sum(found.values()) / sum(weights.values()) for found in answers]
    region.coverage, region.fullest = fmean(shares), max(shares)
    region.telling = fmean(any(found[n] and weights[n] == 1.0 for n in found) for found in answers)


def _answers(item: Item, schema: FieldSchema, weights: dict[str, float]) -> dict[str, float]:
    """What an item answers, by field. A single text is a price or a date, and no title beside that."""
    found = {f.name: weights[f.name] * answered(item, f) for f in schema.fields}
    if len(item.texts) == 1 and any(value and weights[name] == 1.0 for name, value in found.items()):
        return {name: value if weights[name] == 1.0 else 0.0 for name, value in found.items()}
    return found


def _weight(field: FieldSchema) -> float:
    concept = concept_of(field)
    return _GENERIC.get(concept.name, 0.0) if concept is not None and concept.generic else 1.0


def specific(schema: FieldSchema) -> FieldSchema:
    """An object schema without the fields that everything has: an item's title is not its brand's name."""
    return replace(schema, fields=tuple(field for field in schema.fields if _weight(field) == 1.0))


def share(schema: FieldSchema, record: dict[str, Any]) -> float:
    """The share of an object schema that a record answers (0 to 1)."""
    weights = {field.name: _weight(field) for field in schema.fields}
    answers = sum(weight for name, weight in weights.items() if record.get(name) is not None)
    return answers / (sum(weights.values()) or 1.0)


def asks_price(schema: FieldSchema) -> bool:
    """Whether records of a schema have a price: items without one are then something else, such as categories."""
    return any(kind_of(field) == "price" for field in schema.fields)


def answered(item: Item, field: FieldSchema) -> float:
    """Whether an item offers a value for a field; for a title how sure that it is one."""
    if field.type == "object":
        return max((answered(item, f) for f in field.fields if _weight(f) == 1.0), default=0.0)
    document, inner = item.view.document, item_of(field)
    found = item.candidates(field) if inner is None else item.values(inner)
    asked = field if inner is None else inner
    for candidate in found:
        if normalise(asked, candidate.text, url=document.base_url, language=document.language) is not None:
            concept = concept_of(field)
            sure = candidate.confidence >= 0.7 or concept is None or concept.name != "title"
            return 1.0 if sure else 0.5
    return 0.0


def _compared(items: list[Item]) -> list[Item]:
    """The items, each knowing which texts most of them share."""
    counts = Counter(text for item in items for text in set(item.texts))
    common = frozenset(text for text, count in counts.items() if len(items) > 2 and count > len(items) / 2)
    for item in items:
        item.common = common
    return items


def _identity(item: Item) -> object:
    """What tells a doubled item (a carousel repeats some) from another that reads the same (a table's row)."""
    if item.root.tag == "tr":
        return id(item)
    return tuple(item.texts), tuple(href for href, _ in item.hrefs)
