"""Values from the visible page, when no markup names them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.concepts import concept_of
from scraping_ai.extraction.document import Document
from scraping_ai.extraction.heuristic import author, availability, dates, lists, marked, price, title
from scraping_ai.extraction.heuristic.labels import Labels
from scraping_ai.extraction.heuristic.marks import Marks
from scraping_ai.extraction.heuristic.sections import Sections
from scraping_ai.extraction.heuristic.view import View
from scraping_ai.extraction.normalise import kind_of
from scraping_ai.extraction.structured.entity import Entity
from scraping_ai.schema import FieldSchema


class Heuristics:
    """The heuristics over one page; its views are built when the first field needs them."""

    def __init__(self, document: Document, head: Entity) -> None:
        self.document, self.head = document, head
        self._view: View | None = None
        self._labels: Labels | None = None

    @property
    def view(self) -> View:
        self._view = self._view or View(self.document)
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
        return lists.items(self.sections, field)

    def candidates(self, field: FieldSchema) -> Iterator[Candidate]:
        """What the visible page offers for a scalar field: by its concept, then by its label."""
        concept = concept_of(field)
        name = concept.name if concept else ""
        if name in ("price", "currency"):
            yield from price.candidates(self.view, for_currency=name == "currency")
        elif name in ("publish_date", "modified_date"):
            yield from dates.candidates(self.view, modified=name == "modified_date")
        elif name == "author":
            yield from author.candidates(self.view)
        elif name == "availability":
            yield from availability.candidates(self.view)
        if concept is not None and concept.kind != "lines":
            yield from marked.candidates(self.view, self.marks, concept)
        if kind_of(field) == "lines":
            yield from lists.texts(self.sections, field)
        if concept is None or not (concept.generic or name == "author"):
            yield from self.labels.candidates(field)

    def titles(self, structured: Iterable[Candidate]) -> Iterator[Candidate]:
        """Titles of the page, those of structured data weighed with the visible ones."""
        return title.candidates(self.view, self.head, structured)
