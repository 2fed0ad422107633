"""The ladder: what was learned or written for the site, structured data, then heuristics; each value proved first."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from scraping_ai.extraction import listing, owned, paths, reconcile, regions
from scraping_ai.extraction.absent import missing
from scraping_ai.extraction.bodies import Unreadable
from scraping_ai.extraction.candidate import Candidate, prove
from scraping_ai.extraction.concepts import concept_of, of_company
from scraping_ai.extraction.document import Document
from scraping_ai.extraction.heuristic import Heuristics, lists
from scraping_ai.extraction.listing import Source
from scraping_ai.extraction.normalise import kind_of, yields
from scraping_ai.extraction.parsers import Parser, Parsers
from scraping_ai.extraction.regions import amounts
from scraping_ai.extraction.result import Proved, Result
from scraping_ai.extraction.structured import jsonld, metadata, microdata, offers, rdfa, select, values
from scraping_ai.extraction.structured.entity import Entity, Leaf
from scraping_ai.extraction.structured.offers import Shown
from scraping_ai.extraction.structured.state import State
from scraping_ai.schema import FieldSchema, read_schema

if TYPE_CHECKING:
    from scraping_ai.extraction.wrappers import Wrapper

METHODS = ("structured", "heuristic")
ENOUGH = 0.85  # confidence at which the ladder stops for a field
MAX_RECORDS = 1_000
MAX_ITEMS = 1_000  # of one list field
MAX_OTHERS = 4  # values of a field that lost


class Extractor:
    """Extracts records of one schema from pages. Holds no page: one extractor serves many threads.

    The schema is whatever `scraping_ai.schema.read_schema` takes. `methods` says what may answer: `("structured",)`
    reads markup alone, much faster than all. `parsers` are sites' own code (docs/parsers.md), as objects or by dotted
    path; `wrapper` is what was learned of the pages' template (docs/wrappers.md). With `compare` methods are asked, at
    their cost, for fields that are answered already, so that `Result.disagreements` is complete. Raises SchemaError,
    and ValueError for a method or parser that does not exist, or a wrapper that is none.
    """

    def __init__(
        self,
        schema: Any,
        methods: Iterable[str] = METHODS,
        parsers: Iterable[Parser | str] = (),
        compare: bool = False,
        wrapper: Wrapper | None = None,
    ) -> None:
        self.schema: FieldSchema = read_schema(schema)
        self.methods = frozenset(methods)
        if unknown := self.methods - set(METHODS):
            raise ValueError(f"no method {', '.join(sorted(unknown))}; there are {', '.join(METHODS)}")
        self.parsers, self.compare = Parsers(parsers), compare
        if wrapper is not None and not hasattr(wrapper, "on"):
            kind = type(wrapper).__name__
            raise ValueError(f"wrapper is a {kind}; write wrapper=wrappers.from_dict(json.loads(text))")
        self.wrapper = wrapper

    def asking(self, schema: FieldSchema, wrapper: Wrapper | None) -> Extractor:
        """The same for another schema and wrapper, at no cost."""
        extractor = copy.copy(self)
        extractor.schema, extractor.wrapper = schema, wrapper
        return extractor

    def extract(self, html: bytes | str | Document, url: str = "", content_type: str | None = None) -> Result:
        """The records of one page. A page that cannot be read gives none, and `reason` says why.

        A `Document` is taken as it is, with its own address.
        """
        try:
            document = html if isinstance(html, Document) else Document(html, url, content_type)
        except Unreadable as error:
            return Result(self.schema, url, content_type, reason=str(error))
        result = Result(self.schema, document.url, document.content_type)
        _Page(document, result, self).fill()
        return result


class _Page:
    """Fills a result from one document."""

    def __init__(self, document: Document, result: Result, extractor: Extractor) -> None:
        self.document, self.result, self.compare = document, result, extractor.compare
        self.methods = extractor.methods | {"parser", "wrapper"}
        self.answers = extractor.parsers.answers(document, result.schema)
        reads = (jsonld.read, microdata.read, rdfa.read) if "structured" in self.methods else ()
        self.entities = [entity for read in reads for entity in read(document)]
        self.head = metadata.read(document)
        self.heuristics = Heuristics(document, self.head, result.schema, blind="heuristic" not in self.methods)
        self.wrapper = extractor.wrapper if result.schema.type == "object" else None
        if self.wrapper is not None:
            view = None if self.heuristics.blind else self.heuristics.view
            self.answers.join(self.wrapper.on(document, view).answers())

    def fill(self) -> None:
        schema = self.result.schema
        item = paths.item_of(schema)
        if item is not None:
            self._records(item)
        else:
            shown = Shown(self.document, self.heuristics.asks if offers.asked_of(schema) else None)
            main = select.main_entity(schema, self.entities, shown)
            self.result.records = [self._object(schema, Source(main, whole_page=True), "")]
        self.result.missing = missing(self.result)

    def _state(self, schema: FieldSchema) -> State:
        head = (leaf.text for name in ("og:title", "twitter:title") for leaf in self.head.leaves(name)[:1])
        view = self.heuristics.view
        heading = view.text(view.heading) if view.heading is not None else ""
        titles = [*head, *([heading] if heading else []), self.document.title]
        return State(self.document, schema, titles, partial(amounts.is_shown, view))

    @cached_property
    def _state_thing(self) -> Entity | None:
        return self._state(self.result.schema).thing() if "structured" in self.methods else None

    def _records(self, schema: FieldSchema) -> None:
        answered = min(self.answers.count(""), MAX_RECORDS)
        sources = [Source(None)] * answered or self._sources(schema)
        self.result.records = self._of_sources(schema, sources, "", all_of_them=answered > 0)

    def _of_sources(
        self, schema: FieldSchema, sources: list[Source], path: str, all_of_them: bool = False
    ) -> list[dict[str, Any]]:
        """A record a listed thing or visible item; one that answers too little is something else, such as an ad."""
        seen, before = listing.Seen(schema), len(self.result.evidence)
        records: list[dict[str, Any]] = []
        for source in sources:
            known = len(self.result.evidence)
            record = self._object(schema, source, f"{path}[{len(records)}]")
            if all_of_them or (regions.share(schema, record) >= source.least and seen.is_new(record)):
                records.append(record)
            else:
                self._forget(known)
        alone = not all_of_them and len(records) < listing.MIN_ITEMS
        if alone and (path or not any(source.entity or source.alone for source in sources)):
            self._forget(before)
            return []
        return records

    def _sources(self, schema: FieldSchema, *, below: bool = False) -> list[Source]:
        found = listing.sources(schema, self.entities, self.heuristics.view, self._state(schema), below=below)
        return found[:MAX_RECORDS]

    def _nested(self, field: FieldSchema, item: FieldSchema) -> list[Source]:
        """What the items of a list below the root are read from: its own part of the page, else the page's one list."""
        parts = lists.parts(self.heuristics.sections, field)
        named = listing.headed(item, self.heuristics.view, parts)
        return named[:MAX_ITEMS] or self._sources(item, below=True)

    def _forget(self, known: int) -> None:
        """Drop the evidence that came after the first `known`."""
        while len(self.result.evidence) > known:
            path, _ = self.result.evidence.popitem()
            self.result.disagreements.pop(path, None)

    def _object(self, schema: FieldSchema, source: Source, path: str) -> dict[str, Any]:
        record = paths.empty(schema)
        for field in schema.fields:
            record[field.name] = self._field(of_company(field, schema), source, paths.join(path, field.name))
        return record

    def _field(self, field: FieldSchema, source: Source, path: str) -> Any:
        if self.wrapper is not None and path in self.wrapper.fields:
            source = replace(source, whole_page=False)  # where its rules are silent the page has no value: do not guess
        if field.type == "object":
            return self._part(field, source, path)
        if field.type == "array":
            return self._list(field, source, path)
        return self._settle(field, path, self._candidates(field, source))

    def _part(self, field: FieldSchema, source: Source, path: str) -> dict[str, Any] | None:
        found = select.part(source.entity, field) if source.entity is not None else None
        if isinstance(found, Leaf):
            found = _named(found)
        record = self._object(field, Source(found), path) if found is not None else {}
        if found is None and (source.item is not None or source.whole_page):
            record = self._visible_part(field, replace(source, entity=None), path)
        if found is None and self.answers.below(path):
            record = self._object(field, Source(None), path)
        return record if any(value is not None for value in record.values()) else None

    def _visible_part(self, field: FieldSchema, source: Source, path: str) -> dict[str, Any]:
        """An object of the page's own part of that name, else of what the page or item offers that is no one else's;
        labels that name the object too come first.
        """
        on_page = source.whole_page and not self.heuristics.blind
        own = owned.part(field, self.heuristics.view, self.heuristics.sections) if on_page else None
        record = self._object(field, Source(None, own), path) if own is not None else {}
        if all(value is None for value in record.values()):
            schema = owned.apart(regions.specific(field), self.result.schema)
            record = {**paths.empty(field), **self._object(schema, source, path)}
        labels = source.item.labels if source.item is not None else self.heuristics.labels
        for child in (f for f in field.fields if f.type not in ("object", "array")):
            found = owned.labelled(field, child, labels, own)
            if (value := self._settle(child, paths.join(path, child.name), found)) is not None:
                record[child.name] = value
            elif record[child.name] is None and owned.is_name(child):
                named = self._candidates(owned.named_by(field), source)
                record[child.name] = self._settle(child, paths.join(path, child.name), named)
        return record

    def _list(self, field: FieldSchema, source: Source, path: str) -> list[Any] | None:
        item = paths.item_of(field)
        if item is None:
            return None
        if answered := min(self.answers.count(path), MAX_ITEMS):
            known = len(self.result.evidence)
            answers = [self._field(item, Source(None), f"{path}[{index}]") for index in range(answered)]
            if None not in answers:
                return answers
            self._forget(known)
        found: Sequence[Entity | Candidate] = select.items(source.entity, field) if source.entity else []
        if not found and source.item is not None:
            found = list(source.item.values(item))
        if source.whole_page and item.type != "object":
            found = self._list_of_page(field, [c for c in found if isinstance(c, Candidate)])
        elif source.whole_page and not found:
            return self._of_sources(item, self._nested(field, item), path) or None
        return self._items(item, found, path)

    def _list_of_page(self, field: FieldSchema, found: Sequence[Candidate]) -> Sequence[Candidate]:
        """A page's list: of its main entity, else of the head, else the visible one, which also mends the first."""
        if found:
            mend = kind_of(field) == "lines" and reconcile.is_damaged(found)
            return reconcile.reconciled(found, self.heuristics.items(field)) if mend else found
        concept = concept_of(field)
        if concept is not None and concept.name == "breadcrumbs" and (trail := select.breadcrumbs(self.entities)):
            return trail
        listed = select.items(self.head, field) or self.heuristics.items(field)
        if not listed and self._state_thing is not None:
            listed = select.items(self._state_thing, field)
        return [c for c in listed if isinstance(c, Candidate)]

    def _items(self, item: FieldSchema, found: Sequence[Entity | Candidate], path: str) -> list[Any] | None:
        kept: list[Any] = []
        for one in found[:MAX_ITEMS]:
            here, known = f"{path}[{len(kept)}]", len(self.result.evidence)
            value = (
                self._object(item, Source(one), here) if isinstance(one, Entity) else self._settle(item, here, [one])
            )
            if value is not None and value not in kept:
                kept.append(value)
            else:
                self._forget(known)
        return kept or None

    def _candidates(self, field: FieldSchema, source: Source) -> Iterator[Candidate]:
        structured = select.candidates(source.entity, field) if source.entity is not None else iter(())
        if source.entity is not None and values.is_of_part(source.entity, field):
            yield from structured
            return
        name = concept.name if source.whole_page and (concept := concept_of(field)) else ""
        if name == "title":
            yield from self.heuristics.titles(field, structured, source.entity)
            return
        if name == "author":
            yield from self.heuristics.authors(field, structured, source.entity)
            return
        if name == "yields":
            found = chain(structured, self._of_page(field) if source.whole_page else ())
            yield from (replace(c, text=yields.stated(c.text, field.description)) for c in found)
            return
        if name == "image":  # the head names the page's main image, JSON-LD often several or a cut of it
            yield from (replace(c, confidence=ENOUGH) for c in select.candidates(self.head, field))
        yield from self.heuristics.weighed(field, structured, source.entity) if source.whole_page else structured
        if source.item is not None:
            yield from source.item.candidates(field)
        if source.whole_page:
            yield from self._of_page(field)

    def _of_page(self, field: FieldSchema) -> Iterator[Candidate]:
        yield from select.candidates(self.head, field)
        if self._state_thing is not None:
            yield from select.candidates(self._state_thing, field)
        if not self.heuristics.blind:
            yield from self.heuristics.candidates(field)

    def _settle(self, field: FieldSchema, path: str, candidates: Iterable[Candidate]) -> Any:
        """The value of the first candidate that is proved and sure enough, else of the surest that is proved."""
        best: Proved | None = None
        others: list[Proved] = []
        for candidate in chain(self.answers.at(path), candidates):
            weaker = best is not None and candidate.confidence <= best[1].confidence
            if candidate.method not in self.methods:
                continue
            if best is not None and weaker and (candidate.method == best[1].method or len(others) >= MAX_OTHERS):
                continue
            if (found := prove(self.document, field, candidate)) is None:
                continue
            if best is not None:
                others.append(found if weaker else best)
            best = best if weaker else found
            if best is not None and best[1].confidence >= ENOUGH and not self.compare:
                break
        if best is None:
            return None
        self.result.evidence[path] = best[1]
        self.result.disagree(path, best, others)
        return best[0]


def _named(leaf: Leaf) -> Entity:
    """The thing that a bare text stands for: one with that name."""
    entity = Entity((), leaf.anchor, "json-ld" if leaf.anchor.in_text else "microdata")
    entity.add("name", leaf)
    return entity
