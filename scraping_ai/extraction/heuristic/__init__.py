"""Values from the visible page, when no markup names them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property

from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.concepts import concept_of
from scraping_ai.extraction.document import Document
from scraping_ai.extraction.heuristic import (
    author,
    availability,
    card,
    dates,
    image,
    lists,
    marked,
    price,
    rating,
    title,
)
from scraping_ai.extraction.heuristic.labels import Labels
from scraping_ai.extraction.heuristic.marks import Marks
from scraping_ai.extraction.heuristic.sections import Sections
from scraping_ai.extraction.heuristic.view import View
from scraping_ai.extraction.normalise import kind_of, yields
from scraping_ai.extraction.structured import select
from scraping_ai.extraction.structured.entity import Entity
from scraping_ai.schema import FieldSchema

_PAGES = ("Article", "Posting", "Page", "CreativeWork")  # endings of schema.org types that stand for the page itself
_OF_PAGE = re.compile(r"\b(?:article|page|post|thread|headline|heading|story)\b", re.I)

MAX_YIELD = 40  # characters


class Heuristics:
    """The heuristics over one page; its views are built when the first field needs them.

    `schema` names all fields that are asked for. Those that are `blind` see an empty page: for who wants markup alone.
    """

    def __init__(
        self, document: Document, head: Entity, schema: FieldSchema | None = None, *, blind: bool = False
    ) -> None:
        self.document, self.head, self.blind = document, head, blind
        self.lists = [lists.key_of(f) for f in (schema.fields if schema else ()) if kind_of(f) == "lines"]
        self._view: View | None = None
        self._labels: Labels | None = None

    @property
    def view(self) -> View:
        self._view = self._view or View(self.document, [] if self.blind else self.document.visible)
        return self._view

    @property
    def labels(self) -> Labels:
        self._labels = self._labels or Labels(self.view)
        return self._labels

    @cached_property
    def marks(self) -> Marks:
        return Marks(self.view)

    @cached_property
    def sections(self) -> Sections:
        return Sections(self.view, self.marks)

    def items(self, field: FieldSchema) -> list[Candidate]:
        """The items of a list field that the visible page shows."""
        return lists.items(self.sections, self.labels, field)

    def candidates(self, field: FieldSchema) -> Iterator[Candidate]:
        """What the visible page offers for a scalar field: by its concept, then by its label."""
        concept = concept_of(field)
        name = concept.name if concept else ""
        if name in ("price", "currency"):
            yield from price.candidates(self.view, for_currency=name == "currency")
        elif name in ("publish_date", "modified_date"):
            yield from dates.candidates(self.view, modified=name == "modified_date")
        elif name == "yields":
            yield from marked.saying(self.view, yields.says, MAX_YIELD)
        elif name == "image":
            yield from image.candidates(self.view)
        elif name in ("rating", "review_count"):
            yield from rating.candidates(self.view, count=name == "review_count")
        elif name == "availability":
            yield from availability.candidates(self.view)
        if concept is not None and concept.kind not in ("lines", "url"):
            yield from marked.candidates(self.view, self.marks, concept)
        if kind_of(field) == "lines":
            yield from lists.texts(self.sections, field)
        if concept is None or not (concept.generic or name == "author"):
            yield from self.labels.candidates(field)

    def authors(self, field: FieldSchema, markup: Iterable[Candidate]) -> Iterator[Candidate]:
        """Authors of the page, those of structured data weighed with the visible ones."""
        yield from author.candidates(self.view, markup, select.candidates(self.head, field))
        yield from self.candidates(field)

    def titles(self, field: FieldSchema, structured: Iterable[Candidate], entity: Entity | None) -> Iterator[Candidate]:
        """Titles of the page, those that structured data gives `entity` weighed with the visible ones.

        The name of a thing (a product, a recipe) comes before the page's heading unless the description asks for that.
        """
        is_thing = entity is not None and not select.is_aside(entity) and not entity.types[0].endswith(_PAGES)
        by_name = is_thing and not _OF_PAGE.search(field.description)
        if entity is None and self.lists and (found := card.find(self.sections, self.lists)) is not None:
            yield from card.titles(self.view, self.marks, self.sections, self.lists, found)
        yield from title.candidates(self.view, self.head, structured, by_name)
