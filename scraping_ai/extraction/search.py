"""Where in a page a known value stands: candidates in visible text, attributes and JSON-LD, for code to prove."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property

from lxml import etree

from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.concepts import concept_of, fold
from scraping_ai.extraction.document import Anchor, Document, string_value
from scraping_ai.extraction.evidence import MODEL, is_told
from scraping_ai.extraction.heuristic import Heuristics
from scraping_ai.extraction.heuristic.view import SHORT, View, hints
from scraping_ai.extraction.matching import key, locate
from scraping_ai.extraction.normalise import kind_of, tokens
from scraping_ai.extraction.structured import jsonld, metadata
from scraping_ai.extraction.structured.entity import Leaf, walk_all
from scraping_ai.schema import FieldSchema

MAX_BLOCK = 20_000  # characters
MAX_TEXT = 10_000_000  # characters of all blocks; inline elements nest, so a text may count more than once
MAX_PAGE = 2_000_000  # visible characters; a larger page is not searched for texts longer than a block
MAX_ATTRIBUTE = 5_000
MAX_CANDIDATES = 50  # a value
CONFIDENCE = 0.7

_INLINE = frozenset("a abbr b bdi cite code em i mark q s small span strong sub sup time u font".split())
_NUMBER = re.compile(rf"[-+\u2212]?\d(?:(?:\d|{tokens.PARTING}| ){{0,20}}\d)?")
_LINKS = ("href", "src", "content", "data-src", "data-href", "data-url", "srcset")
_STATE_TEXT = 80  # characters


class Finder:
    """Searches one page; indexes are built when first asked for."""

    def __init__(self, document: Document, method: str) -> None:
        self.document, self.method = document, method
        self.heuristics = Heuristics(document, metadata.read(document))
        self.view = self.heuristics.view

    def candidates(self, field: FieldSchema, value: object) -> Iterator[Candidate]:
        """Places that may prove that `field` is `value`, the likeliest first."""
        kind = kind_of(field)
        search: Callable[[FieldSchema, str], Iterator[Candidate]] = self._strings
        if kind in ("availability", "currency") or field.type == "boolean" or field.enum:
            search = self._states
        elif kind == "date" or field.type in ("date", "datetime"):
            search = self._dates
        elif kind == "url" or field.type == "url":
            search = self._urls
        elif field.type in ("number", "integer"):
            search = self._numbers
        for candidate, _ in zip(search(field, str(value)), range(MAX_CANDIDATES), strict=False):
            yield candidate

    @cached_property
    def blocks(self) -> list[tuple[etree._Element, str, str]]:
        """Visible elements with text of their own or only inline children: element, string-value, its key."""
        found, left = [], MAX_TEXT
        for node in self.view.nodes:
            if 0 < self.view.length(node) <= MAX_BLOCK and _holds_text(node) and left > 0:
                left -= self.view.length(node)
                text = string_value(node)
                found.append((node, text, key(text)))
        return found

    @cached_property
    def _exact(self) -> dict[str, list[tuple[etree._Element, str]]]:
        found: dict[str, list[tuple[etree._Element, str]]] = {}
        for node, text, folded in self.blocks:
            found.setdefault(folded, []).append((node, text))
        return found

    @cached_property
    def attributes(self) -> list[tuple[str, Anchor]]:
        return [
            (str(text), Anchor(node, str(name)))
            for node in self.document.root.iter(etree.Element)
            for name, text in node.attrib.items()
            if 0 < len(text) <= MAX_ATTRIBUTE and name not in ("class", "style", "id")
            if self.method != MODEL or is_told(node, str(name))
        ]

    @cached_property
    def leaves(self) -> list[Leaf]:
        """Every string in the page's JSON-LD."""
        tops = jsonld.read(self.document)
        things = dict.fromkeys([*tops, *(below for _, below in walk_all(tops))])
        return [v for e in things for values in e.properties.values() for v in values if isinstance(v, Leaf)]

    def _made(self, text: str, anchor: Anchor) -> Candidate:
        return Candidate(text, anchor, CONFIDENCE, self.method)

    def _strings(self, field: FieldSchema, value: str) -> Iterator[Candidate]:
        wanted = key(value)
        if not wanted:
            return
        near = _Near(field) if len(wanted) < 3 else None
        places = self._exact.get(wanted) or [(n, text) for n, text, folded in self.blocks if wanted in folded]
        places.sort(key=lambda place: len(place[1]))
        for node, text in places:
            if near is None or near.speaks_of(self.view, node, text):
                yield from (self._made(text[a:b], Anchor(node)) for a, b in locate(text, wanted)[:1])
        if near is not None:
            return
        yield from self._across_blocks(wanted)
        for text, anchor in [*self.attributes, *((leaf.text, leaf.anchor) for leaf in self.leaves)]:
            if wanted in key(text):
                yield from (self._made(text[a:b], anchor) for a, b in locate(text, wanted)[:1])

    def _across_blocks(self, wanted: str) -> Iterator[Candidate]:
        """A text longer than one block: the lowest element that holds all of it."""
        node, text = self.document.root, ""
        below: etree._Element | None = next((n for n in self.view.nodes if n.tag == "body"), None)
        if len(wanted) < 40 or below is None or self.view.length(below) > MAX_PAGE:
            return
        while below is not None:
            node, text = below, string_value(below)
            large = (c for c in node if self.view.length(c) >= len(wanted))
            below = next((c for c in large if wanted in key(string_value(c))), None)
        yield from (self._made(text[a:b], Anchor(node)) for a, b in locate(text, wanted)[:1])

    def _numbers(self, field: FieldSchema, value: str) -> Iterator[Candidate]:
        near, weak, digits = _Near(field), [], re.sub(r"\D", "", value.removesuffix(".0"))
        for node, text, folded in self.blocks:
            if len(text) > MAX_ATTRIBUTE or not any(c.isdigit() for c in folded):
                continue
            spans = [m.span() for m in _NUMBER.finditer(tokens.plain(text))]
            if kind_of(field) == "duration" and len(text) <= _STATE_TEXT:
                spans.append((0, len(text)))
            for start, end in spans:
                if near.speaks_of(self.view, node, text):
                    yield self._made(text[start:end], Anchor(node))
                elif len(digits) > 2 and digits in re.sub(r"\D", "", tokens.plain(text[start:end])):
                    weak.append(self._made(text[start:end], Anchor(node)))
        yield from weak
        for text, anchor in [*self.attributes, *((leaf.text, leaf.anchor) for leaf in self.leaves)]:
            named = anchor.in_text or len(digits) > 2 or near.speaks_of(self.view, anchor.node, text)
            if len(text) <= 40 and named and (digits in re.sub(r"\D", "", text) or text.startswith("P")):
                yield self._made(text, anchor)

    def _dates(self, field: FieldSchema, value: str) -> Iterator[Candidate]:
        year = value[:4]
        stamps = [(text, anchor) for text, anchor in self.attributes if len(text) <= 40 and text[:4].isdigit()]
        for text, anchor in stamps:
            yield self._made(text.strip(), anchor)
        for node, text, _ in self.blocks:
            for match in re.finditer(re.escape(year), text[:2000]):
                yield self._made(_around(text, match.start(), match.end()), Anchor(node))
        for leaf in self.leaves:
            if leaf.text.startswith(year):
                yield self._made(leaf.text, leaf.anchor)

    def _states(self, field: FieldSchema, value: str) -> Iterator[Candidate]:
        """Availability, currency, yes and no, allowed values: beside their label, else short texts that read so."""
        for candidate in self.heuristics.candidates(field):
            yield self._made(candidate.text, candidate.anchor)
        if field.type != "boolean" or kind_of(field) == "availability":
            for leaf in self.leaves:
                if len(leaf.text) <= _STATE_TEXT and key(value) in key(leaf.text):
                    yield self._made(leaf.text, leaf.anchor)
            yield from self._strings(field, value)
        if kind_of(field) == "availability":
            for node, text, _ in self.blocks:
                if len(text) <= _STATE_TEXT:
                    yield self._made(text.strip(), Anchor(node))

    def _urls(self, field: FieldSchema, value: str) -> Iterator[Candidate]:
        tail = value.rstrip("/").rsplit("/", 1)[-1]
        for text, anchor in self.attributes:
            if anchor.attribute in _LINKS and tail in text:
                yield self._made(text.strip(), anchor)
        yield from (self._made(leaf.text, leaf.anchor) for leaf in self.leaves if tail in leaf.text)


