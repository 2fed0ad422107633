"""Values that follow a field's name in a short text, with no mark between: "Part no. SP-1001", "With us since 2009"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from lxml import etree

from scraping_ai.extraction import units
from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.concepts import concept_of, fold, phrase
from scraping_ai.extraction.document import Anchor
from scraping_ai.extraction.heuristic.view import View
from scraping_ai.schema import FieldSchema

CONFIDENCE = 0.55
MAX_TEXT = 60  # characters
MAX_VALUE = 30
MAX_PARTS = 2  # elements in a text
_TAGS = frozenset(("p", "li", "div", "span", "dd", "td", "small"))
_FIRST = re.compile(r"[^\W\d_]+")
_VALUE = re.compile(r"(?=\D{0,20}\d)[^:：?!]*\Z")  # "Opening hours may vary" has none
_SHORT_VALUE = re.compile(r"[#№$€£¥]?\s?\d\S{0,12}(?:\s\S{1,4})?\Z")


class Openings:
    """The short texts of a view by their first word."""

    def __init__(self, view: View) -> None:
        self._texts: dict[str, list[tuple[str, etree._Element]]] = {}
        for node, text in view.numbered:
            first = _FIRST.match(text) if len(text) <= MAX_TEXT else None
            if first and node.tag in _TAGS and len(node) <= MAX_PARTS and node not in view.document.broken:
                self._texts.setdefault(first[0].casefold(), []).append((text, node))

    def candidates(self, field: FieldSchema) -> Iterator[Candidate]:
        """The value that follows a field's name at the start of a text; none where several texts differ in it."""
        found = [candidate for name in _names(field) for candidate in self._of(name)]
        if len({candidate.text for candidate in found}) == 1:
            yield found[0]

    def _of(self, name: str) -> Iterator[Candidate]:
        for text, node in self._texts.get(name.partition(" ")[0], ()):
            match = _pattern(name).match(text)
            value = text[match.end() :].strip() if match else ""
            reads_so = _VALUE if " " in name or (match and match[1]) else _SHORT_VALUE
            if 0 < len(value) <= MAX_VALUE and not value[0].islower() and reads_so.match(value):
                yield Candidate(value, Anchor(node), CONFIDENCE, "heuristic")


def _names(field: FieldSchema) -> list[str]:
    """The field's name, its description's first words and the names of its concept that have several words."""
    concept, name = concept_of(field), fold(field.name)
    known = [folded for other in concept.names if " " in (folded := fold(other))] if concept else []
    return [key for key in dict.fromkeys([name, units.without_any(name), phrase(field.description), *known]) if key]


@lru_cache(maxsize=4096)
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(r"[\s_./-]{1,3}".join(map(re.escape, name.split())) + r"(\.?)\s+", re.I)
