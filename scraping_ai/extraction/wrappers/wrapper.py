"""A wrapper: what is learned of one page template, for one schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from scraping_ai.extraction import paths
from scraping_ai.extraction.absent import missing
from scraping_ai.extraction.bodies import Unreadable
from scraping_ai.extraction.candidate import Candidate, prove
from scraping_ai.extraction.document import Document
from scraping_ai.extraction.heuristic.view import View
from scraping_ai.extraction.result import Result
from scraping_ai.extraction.wrappers.layout import Layout
from scraping_ai.extraction.wrappers.vote import Elected, Learned, elect
from scraping_ai.extraction.wrappers.written import WrapperError, from_json, in_lines, refuse_unknown, to_json
from scraping_ai.schema import FieldSchema, SchemaError, parse_schema, to_json_schema

VERSION = 1
MAX_FIELDS = 200
METHOD = "wrapper"


@dataclass(frozen=True, slots=True)
class Wrapper:
    """Rules by field path (`price`, `brand.name`); of a list, the list's own path.

    `unfound` names the examples' values that stand nowhere in their pages (url, path), `unlearned` those that do, or
    are null, but that the rules do not give there.
    """

    schema: FieldSchema
    fields: Mapping[str, Learned]
    unfound: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    unlearned: tuple[tuple[str, str], ...] = field(default=(), compare=False)

    def apply(self, html: bytes | str, url: str = "", content_type: str | None = None) -> Result:
        """A page's record by the rules alone, each value proved. A page that can't be read: `reason` says why."""
        result = Result(self.schema, url, content_type)
        try:
            document = Document(html, url, content_type)
        except Unreadable as error:
            result.reason = str(error)
            return result
        self.on(document).fill(result)
        return result

    def on(self, document: Document, view: View | None = None) -> Applied:
        """The wrapper over one page that is parsed already, and may be seen already."""
        return Applied(self, Layout(document, view))

    def to_dict(self) -> dict[str, Any]:
        """JSON for `from_dict`, and for people."""
        fields = {path: to_json(learned) for path, learned in self.fields.items()}
        return {"version": VERSION, "schema": to_json_schema(self.schema), "fields": fields}

    def to_json(self) -> str:
        """`to_dict` as text, a rule a line, so that `git diff` shows which have changed."""
        return in_lines(self.to_dict())


class Applied:
    """A wrapper's answers for one page."""

    def __init__(self, wrapper: Wrapper, layout: Layout) -> None:
        self.wrapper, self.layout = wrapper, layout

    def answers(self) -> Iterator[tuple[str, Candidate]]:
        """What the rules find, with the path in a record (`price`, `tags[0]`): of a scalar field best first."""
        for path, node in learnable(self.wrapper.schema):
            item = paths.item_of(node)
            found = self._elected(path, node, item)
            if item is None:
                yield from ((path, candidate) for elected in found for candidate in _made(elected))
            else:
                made = enumerate(_made(found[0])) if found else ()
                yield from ((f"{path}[{index}]", candidate) for index, candidate in made)

    def fill(self, result: Result) -> None:
        """Make the result's record of the answers that are proved."""
        record = paths.empty(self.wrapper.schema)
        for path, candidate in self.answers():
            node = paths.field_at(self.wrapper.schema, path)
            proved = prove(self.layout.document, node, candidate) if node else None
            if proved is not None and path not in result.evidence:
                paths.set_value(record, path, proved[0])
                result.evidence[path] = proved[1]
        result.records = [record]
        result.missing = missing(result)

    def _elected(self, path: str, node: FieldSchema, item: FieldSchema | None) -> list[Elected]:
        learned = self.wrapper.fields.get(path)
        return elect(node, learned, self.layout, item) if learned else []


def _made(elected: Elected) -> Iterator[Candidate]:
    """0.97 when all rules agree, 0.85, where the ladder stops, when six in ten do."""
    confidence = round(0.97 * elected.share**0.25, 3)
    return (Candidate(spot.text, spot.anchor, confidence, METHOD) for spot in elected.spots)


def learnable(schema: FieldSchema, path: str = "") -> Iterator[tuple[str, FieldSchema]]:
    """The fields that rules can be learned for, with their paths: scalars, and lists of scalars."""
    for node in schema.fields:
        here, item = paths.join(path, node.name), paths.item_of(node)
        if node.type == "object":
            yield from learnable(node, here)
        elif item is None or item.type not in ("object", "array"):
            yield here, node


def from_dict(written: Any) -> Wrapper:
    """The wrapper that `to_dict` wrote, checked: it may come from anywhere. Raises WrapperError."""
    if isinstance(written, (str, bytes)):
        raise WrapperError("not a wrapper but a text; write from_dict(json.loads(text))")
    if not isinstance(written, Mapping) or written.get("version") != VERSION:
        raise WrapperError(f'not a wrapper: needs "version": {VERSION}, "schema" and "fields"')
    refuse_unknown(written, "wrapper", ("version", "schema", "fields"))
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
