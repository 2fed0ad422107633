"""Values from the visible page, when no markup names them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property

from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.concepts import concept_of, fold
from scraping_ai.extraction.document import Document
from scraping_ai.extraction.heuristic import (
    author,
    body,
    brand,
    card,
    dates,
    image,
    lists,
    marked,
    names,
    rating,
    times,
    title,
)
from scraping_ai.extraction.heuristic.availability import Stock
from scraping_ai.extraction.heuristic.codes import Codes
from scraping_ai.extraction.heuristic.labels import Labels
from scraping_ai.extraction.heuristic.marks import MARKED, Marks
from scraping_ai.extraction.heuristic.price import Prices
from scraping_ai.extraction.heuristic.scope import Scope
from scraping_ai.extraction.heuristic.sections import Sections
from scraping_ai.extraction.heuristic.view import View
from scraping_ai.extraction.normalise import durations, kind_of, money, numbers, yields
from scraping_ai.extraction.structured import offers, select
from scraping_ai.extraction.structured.entity import Entity
from scraping_ai.schema import FieldSchema

_OF_PAGE = re.compile(r"\b(?:article|page|post|thread|headline|heading|story)\b", re.I)
_OFFER = frozenset(("price", "currency", "availability", "sku", "mpn", "gtin", "brand"))  # class names are read there
_SELF_LABELLED = _OFFER - {"availability", "brand"} | {"author", "body"}  # labels too
_LABELLED = frozenset(("website",))  # every thing may have one, but a label tells it from the page's own address
_PERSONS = ("name", "full name")  # of persons, where a `job_title` is asked for too
DOUBTFUL = 0.5  # confidence of markup that the visible page contradicts
LABELLED_PRICE = 0.82  # confidence of an amount beside the very name of the field, above any other shown

MAX_YIELD = 40  # characters


class Heuristics:
    """The heuristics over one page; its views are built when the first field needs them.

    `schema` names all fields that are asked for. Those that are `blind` see an empty page: for who wants markup alone.
    """

    def __init__(
        self, document: Document, head: Entity, schema: FieldSchema | None = None, *, blind: bool = False
    ) -> None:
        self.document, self.head, self.blind = document, head, blind
        self.of_person = any(fold(f.name) in _PERSONS for f in (schema.fields if schema else ()))
        self.lists = [lists.key_of(f) for f in (schema.fields if schema else ()) if kind_of(f) == "lines"]

    @cached_property
    def view(self) -> View:
        return View(self.document, [] if self.blind else self.document.visible)

    @cached_property
    def labels(self) -> Labels:
        return Labels(self.view)

    @cached_property
    def scope(self) -> Scope:
        return Scope(self.view)

    @cached_property
    def prices(self) -> Prices:
        return Prices(self.scope)

    @cached_property
    def stock(self) -> Stock:
        return Stock(self.scope)

    @cached_property
    def codes(self) -> Codes:
        return Codes(self.scope, self.labels)

    @cached_property
    def marks(self) -> Marks:
        return Marks(self.view)

    @cached_property
    def sections(self) -> Sections:
        return Sections(self.view, self.marks)

    def items(self, field: FieldSchema) -> list[Candidate]:
        """The items of a list field that the visible page shows."""
        found, concept = lists.items(self.sections, self.labels, field), concept_of(field)
        byline = next(self.authors(field, ()), None) if concept is not None and concept.name == "author" else None
        if found or byline is None:
            return found
        return [replace(byline, text=part) for part in names.parts(byline.text)]

    def candidates(self, field: FieldSchema) -> Iterator[Candidate]:
        """What the visible page offers for a scalar field: by its concept, then by its label."""
        concept = concept_of(field)
        name = concept.name if concept else ""
        if name == "list_price":
            yield from (c for c in self._listed_prices(field) if not self.prices.asks(c.text))
            return
        yield from self._of_concept(field, name)
        if concept is not None and name in MARKED and concept.kind not in ("lines", "url") and name not in _OFFER:
            yield from marked.candidates(self.view, self.marks, concept)
        if kind_of(field) == "lines" and name != "body":
            yield from lists.texts(self.sections, field)
        if concept is None or name in _LABELLED or not (concept.generic or name in _SELF_LABELLED):
            yield from self._beside(field, name)
        if name == "brand":
            yield from brand.candidates(self.scope)

    def _labelled_prices(self, field: FieldSchema) -> Iterator[Candidate]:
        """Amounts beside a label of the field's very name, such as "Unit price"; "Price" alone is beside many."""
        name = fold(field.name)
        for text, anchor in self.labels.beside(name) if " " in name else ():
            if next(money.marked(text), None) is not None and not self.scope.is_aside(anchor.node):
                yield Candidate(text, anchor, LABELLED_PRICE, "heuristic")

    def _listed_prices(self, field: FieldSchema) -> Iterator[Candidate]:
        yield from self.prices.old()
        yield from self.labels.candidates(field)

    def _beside(self, field: FieldSchema, name: str) -> Iterator[Candidate]:
        """What stands beside a field's label; "Date" in one block with a place is an event's start, and a time beside
        "Preparation" says nothing of its steps.
        """
        are_lines = kind_of(field) == "lines"
        for found in self.labels.candidates(field):
            if self.scope.is_of_others(found.anchor.node):
                continue
            if are_lines and durations.is_all(found.text):
                continue
            if name != "publish_date" or not dates.is_of_occasion(self.view, found.anchor.node):
                yield found
        if name == "start_date":
            dated = self.labels.candidates(replace(field, name="date", description=""))
            yield from (c for c in dated if dates.is_of_occasion(self.view, c.anchor.node))

    def _of_concept(self, field: FieldSchema, name: str) -> Iterator[Candidate]:
        if name == "price":
            yield from self._labelled_prices(field)
            yield from self.prices.candidates()
        elif name == "currency":
            yield from self.prices.currencies()
        elif name in ("publish_date", "modified_date"):
            yield from dates.candidates(self.view, self.head, modified=name == "modified_date")
        elif name == "yields":
            yield from marked.saying(self.view, yields.says, MAX_YIELD)
        elif name == "total_time":
            yield from times.candidates(self.view)
        elif name == "body":
            yield from body.candidates(self.view)
        elif name == "image":
            yield from image.candidates(self.view)
        elif name in ("rating", "review_count", "rating_count"):
            of = name if name != "rating" else ""
            yield from rating.candidates(self.view, count=bool(of), of=of)
        elif name == "availability":
            yield from self.stock.found
        elif name in ("sku", "mpn", "gtin"):
            yield from self.codes.candidates(field, name)

    def asks(self, amount: str) -> bool:
        """Whether the page shows an amount as its price."""
        return self.prices.asks(amount)

    def weighed(
        self, field: FieldSchema, structured: Iterable[Candidate], entity: Entity | None = None
    ) -> Iterator[Candidate]:
        """What markup says, less sure where the visible page says otherwise: offers in markup are often stale.

        A price of "3.299" counts only where the page shows 3299.
        """
        concept = concept_of(field)
        name = concept.name if concept else ""
        currency = offers.currency(entity) if entity is not None and name == "price" else None
        for candidate in structured:
            if kind_of(field) == "price" and numbers.is_doubtful(candidate.text) and not self.prices.shows(candidate):
                continue
            doubtful = (name == "price" and self.prices.contradict(candidate, currency)) or (
                name == "availability" and self.stock.contradicts(candidate)
            )
            yield replace(candidate, confidence=min(DOUBTFUL, candidate.confidence)) if doubtful else candidate

    def authors(
        self, field: FieldSchema, markup: Iterable[Candidate], entity: Entity | None = None
    ) -> Iterator[Candidate]:
        """Authors of the page, those of structured data about `entity` weighed with the visible ones.

        An article's author that has the site's name is likelier the site.
        """
        is_page = entity is not None and select.is_page(entity)
        sites = {fold(leaf.text) for leaf in self.head.leaves("og:site_name") if is_page}
        weighed = (
            replace(c, confidence=min(c.confidence, select.OF_FIRM)) if fold(c.text) in sites else c for c in markup
        )
        return author.candidates(self.view, weighed, select.candidates(self.head, field))

    def titles(self, field: FieldSchema, structured: Iterable[Candidate], entity: Entity | None) -> Iterator[Candidate]:
        """Titles of the page, those that structured data gives `entity` weighed with the visible ones.

        The name of a thing (a product, a recipe) comes before the page's heading unless the description asks for that.
        A `job_title` beside a `name` is what a person does: only a label tells it.
        """
        if self.of_person and fold(field.name) == "job title":
            yield from self.labels.candidates(field)
            return
        is_thing = entity is not None and not select.is_aside(entity) and not entity.types[0].endswith(select.PAGES)
        by_name = is_thing and not _OF_PAGE.search(field.description)
        if entity is None and self.lists and (found := card.find(self.sections, self.lists)) is not None:
            yield from card.titles(self.view, self.marks, self.sections, self.lists, found)
        yield from title.candidates(self.view, self.head, structured, by_name)