class _Near:
    """Whether the surroundings of a text speak of a field: needed where the text alone would prove nothing."""

    def __init__(self, field: FieldSchema) -> None:
        concept = concept_of(field)
        names = {fold(field.name), *(fold(n) for n in (concept.names if concept else ()))}
        self.names = {f" {name} " for name in names if len(name) > 1}
        self._around: dict[etree._Element, str] = {}

    def speaks_of(self, view: View, node: etree._Element, text: str) -> bool:
        words = f" {fold(text)} {fold(hints(node))} "
        parent = node.getparent()
        if parent is not None:
            if parent not in self._around:
                short = view.text(parent) if view.length(parent) <= SHORT else ""
                self._around[parent] = f"{fold(short)} {fold(hints(parent))} "
            words += self._around[parent]
        return any(name in words for name in self.names)


def _holds_text(node: etree._Element) -> bool:
    if node.text and not node.text.isspace():
        return True
    if next(iter(node), None) is None:
        return False
    return any(c.tail and not c.tail.isspace() for c in node) or all(c.tag in _INLINE for c in node)


def _around(text: str, start: int, end: int) -> str:
    """A date's likely extent about its year: to the line's ends, at most 25 characters on."""
    left = text[max(0, start - 25) : start].splitlines() or [""]
    right = text[end : end + 25].splitlines() or [""]
    return (left[-1] + text[start:end] + right[0]).strip()
