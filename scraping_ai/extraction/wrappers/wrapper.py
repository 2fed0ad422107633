"""A wrapper: what is learned of one page template, for one schema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from scraping_ai.extraction import paths
from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.document import Document, Unreadable
from scraping_ai.extraction.heuristic.view import View
from scraping_ai.extraction.result import Result
from scraping_ai.extraction.wrappers.layout import Layout
from scraping_ai.extraction.wrappers.learn import Sample, learn_field
from scraping_ai.extraction.wrappers.lists import WantedList
from scraping_ai.extraction.wrappers.places import Wanted
from scraping_ai.extraction.wrappers.vote import Elected, Learned, elect
from scraping_ai.extraction.wrappers.written import WrapperError, from_json, to_json
from scraping_ai.schema import FieldSchema, SchemaError, parse_schema, read_schema, to_json_schema

VERSION = 1
MAX_EXAMPLES = 50
MAX_FIELDS = 200
METHOD = "wrapper"

Example = tuple[bytes | str, str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Wrapper:
    """Rules by field path (`price`, `brand.name`); of a list, the list's own path.

    `unfound` names the examples' values that stand nowhere in their pages, as (url, path): nothing is learned of them.
    """

    schema: FieldSchema
    fields: Mapping[str, Learned]
    unfound: tuple[tuple[str, str], ...] = field(default=(), compare=False)

    def apply(self, html: bytes | str, url: str = "", content_type: str | None = None) -> Result:
        """A page's record by the rules alone, each value proved. A page that can't be read: `reason` says why."""
        from scraping_ai.extraction.extractor import Extractor

        return Extractor(self.schema, wrapper=self, methods=(METHOD,)).extract(html, url, content_type)

    def on(self, document: Document, view: View) -> Applied:
        """The wrapper over one page that is parsed already."""
        return Applied(self, Layout(document, view))

    def to_dict(self) -> dict[str, Any]:
        """JSON for `from_dict`, and for people."""
        fields = {path: to_json(learned) for path, learned in self.fields.items()}
        return {"version": VERSION, "schema": to_json_schema(self.schema), "fields": fields}


class Applied:
    """A wrapper's answers for one page."""

    def __init__(self, wrapper: Wrapper, layout: Layout) -> None:
        self.wrapper, self.layout = wrapper, layout

    def knows(self, path: str) -> bool:
        """Whether rules were learned for a field: then their silence says that the page has no value."""
        return path in self.wrapper.fields

    def candidates(self, path: str, schema: FieldSchema) -> Iterator[Candidate]:
        """What the rules find for a scalar field, best first."""
        for elected in self._elected(path, schema):
            yield from _made(elected)

    def items(self, path: str, schema: FieldSchema) -> list[Candidate]:
        """What they find for a list field: the items of the best list."""
        found = next(iter(self._elected(path, schema)), None)
        return list(_made(found)) if found else []

    def _elected(self, path: str, schema: FieldSchema) -> list[Elected]:
        learned = self.wrapper.fields.get(path)
        return elect(schema, learned, self.layout, paths.item_of(schema)) if learned else []


def _made(elected: Elected) -> Iterator[Candidate]:
    """0.97 when all rules agree, 0.85, where the ladder stops, when six in ten do."""
    confidence = round(0.97 * elected.share**0.25, 3)
    return (Candidate(spot.text, spot.anchor, confidence, METHOD) for spot in elected.spots)


def learn(schema: Any, examples: Iterable[Example]) -> Wrapper:
    """A wrapper from pages of one template whose values are known: `(html, url, values)` triples, one to five do.

    `values` maps fields to what the schema says (`{"title": "Lamp", "price": 9.5, "tags": ["a", "b"]}`). Null says that
    the page has no value; a field left out says nothing. Raises SchemaError and WrapperError.
    """
    root = read_schema(schema)
    if root.type != "object":
        raise WrapperError("wrappers are for one record a page; write a schema whose root is an object")
    pages = [_page(number, example, root) for number, example in enumerate(examples, 1)]
    if not 1 <= len(pages) <= MAX_EXAMPLES:
        raise WrapperError(f"{len(pages)} examples; give 1 to {MAX_EXAMPLES}")
    unfound: list[tuple[str, str]] = []
    fields: dict[str, Learned] = {}
    for path, node in learnable(root):
        if learned := _learned(path, node, pages, unfound):
            fields[path] = learned
    return Wrapper(root, fields, tuple(unfound))


def learnable(schema: FieldSchema, path: str = "") -> Iterator[tuple[str, FieldSchema]]:
    """The fields that rules can be learned for, with their paths: scalars, and lists of scalars."""
    for node in schema.fields:
        here, item = paths.join(path, node.name), paths.item_of(node)
        if node.type == "object":
            yield from learnable(node, here)
        elif item is None or item.type not in ("object", "array"):
            yield here, node


def _page(number: int, example: Example, root: FieldSchema) -> tuple[Layout, Mapping[str, Any]]:
    html, url, values = example
    if not isinstance(values, Mapping):
        raise WrapperError(f"example {number}: values are no object of fields")
    names = [node.name for node in root.fields]
    if unknown := next((name for name in values if name not in names and not str(name).startswith("_")), None):
        raise WrapperError(f"example {number}: no field {str(unknown)[:80]!r} in the schema; it has {', '.join(names)}")
    try:
        return Layout(Document(html, url)), values
    except (etree.LxmlError, RecursionError, ValueError) as error:
        reason = str(error) if isinstance(error, Unreadable) else "not HTML: cannot be parsed"
        raise WrapperError(f"example {number} ({url[:200]}): {reason}") from None


def _learned(
    path: str, node: FieldSchema, pages: list[tuple[Layout, Mapping[str, Any]]], unfound: list[tuple[str, str]]
) -> Learned | None:
    samples: list[Sample] = []
    for number, (layout, values) in enumerate(pages, 1):
        told, value = _told(values, path)
        if not told:
            continue
        wanted = _wanted(node, value, layout, f"example {number}: {path}")
        if wanted is not None and not wanted.places():
            unfound.append((layout.document.url, path))
        else:
            samples.append(Sample(layout, wanted))
    rules = learn_field(node, samples)
    texts = [text for sample in samples if sample.wanted for text in sample.wanted.texts()]
    return Learned(rules, letters=_lettered(texts)) if rules else None


def _told(values: Mapping[str, Any], path: str) -> tuple[bool, Any]:
    """Whether an example says anything about a field, and what."""
    value: Any = values
    for name in path.split("."):
        if not isinstance(value, Mapping):
            return value is None, None
        if name not in value:
            return False, None
        value = value[name]
    return True, value


def _wanted(node: FieldSchema, value: Any, layout: Layout, where: str) -> Wanted | WantedList | None:
    if value is None or value in ("", []):
        return None
    item = paths.item_of(node)
    values = value if item is not None and isinstance(value, list) else [value]
    if not all(isinstance(v, (str, int, float, bool)) for v in values):
        kind = "a list of texts or numbers" if item is not None else "one text or number"
        raise WrapperError(f"{where}: {str(value)[:60]!r}; write {kind}, or null")
    return Wanted(node, value, layout) if item is None else WantedList(item, values, layout)


def _lettered(texts: list[str]) -> bool:
    """Whether values of a field may hold letters; one short text such as the title "1984" proves nothing."""
    bare = not any(c.isalpha() for text in texts for c in text)
    return not (bare and (len(texts) > 1 or any(len(text) > 4 for text in texts)))


def from_dict(written: Any) -> Wrapper:
    """The wrapper that `to_dict` wrote, checked: it may come from anywhere. Raises WrapperError."""
    if not isinstance(written, Mapping) or written.get("version") != VERSION:
        raise WrapperError(f'not a wrapper: needs "version": {VERSION}, "schema" and "fields"')
    try:
        root = parse_schema(written.get("schema"))
    except SchemaError as error:
        raise WrapperError(f"schema: {error}") from None
    entries = written.get("fields")
    known = dict(learnable(root))
    if root.type != "object" or not isinstance(entries, Mapping) or len(entries) > MAX_FIELDS:
        raise WrapperError(f'"fields" must be an object of at most {MAX_FIELDS} fields of an object schema')
    if unknown := next((path for path in entries if path not in known), None):
        raise WrapperError(f"fields: {str(unknown)[:80]!r} is not in the schema")
    return Wrapper(root, {path: from_json(entry, f"fields, {path}") for path, entry in entries.items()})
